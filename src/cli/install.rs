//! `install`: what connects an agent host to this binary.

use super::{Exit, terminal};
use crate::host::setup::{Owner, Place, Setup};
use crate::host::{self, Host};
use clap::builder::PossibleValuesParser;

/// The arguments.
#[derive(clap::Args)]
pub(super) struct Args {
    /// The agent host
    #[arg(value_name = "HOST", value_parser = PossibleValuesParser::new(hosts().map(|(host, _)| host.name)))]
    host: String,
    /// Print the entry; where it goes is told on stderr
    #[arg(long, required = true)]
    print: bool,
}

/// The hosts that can be connected.
fn hosts() -> impl Iterator<Item = (&'static Host, &'static Setup)> {
    let all = host::ALL.iter();
    all.filter_map(|host| Some((*host, host.setup.as_ref()?)))
}

/// Runs the verb.
pub(super) fn run(args: &Args) -> Exit {
    let path = std::env::current_exe().ok();
    let Some(path) = path.as_ref().and_then(|path| path.to_str()) else {
        terminal::err("leaseguard: the path of this program is unknown or not valid UTF-8\n");
        return Exit::Trouble;
    };
    let found = hosts().find(|(host, _)| host.name == args.host);
    let Some((_, setup)) = found.filter(|_| args.print) else {
        return Exit::Trouble;
    };
    terminal::out(&setup.filled(path));
    terminal::err(&told(setup));
    Exit::Ok
}

/// Where the entry goes, and what only the person can do.
fn told(setup: &Setup) -> String {
    let verb = match setup.owner {
        Owner::Shared => "merge this into",
        Owner::Ours => "write this to",
    };
    let Place {
        variable,
        dir,
        file,
    } = setup.user;
    let other = variable.map_or_else(String::new, |name| format!(" (or ${name}/{file})"));
    let mut out = format!("{verb} ~/{dir}/{file}{other}, for all projects\n");
    for step in setup.steps {
        out.push_str(&format!("  {step}\n"));
    }
    out
}
