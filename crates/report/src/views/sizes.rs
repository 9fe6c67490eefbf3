//! Which packet sizes were answered by which hop, from probes and traces of any origin: hops down, sizes across.

use super::outcome::{Class, Outcome};
use super::path::{MOST_HOPS, ttl_of};
use super::place;
use crate::names::{Names, target};
use crate::table::{Cell, Row, Table, Tone};
use crate::words;
use evidence::{EchoContext, EchoMode, Finding, Node, Observation, Payload, Probes, Trace, Verdict, Way};
use std::collections::{BTreeMap, BTreeSet};

/// Of more sizes than this, neighbours that fared alike at every hop share a column.
const FEW_SIZES: usize = 4;

/// What holds for all tables.
const GENERAL: &str = "Answered of those sent; sizes are of the whole IP packet, bytes. A hop that never answers says \
                       nothing about the hops behind it.";

/// One hop, or one host.
#[derive(Debug, Default)]
struct Line {
    ttl: Option<u8>,
    nodes: Vec<Node>,
    /// Asked for itself: its own control plane answered.
    itself: bool,
    destination: bool,
    cells: BTreeMap<Asked, Outcome>,
}

/// With which size, and whether a transfer ran meanwhile.
type Asked = (Option<u32>, bool);

/// All probes between two hosts that were asked in one way.
#[derive(Debug, Default)]
struct Grid {
    cites: BTreeSet<usize>,
    lines: Vec<Line>,
    /// Lines that found no room.
    left: usize,
    /// Some of it is more than a trace, which the picture of the path shows.
    of_probes: bool,
}

pub(crate) fn tables(seen: &[(usize, &Observation)], names: &Names, verdict: Option<&Verdict>) -> Vec<Table> {
    let mut grids: BTreeMap<String, Grid> = BTreeMap::new();
    // A report of mtr is a trace, and the probes of which it is made: these are counted once.
    let probes = seen
        .iter()
        .filter(|(_, o)| matches!(o.payload, Payload::Probes(_)));
    let counted: BTreeSet<_> = probes.filter_map(|(_, o)| text_of(o)).collect();
    for (number, o) in seen {
        if let Payload::Trace(trace) = &o.payload
            && text_of(o).is_none_or(|text| !counted.contains(&text))
        {
            add_trace(&mut grids, *number, trace, o, names);
        }
    }
    for (number, o) in seen {
        if let Payload::Probes(probes) = &o.payload {
            add_probes(&mut grids, *number, probes, o, names);
        }
    }
    if grids.is_empty() {
        return Vec::new();
    }
    let tables = grids.into_iter().map(|(title, grid)| {
        let about = verdict.map(|verdict| place::faults_of(verdict, seen, &grid.cites));
        grid.table(title, names, &about.unwrap_or_default())
    });
    let mut tables: Vec<Table> = tables.flatten().collect();
    // What holds for all of them is said once, below the last.
    if let Some((_, before)) = tables.split_last_mut() {
        let notes = before.iter_mut().map(|table| &mut table.notes);
        notes.for_each(|notes| notes.retain(|note| note != GENERAL));
    }
    tables
}

/// The lines of a file that an observation was read from.
fn text_of(o: &Observation) -> Option<(&str, (u64, u64))> {
    Some((o.provenance.raw_sha256.as_deref()?, o.provenance.raw_lines?))
}

fn title(
    from: &Node,
    to: Option<&Node>,
    dont_fragment: Option<bool>,
    o: &Observation,
    names: &Names,
) -> String {
    let from = if from.is_unknown() {
        &o.provenance.vantage
    } else {
        from
    };
    let ends = match to {
        Some(to) => format!("Answers by hop and size, {}", names.pair(from, to)),
        None => format!("Answers by size, from {}", names.of(from)),
    };
    let how = match dont_fragment {
        Some(true) => ", don't fragment",
        Some(false) => ", routers may fragment",
        None => "",
    };
    format!("{ends}{how}")
}

