//! Agent hosts started, or set up, so that their hooks do not run or come from elsewhere.

use super::{Act, How, basename};
use crate::shell::{Assign, Command, Word};

/// A start of an agent host whose calls may go unseen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentStart {
    /// The host's name.
    pub host: &'static str,
    /// What makes it so.
    pub how: How,
    /// Its hooks are off for sure; else they may be missing.
    pub surely: bool,
    /// The fact: `it runs no hooks at all`.
    pub why: &'static str,
}

/// What is known of one host.
struct Host {
    /// Its name.
    name: &'static str,
    /// Its programs.
    programs: &'static [&'static str],
    /// Its packages, as `npx` and its kin name them.
    packages: &'static [&'static str],
    /// Switches with which no hook runs.
    off: &'static [&'static str],
    /// Options with which hooks may be missing, and why.
    doubt: &'static [(&'static str, &'static str)],
    /// Variables that lead to another config.
    homes: &'static [&'static str],
    /// Variables with which no hook runs, unless they are empty or `0`.
    env: &'static [&'static str],
}

const NONE: Host = Host {
    name: "",
    programs: &[],
    packages: &[],
    off: &[],
    doubt: &[],
    homes: &[],
    env: &[],
};

const ELSEWHERE: &str = "the hooks that call leaseguard may not be in that config";

const HOSTS: &[Host] = &[
    Host {
        name: "Claude Code",
        programs: &["claude", "claude-code"],
        packages: &["@anthropic-ai/claude-code"],
        off: &["--bare", "--safe-mode"],
        homes: &["CLAUDE_CONFIG_DIR"],
        env: &["CLAUDE_CODE_SIMPLE"],
        ..NONE
    },
    Host {
        name: "Codex",
        programs: &["codex", "codex-cli"],
        packages: &["@openai/codex"],
        off: &["--ignore-user-config"],
        doubt: &[(
            "--dangerously-bypass-hook-trust",
            "it runs hooks that nobody looked at, and what they say is not leaseguard's word",
        )],
        homes: &["CODEX_HOME"],
        ..NONE
    },
    Host {
        name: "GitHub Copilot CLI",
        programs: &["copilot"],
        packages: &["@github/copilot"],
        doubt: &[("--config-dir", ELSEWHERE)],
        homes: &["COPILOT_HOME"],
        ..NONE
    },
    Host {
        name: "Gemini CLI",
        programs: &["gemini", "gemini-cli"],
        packages: &["@google/gemini-cli"],
        doubt: &[(
            "--skip-trust",
            "it leaves out the hooks of this repository without a word",
        )],
        homes: &["GEMINI_CLI_HOME", "GEMINI_CLI_SYSTEM_SETTINGS_PATH"],
        ..NONE
    },
    Host {
        name: "Qwen Code",
        programs: &["qwen", "qwen-code"],
        packages: &["@qwen-code/qwen-code"],
        homes: &["QWEN_HOME", "QWEN_CODE_SYSTEM_SETTINGS_PATH"],
        ..NONE
    },
    Host {
        name: "OpenCode",
        programs: &["opencode"],
        packages: &["opencode-ai"],
        off: &["--pure"],
        homes: &["OPENCODE_CONFIG_DIR", "OPENCODE_CONFIG", "XDG_CONFIG_HOME"],
        ..NONE
    },
    Host {
        name: "Pi",
        programs: &["pi"],
        packages: &["@mariozechner/pi-coding-agent"],
        off: &["--no-extensions", "-ne"],
        homes: &["PI_CODING_AGENT_DIR"],
        ..NONE
    },
    Host {
        name: "Cline",
        programs: &["cline"],
        packages: &["cline"],
        doubt: &[("--yolo", "it may run no hooks in that mode")],
        ..NONE
    },
    Host {
        name: "Cursor",
        programs: &["cursor-agent"],
        homes: &["CURSOR_CONFIG_DIR"],
        ..NONE
    },
    Host {
        name: "Crush",
        programs: &["crush"],
        packages: &["@charmland/crush"],
        homes: &["XDG_CONFIG_HOME", "CRUSH_GLOBAL_CONFIG"],
        ..NONE
    },
    Host {
        name: "Goose",
        programs: &["goose"],
        homes: &["XDG_CONFIG_HOME"],
        ..NONE
    },
    Host {
        name: "another agent host",
        programs: &["agy", "droid", "grok", "kimi", "kimi-cli"],
        packages: &["@vibe-kit/grok-cli"],
        ..NONE
    },
];

