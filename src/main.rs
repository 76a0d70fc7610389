//! Opens the right door and returns its exit code.

use leaseguard::cli;
use std::io::IsTerminal;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut args = std::env::args_os().skip(1).peekable();
    // The hot path: a hook is answered before anything for people is loaded. Copilot CLI reads the
    // settings of Claude Code, but starts the program in them without its arguments.
    let bare = args.peek().is_none() && !std::io::stdin().is_terminal();
    if args.next_if(|word| word == "hook").is_some() || bare {
        return ExitCode::from(cli::hook::run(args));
    }
    if args.next_if(|word| word == "git-hook").is_some() {
        return ExitCode::from(cli::git_hook::run(args));
    }
    ExitCode::from(cli::run(args.collect()) as u8)
}