fn add_trace(
    grids: &mut BTreeMap<String, Grid>,
    number: usize,
    trace: &Trace,
    o: &Observation,
    names: &Names,
) {
    if trace.size_bytes.is_none() {
        return;
    }
    let title = title(&trace.from, Some(&trace.to), trace.dont_fragment, o, names);
    let grid = grids.entry(title).or_default();
    grid.cites.insert(number);
    for hop in trace.hops() {
        let nodes: Vec<&Node> = hop.answers.iter().map(|a| &a.node).collect();
        if let Some(line) = grid.line(Some(hop.ttl), &nodes, false) {
            line.cells
                .entry((trace.size_bytes, false))
                .or_default()
                .add(Outcome::of_hop(hop));
        }
    }
}

fn add_probes(
    grids: &mut BTreeMap<String, Grid>,
    number: usize,
    probes: &Probes,
    o: &Observation,
    names: &Names,
) {
    let loaded = probes.context == Some(EchoContext::UnderLoad);
    for row in probes.rows.iter().filter(|row| row.way == Way::RoundTrip) {
        let title = title(
            &probes.from,
            probes.destination.as_ref(),
            row.dont_fragment,
            o,
            names,
        );
        let grid = grids.entry(title).or_default();
        grid.cites.insert(number);
        grid.of_probes = true;
        let nodes: Vec<&Node> = row.answered_by.iter().chain([&row.to]).collect();
        if let Some(line) = grid.line(ttl_of(row, probes), &nodes, row.mode == Some(EchoMode::Direct)) {
            let end = target(probes).filter(|_| probes.destination.is_some());
            line.destination |= row.mode == Some(EchoMode::ToDestination)
                || end.is_some_and(|end| row.to.same_as(end) == Some(true))
                || (probes.destination_ttl.is_some() && line.ttl == probes.destination_ttl);
            line.cells
                .entry((row.size_bytes, loaded))
                .or_default()
                .add(Outcome::of_row(row));
        }
    }
}

impl Grid {
    /// The line of a hop: by its number, else by who it is. `None` when there are too many.
    fn line(&mut self, ttl: Option<u8>, nodes: &[&Node], itself: bool) -> Option<&mut Line> {
        let known: Vec<&Node> = nodes.iter().copied().filter(|node| !node.is_unknown()).collect();
        let is = |line: &Line| {
            line.itself == itself
                && match (ttl, line.ttl) {
                    (Some(a), Some(b)) => a == b,
                    _ => known
                        .iter()
                        .any(|node| line.nodes.iter().any(|there| there.same_as(node) == Some(true))),
                }
        };
        let place = match self.lines.iter().position(is) {
            Some(place) => place,
            None if self.lines.len() >= MOST_HOPS => {
                self.left += 1;
                return None;
            }
            None => {
                self.lines.push(Line {
                    ttl,
                    itself,
                    ..Line::default()
                });
                self.lines.len() - 1
            }
        };
        let line = self.lines.get_mut(place)?;
        line.ttl = line.ttl.or(ttl);
        for node in known {
            if !line.nodes.iter().any(|there| there.same_as(node) == Some(true)) {
                line.nodes.push(node.clone());
            }
        }
        Some(line)
    }

    /// Runs of sizes that share a column.
    fn columns(&self) -> Vec<Vec<Asked>> {
        let asked: BTreeSet<Asked> = self.lines.iter().flat_map(|l| l.cells.keys().copied()).collect();
        let alike = |a: &Asked, b: &Asked| {
            let class = |line: &Line, asked| {
                line.cells.get(asked).map(Outcome::class) == line.cells.get(b).map(Outcome::class)
            };
            a.1 == b.1 && a.0.is_some() && self.lines.iter().all(|line| class(line, a))
        };
        let few = asked.len() <= FEW_SIZES;
        let asked: Vec<Asked> = asked.into_iter().collect();
        let columns = asked.chunk_by(|a, b| !few && alike(a, b));
        columns.map(<[_]>::to_vec).collect()
    }

