//! `slowpath grade`: random worlds of which the truth is known, judged and counted.

use crate::patience::patience;
use crate::{exit, output};
use casefile::CaseDir;
use clap::Args;
use evidence::Case;
use grade::{Kind, Table, World};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

/// Arguments of `slowpath grade`.
#[derive(Debug, Args)]
pub(crate) struct GradeArgs {
    /// Worlds to draw and judge
    #[arg(long, value_name = "N", default_value_t = 1_000)]
    worlds: u64,
    /// Seed: the same seed gives the same worlds
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Only worlds of this kind
    #[arg(long, value_name = "KIND", value_parser = read_kind)]
    kind: Option<Kind>,
    /// Print the table as JSON
    #[arg(long)]
    json: bool,
    /// Show world N: what is true in it, what its records say, and the verdict
    #[arg(long, value_name = "N", conflicts_with = "write")]
    show: Option<u64>,
    /// Write world N as a case directory
    #[arg(long, value_names = ["DIR", "N"], num_args = 2)]
    write: Option<Vec<String>>,
}

fn read_kind(name: &str) -> Result<Kind, String> {
    Kind::named(name).ok_or_else(|| {
        let names: Vec<&str> = Kind::all().map(Kind::name).collect();
        format!("no such kind; there are {}", names.join(", "))
    })
}

/// Runs `slowpath grade`.
pub(crate) fn run(args: &GradeArgs) -> ExitCode {
    let drawn = |number| grade::world(args.seed, number, args.kind);
    if let Some(number) = args.show {
        return output::finish(output::try_print(&shown(&drawn(number))));
    }
    if let Some([dir, number]) = args.write.as_deref() {
        return match number.parse() {
            Ok(number) => write(Path::new(dir), &drawn(number)),
            Err(_) => exit::usage(&format!("`{number}` is not the number of a world")),
        };
    }
    let table = table(args);
    let text = if args.json {
        // A struct of plain fields cannot fail to serialise.
        serde_json::to_string_pretty(&table).unwrap_or_default() + "\n"
    } else {
        let Table { worlds, time, .. } = &table;
        format!(
            "{worlds} worlds of seed {}.\n\n{table}\nTime per judgement: mean {:.1} ms, 99 % below {:.1} ms, longest {:.1} ms\n",
            args.seed, time.mean_ms, time.p99_ms, time.max_ms
        )
    };
    output::finish(output::try_print(&text))
}

fn table(args: &GradeArgs) -> Table {
    let mut table = Table::default();
    for number in 0..args.worlds {
        let world = grade::world(args.seed, number, args.kind);
        let case = grade::case(&world);
        let start = Instant::now();
        let verdict = grade::judge(&case);
        let took_ns = u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX);
        if let Some(verdict) = verdict {
            table.add(number, &grade::grade(&world, &verdict), took_ns);
        }
    }
    table.closed()
}

/// The truth, the records, the report, and how the verdict is graded.
fn shown(world: &World) -> String {
    let case = grade::case(world);
    let verdicts = diagnosis::judge(&case);
    let graded = verdicts.rounds.last().map(|verdict| grade::grade(world, verdict));
    format!(
        "{}\n{}\n{}\ngraded: {}\n",
        grade::truth_text(world, &grade::records(world)),
        observations(&case),
        report::verdict_text(&case, &verdicts, output::options()),
        serde_json::to_string_pretty(&graded).unwrap_or_default()
    )
}

fn observations(case: &Case) -> String {
    let numbers = case.short_numbers();
    let line = |o: &evidence::Observation| {
        let number = numbers.get(&o.id).copied().unwrap_or_default();
        format!("o{number} {} {}", o.provenance.tool, kind_of(o))
    };
    case.observations()
        .iter()
        .map(line)
        .collect::<Vec<_>>()
        .join("\n")
}

fn kind_of(observation: &evidence::Observation) -> String {
    let value = serde_json::to_value(&observation.payload).unwrap_or_default();
    value
        .get("type")
        .and_then(|kind| kind.as_str())
        .unwrap_or_default()
        .to_owned()
}

fn write(dir: &Path, world: &World) -> ExitCode {
    let case = grade::case(world);
    let path = PathBuf::from(dir);
    let written = CaseDir::create(&path, &case.complaint, &mut patience(&path)).and_then(|()| {
        let (mut there, _, _) = CaseDir::open(&path, &mut patience(&path))?;
        case.observations()
            .iter()
            .try_for_each(|observation| there.append(observation))?;
        there.sync()
    });
    match written {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => exit::no_such_case(&error),
    }
}