/// Programs that fetch a package and run it.
const FETCHERS: &[&str] = &["bunx", "npx", "pnpx"];

fn host_of(program: &str) -> Option<&'static Host> {
    HOSTS.iter().find(|h| h.programs.contains(&program))
}

/// What is wrong with a start of an agent host; `None` for other programs and for plain starts.
pub(super) fn read(base: &str, command: &Command) -> Option<Act> {
    let words = command.words.get(1..).unwrap_or_default();
    let (host, words) = match host_of(base) {
        Some(host) => (host, words),
        None if FETCHERS.contains(&base) => fetched(words)?,
        None => return None,
    };
    let start = |word: &Word, text: &str, surely, why| {
        Some(Act::AgentHost(AgentStart {
            host: host.name,
            how: How {
                text: text.to_owned(),
                span: word.span,
            },
            surely,
            why,
        }))
    };
    const OFF: &str = "no hook runs then";
    let words = words.split(|w| w.text == "--").next().unwrap_or_default();
    for word in words {
        let text = word.text.as_str();
        let (name, _) = text.split_once('=').unwrap_or((text, ""));
        if host.off.contains(&name) {
            return start(word, name, true, OFF);
        }
        if let Some((_, why)) = host.doubt.iter().find(|(option, _)| *option == name) {
            return start(word, name, false, why);
        }
    }
    let own = match host.name {
        "Claude Code" => claude(words),
        "Codex" => codex(words),
        _ => None,
    };
    let own = own.or_else(|| verbs(words));
    if let Some((word, surely, why)) = own {
        return start(word, &word.text, surely, why);
    }
    let assigns = || command.assigns.iter().chain(command.exports.iter());
    let typed = |assign: &Assign| format!("{}={}", assign.name, assign.value.text);
    let named = |names: &[&str], assign: &Assign| names.contains(&assign.name.as_str());
    let set = |a: &&Assign| !matches!(a.value.known(), Some("" | "0" | "false"));
    if let Some(assign) = assigns().filter(|a| named(host.env, a)).find(set) {
        let surely = assign.value.known().is_some();
        return start(&assign.value, &typed(assign), surely, OFF);
    }
    let moves = |a: &&Assign| a.name == "HOME" || named(host.homes, a);
    let assign = assigns().find(moves)?;
    start(&assign.value, &typed(assign), false, ELSEWHERE)
}

/// The host whose package is run, and the words behind it.
fn fetched(words: &[Word]) -> Option<(&'static Host, &[Word])> {
    let at = words.iter().position(|w| !w.text.starts_with('-'))?;
    let package = words.get(at)?.text.as_str();
    let host = HOSTS.iter().find(|h| {
        h.packages.iter().any(|p| {
            package
                .strip_prefix(p)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('@'))
        })
    })?;
    Some((host, words.get(at + 1..).unwrap_or_default()))
}

type Wrong<'w> = (&'w Word, bool, &'static str);

/// The value of an option, attached or the next word: the word that holds it, and the value.
fn values<'w>(
    words: &'w [Word],
    names: &'static [&'static str],
) -> impl Iterator<Item = (&'w Word, &'w str)> {
    words.iter().enumerate().filter_map(move |(at, word)| {
        let text = word.text.as_str();
        if names.contains(&text) {
            return words.get(at + 1).map(|w| (w, w.text.as_str()));
        }
        let (name, value) = text.split_once('=')?;
        names.contains(&name).then_some((word, value))
    })
}

