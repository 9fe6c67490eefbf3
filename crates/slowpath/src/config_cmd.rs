//! `slowpath config`: each setting, its value, and where it comes from.

use crate::color::{self, When};
use crate::config::{Config, Origin, Setting};
use crate::far_end_args::FarEndArgs;
use crate::output;
use clap::parser::ValueSource;
use clap::{ArgMatches, Args};
use serde_json::{Map, Value, json};
use std::fmt::{Display, Write as _};
use std::process::ExitCode;

/// Shown at the end of `config --help`.
const HELP: &str = "\
The file is $XDG_CONFIG_HOME/slowpath/config.toml, or ~/.config/slowpath/config.toml; SLOWPATH_CONFIG names another. \
It may hold:

  token-file = \"~/far.token\"
  port = 4820
  color = \"auto\"             # or always, never

  [host.\"dtn.example.org\"]   # for this far end
  token-file = \"dtn.token\"
  port = 5000

A relative path counts from the directory of the file, and a host is named as on the command line. An option of the \
command line goes before the environment, that before the table of the host, and that before the rest of the file. \
`slowpath serve` takes no token and no port from it.";

/// Arguments of `slowpath config`.
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub(crate) struct ConfigArgs {
    /// The far end whose settings are wanted [default: what holds for all, and each host that has a table]
    host: Option<String>,
    #[command(flatten)]
    far_end: FarEndArgs,
    /// Print the path of the file that is looked for, and nothing else
    #[arg(long)]
    pub(crate) path: bool,
    /// Print the settings as JSON (see docs/output.md)
    #[arg(long, conflicts_with = "path")]
    json: bool,
}

/// Runs `slowpath config --path`, which works with a broken file as well: who has to repair it looks for it.
pub(crate) fn print_path() -> ExitCode {
    match Config::looked_for() {
        Some(path) => output::finish(output::try_print(&format!("{}\n", path.display()))),
        None => {
            crate::exit::usage("no place for a configuration: set HOME, XDG_CONFIG_HOME or SLOWPATH_CONFIG")
        }
    }
}

/// Runs `slowpath config`. Only `matches` know whether an option or a variable gave a value.
pub(crate) fn run(args: &ConfigArgs, color: Option<When>, config: &Config, matches: &ArgMatches) -> ExitCode {
    let color = color::setting(color, config);
    let of = |host: Option<&str>| Shown::of(args, host, config, matches);
    let asked = args.host.as_deref();
    let common = of(asked);
    let hosts: Vec<(&str, Shown)> = match asked {
        Some(_) => Vec::new(),
        None => config.hosts().map(|host| (host, of(Some(host)))).collect(),
    };
    let written = if args.json {
        let page = json_page(asked, &color, &common, &hosts, config);
        output::try_print(&report::json_escaped(&format!("{page:#}\n")))
    } else {
        output::try_print(&text_page(asked, &color, &common, &hosts, config))
    };
    output::finish(written)
}

/// The settings of a far end.
struct Shown {
    token_file: Setting<Option<String>>,
    port: Setting<u16>,
}

impl Shown {
    fn of(args: &ConfigArgs, host: Option<&str>, config: &Config, matches: &ArgMatches) -> Self {
        let given = args.far_end.token_file.as_ref();
        let token_file = match given {
            Some(path) => Setting {
                value: Some(path.display().to_string()),
                origin: match matches.value_source("token_file") {
                    Some(ValueSource::EnvVariable) => Origin::Environment("SLOWPATH_TOKEN_FILE"),
                    _ => Origin::Option("--token-file"),
                },
            },
            None => match config.token_file(host) {
                Some(Setting { value, origin }) => Setting {
                    value: Some(value.display().to_string()),
                    origin,
                },
                None => Setting {
                    value: None,
                    origin: Origin::Default,
                },
            },
        };
        let port = match args.far_end.port {
            Some(value) => Setting {
                value,
                origin: Origin::Option("--port"),
            },
            None => config.port(host).unwrap_or(Setting {
                value: args.far_end.port(),
                origin: Origin::Default,
            }),
        };
        Self { token_file, port }
    }

    fn rows(&self) -> [Row; 2] {
        let token_file = self.token_file.value.as_deref().unwrap_or("none");
        [
            row("token-file", token_file, &self.token_file.origin),
            row("port", &self.port.value, &self.port.origin),
        ]
    }

    fn members(&self) -> Map<String, Value> {
        let mut members = Map::new();
        members.insert(
            "token-file".to_owned(),
            member(json!(self.token_file.value), &self.token_file.origin),
        );
        members.insert(
            "port".to_owned(),
            member(json!(self.port.value), &self.port.origin),
        );
        members
    }
}

/// Name, value and origin, as they are shown.
type Row = (&'static str, String, String);

fn row(name: &'static str, value: &(impl Display + ?Sized), origin: &Origin) -> Row {
    let clean = |text: String| report::clean(&text).into_owned();
    (name, clean(value.to_string()), clean(origin.to_string()))
}

fn text_page(
    asked: Option<&str>,
    color: &Setting<When>,
    common: &Shown,
    hosts: &[(&str, Shown)],
    config: &Config,
) -> String {
    let file = match (config.file(), Config::looked_for()) {
        (Some(path), _) => path.display().to_string(),
        (None, Some(path)) => format!("{} (none found)", path.display()),
        (None, None) => "none: no home (HOME is not set)".to_owned(),
    };
    let of_all = vec![row("color", &color.value, &color.origin)];
    let mut groups = match asked {
        Some(host) => vec![(None, of_all), (Some(host), common.rows().to_vec())],
        None => vec![(None, [&of_all[..], &common.rows()].concat())],
    };
    groups.extend(
        hosts
            .iter()
            .map(|(host, settings)| (Some(*host), settings.rows().to_vec())),
    );
    let values = groups
        .iter()
        .flat_map(|(_, rows)| rows)
        .map(|(_, value, _)| value.chars().count());
    let width = values.max().unwrap_or(0);
    let mut page = format!("{:<11} {}\n", "file", report::clean(&file));
    for (host, rows) in groups {
        if let Some(host) = host {
            let _ = writeln!(page, "\nhost {}", report::clean(host));
        }
        for (name, value, origin) in rows {
            let _ = writeln!(page, "{name:<11} {value:<width$}  {origin}");
        }
    }
    page
}

fn json_page(
    asked: Option<&str>,
    color: &Setting<When>,
    common: &Shown,
    hosts: &[(&str, Shown)],
    config: &Config,
) -> Value {
    let path = Config::looked_for().map(|path| path.display().to_string());
    let mut settings = common.members();
    settings.insert("color".to_owned(), member(json!(color.value), &color.origin));
    let hosts: Map<String, Value> = hosts
        .iter()
        .map(|(host, settings)| ((*host).to_owned(), Value::Object(settings.members())))
        .collect();
    json!({
        "schema": 1,
        "file": { "path": path, "found": config.file().is_some() },
        "host": asked,
        "settings": settings,
        "hosts": hosts,
    })
}

fn member(value: Value, origin: &Origin) -> Value {
    let (origin, place) = match origin {
        Origin::Option(name) => ("option", json!({ "option": name })),
        Origin::Environment(name) => ("environment", json!({ "variable": name })),
        Origin::File { line, .. } => ("file", json!({ "line": line })),
        Origin::Default => ("default", json!({})),
    };
    let mut member = Map::from_iter([("value".to_owned(), value), ("origin".to_owned(), json!(origin))]);
    member.extend(place.as_object().cloned().unwrap_or_default());
    Value::Object(member)
}