    /// The table; `None` where it says no more than the line of its observation, or the picture of the path.
    fn table(mut self, title: String, names: &Names, faults: &[&Finding]) -> Option<Table> {
        let columns = self.columns();
        let cells: usize = self.lines.iter().map(|line| line.cells.len()).sum();
        let differ = self.lines.iter().any(|line| {
            let mut classes = line.cells.values().map(Outcome::class);
            let first = classes.next();
            classes.any(|class| Some(class) != first)
        });
        if cells < 2 || !(self.of_probes || differ) {
            return None;
        }
        // Hops in the order of the path; hosts without a number as they come.
        self.lines.sort_by_key(|line| (line.ttl.is_none(), line.ttl));
        let marks = self.marks(faults);
        let told = |text: &str| {
            let mut outcomes = self.lines.iter().flat_map(|line| line.cells.values());
            outcomes.any(|outcome| {
                outcome
                    .error
                    .as_deref()
                    .is_some_and(|error| error.starts_with(text))
            })
        };
        let mut notes = vec![GENERAL.to_owned()];
        if told("≤") || told("too big") {
            notes.push(
                "A router said that the packet is too big; ≤ stands before the limit that it named."
                    .to_owned(),
            );
        }
        if told("own limit") {
            notes.push("Own limit: this host itself refused to send it.".to_owned());
        }
        if self.left > 0 {
            notes.push(format!("{} more are not shown.", words::count(self.left as u64)));
        }
        let rows = self.lines.iter().zip(marks).map(|(line, mark)| Row {
            cells: line.row(&columns, names),
            mark,
        });
        let rows = rows.collect();
        Some(Table {
            title,
            cites: self.cites.into_iter().collect(),
            head: std::iter::once("hop".to_owned())
                .chain(columns.iter().map(|sizes| head(sizes)))
                .collect(),
            rows,
            notes,
        })
    }

    /// The codes of faults at the hops between which they lie.
    fn marks(&self, faults: &[&Finding]) -> Vec<Option<String>> {
        let hops: Vec<(u8, &[Node])> = self
            .lines
            .iter()
            .map(|line| (line.ttl.unwrap_or(u8::MAX), line.nodes.as_slice()))
            .collect();
        let placed = faults
            .iter()
            .filter_map(|f| Some((f.code.clone(), place::among(&f.location, &hops)?)));
        place::marks(self.lines.len(), placed)
    }
}

fn head(asked: &[Asked]) -> String {
    let size = |asked: Option<&Asked>| asked.and_then(|(size, _)| *size);
    let sizes = match (size(asked.first()), size(asked.last())) {
        (Some(a), Some(b)) if a != b => format!("{a}–{b}"),
        (Some(a), _) => a.to_string(),
        _ => "size not told".to_owned(),
    };
    match asked.iter().any(|(_, loaded)| *loaded) {
        true => format!("{sizes}, under load"),
        false => sizes,
    }
}

impl Line {
    fn row(&self, columns: &[Vec<Asked>], names: &Names) -> Vec<Cell> {
        // A hop that answers no size at all says nothing about sizes.
        let mute = self.cells.values().all(|cell| {
            matches!(cell.class(), Class::None | Class::Untold) || cell.error.as_deref() == Some("own limit")
        });
        let cells = columns.iter().map(|sizes| {
            let tried = sizes.iter().filter_map(|size| self.cells.get(size));
            let sum = tried.cloned().reduce(|mut sum, other| {
                sum.add(other);
                sum
            });
            sum.map_or_else(|| Cell::toned("·", Tone::Soft), |sum| sum.cell(mute))
        });
        std::iter::once(self.label(names)).chain(cells).collect()
    }

    /// Number and name: an address that other records name goes by that name.
    fn label(&self, names: &Names) -> Cell {
        let node = self.nodes.iter().max_by_key(|node| node.name.is_some());
        let name = node.map(|node| node.name.clone().unwrap_or_else(|| names.of(node)));
        let name = name.unwrap_or_else(|| "silent".to_owned());
        let mut label = self
            .ttl
            .map_or_else(|| name.clone(), |ttl| format!("{ttl} {name}"));
        let short = label.chars().take(24).collect::<String>();
        if self.itself {
            label += ", asked itself";
        }
        if self.destination {
            label += " (destination)";
        }
        Cell::new(label).short(short)
    }
}
