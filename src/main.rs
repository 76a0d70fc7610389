//! Opens the right door and returns its exit code.

use leaseguard::cli;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut args = std::env::args_os().skip(1).peekable();
    // The hot path: a hook is answered before anything for people is loaded.
    if args.next_if(|word| word == "hook").is_some() {
        return ExitCode::from(cli::hook::run(args));
    }
    ExitCode::from(cli::run(args.collect()) as u8)
}
