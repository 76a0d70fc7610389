//! `install`: what connects an agent host to this binary.

use super::{Exit, terminal};
use crate::host::{argv, text};

const PLACEHOLDER: &str = "@LEASEGUARD@";

/// The arguments.
#[derive(clap::Args)]
pub(super) struct Args {
    /// The agent host
    #[arg(value_name = "HOST", value_parser = ["claude", "codex"])]
    host: String,
    /// Print the entry; where it goes is told on stderr
    #[arg(long, required = true)]
    print: bool,
}

/// What a host needs.
struct Snippet {
    json: &'static str,
    /// The command stands in a line that a shell reads.
    shell: bool,
    place: &'static str,
}

const CLAUDE: Snippet = Snippet {
    json: include_str!("../../hooks/claude.json"),
    shell: false,
    place: "\
merge this into ~/.claude/settings.json (or $CLAUDE_CONFIG_DIR/settings.json), for all projects
  only you can see to it that no settings file says `disableAllHooks`, and that Claude Code is 2.1.139 or newer
",
};

const CODEX: Snippet = Snippet {
    json: include_str!("../../hooks/codex.json"),
    shell: true,
    place: "\
merge this into ~/.codex/hooks.json (or $CODEX_HOME/hooks.json)
  only you can trust it: start `codex`, open `/hooks` and trust the entry; until then it is silently skipped
  any later change of the entry needs the same again
",
};

/// Runs the verb.
pub(super) fn run(args: &Args) -> Exit {
    let path = std::env::current_exe().ok();
    let Some(path) = path.as_ref().and_then(|path| path.to_str()) else {
        terminal::err("leaseguard: the path of this program is unknown or not valid UTF-8\n");
        return Exit::Trouble;
    };
    let snippet = if args.host == "codex" { CODEX } else { CLAUDE };
    if args.print {
        terminal::out(&filled(&snippet, path));
        terminal::err(snippet.place);
    }
    Exit::Ok
}

fn filled(snippet: &Snippet, path: &str) -> String {
    let command = if snippet.shell {
        argv::as_shell(&[path])
    } else {
        path.to_owned()
    };
    let quoted = text::json_string(&command);
    let inner = quoted.strip_prefix('"').and_then(|q| q.strip_suffix('"'));
    snippet.json.replace(PLACEHOLDER, inner.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::{CLAUDE, CODEX, filled};

    #[test]
    fn an_odd_path_survives_json_and_shell() {
        let path = "/a b/it's \"x\"\\leaseguard";
        for (snippet, want) in [
            (CLAUDE, path.to_owned()),
            (
                CODEX,
                "'/a b/it'\\''s \"x\"\\leaseguard' hook --host codex".to_owned(),
            ),
        ] {
            let json: serde_json::Value =
                serde_json::from_str(&filled(&snippet, path)).expect("JSON");
            let command = &json["hooks"]["PreToolUse"][0]["hooks"][0]["command"];
            assert_eq!(command.as_str(), Some(want.as_str()));
        }
    }
}