fn claude(words: &[Word]) -> Option<Wrong<'_>> {
    for (word, value) in values(words, &["--settings"]) {
        let bare: String = value.chars().filter(|c| !c.is_whitespace()).collect();
        if bare.contains("\"disableAllHooks\":true") {
            return Some((word, true, "these settings switch all hooks off"));
        }
        // Settings that are written out are read; a file's are not.
        if word.known().is_none() || !bare.starts_with('{') || bare.contains("disableAllHooks") {
            return Some((word, false, "these settings may switch hooks off"));
        }
    }
    for (word, value) in values(words, &["--setting-sources"]) {
        if !value.split(',').any(|source| source.trim() == "user") {
            let surely = word.known().is_some();
            return Some((
                word,
                surely,
                "it leaves out the hooks of the user's settings",
            ));
        }
    }
    None
}

fn codex(words: &[Word]) -> Option<Wrong<'_>> {
    for (word, value) in values(words, &["-c", "--config"]) {
        let (key, value) = value.split_once('=').unwrap_or((value, ""));
        let key = key.trim().trim_matches('"');
        let off = matches!(value.trim().trim_matches('"'), "false" | "0" | "off");
        match key {
            "features.hooks" | "features.codex_hooks" if off => {
                return Some((word, true, "it switches the feature off that runs hooks"));
            }
            "features.hooks" | "features.codex_hooks" if word.known().is_none() => {
                return Some((word, false, "it may switch the feature off that runs hooks"));
            }
            "hooks" | "features" => {
                return Some((word, false, "it may replace the hooks that call leaseguard"));
            }
            _ if key.starts_with("hooks.") => {
                return Some((word, false, "it may replace the hooks that call leaseguard"));
            }
            _ => {}
        }
    }
    let hooks = |v: &str| matches!(v, "hooks" | "codex_hooks");
    values(words, &["--disable"])
        .find(|(_, value)| hooks(value))
        .map(|(word, _)| (word, true, "it switches the feature off that runs hooks"))
}

/// `codex features disable hooks`, `claude plugin disable leaseguard`, `gemini hooks disable-all`.
fn verbs(words: &[Word]) -> Option<Wrong<'_>> {
    let mut verbs = words.iter().filter(|w| !w.text.starts_with('-'));
    let area = verbs.next()?.known()?;
    if !matches!(
        area,
        "features" | "hooks" | "plugin" | "plugins" | "extensions"
    ) {
        return None;
    }
    let verb = verbs.next()?;
    let what = verbs.next();
    let puts_off = matches!(
        verb.known()?,
        "disable" | "disable-all" | "uninstall" | "remove" | "rm"
    );
    let ours = area == "hooks"
        || what.is_some_and(|w| {
            let name = basename(&w.text);
            name.contains("leaseguard") || name == "hooks" || name == "codex_hooks"
        });
    (puts_off && ours).then_some((verb, true, "it switches the hooks off that call leaseguard"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::action::testing::command;

    fn told(text: &str) -> Option<bool> {
        let command = command(text);
        let base = command.words.first().map_or("", |w| basename(&w.text));
        match read(base, &command) {
            Some(Act::AgentHost(start)) => Some(start.surely),
            _ => None,
        }
    }

    #[test]
    fn starts_without_hooks_are_told_from_plain_ones() {
        for text in [
            "claude --bare -p hi",
            "claude --setting-sources project -p hi",
            "claude --setting-sources= -p hi",
            "claude --settings '{\"disableAllHooks\": true}' -p hi",
            "npx -y @anthropic-ai/claude-code@latest --safe-mode",
            "codex -c features.hooks=false exec hi",
            "codex exec --disable hooks hi",
            "codex features disable hooks",
            "claude plugin disable leaseguard",
            "opencode --pure run hi",
        ] {
            assert_eq!(told(text), Some(true), "{text}");
        }
        for text in [
            "claude --settings x.json -p hi",
            "codex --dangerously-bypass-hook-trust exec hi",
            "gemini --skip-trust -p hi",
        ] {
            assert_eq!(told(text), Some(false), "{text}");
        }
        for text in [
            "claude -p hi",
            "claude -p 'what does --bare do'",
            "claude -p -- --bare",
            "claude --setting-sources user,project -p hi",
            "claude --settings '{\"model\":\"x\"}' -p hi",
            "codex exec hi",
            "codex -c model=x exec hi",
            "codex features list",
            "claude plugin list",
            "echo --bare",
        ] {
            assert_eq!(told(text), None, "{text}");
        }
    }
}
