//! `completions`: what makes a shell complete leaseguard's verbs and options.

use super::{Exit, terminal};
use clap_complete::Shell;

/// The arguments.
#[derive(clap::Args)]
pub(super) struct Args {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

/// Runs the verb.
pub(super) fn run(args: &Args) -> Exit {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut super::tree(), "leaseguard", &mut text);
    match String::from_utf8(text) {
        Ok(text) if terminal::out(&text) => Exit::Ok,
        _ => Exit::Trouble,
    }
}
