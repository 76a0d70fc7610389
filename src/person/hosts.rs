//! The agent hosts that are known, by their programs and by what they put into the environment.

use super::chain::Process;
use std::ffi::OsString;

/// Claude Code, as the tables call it.
pub const CLAUDE: &str = "Claude Code";

/// Hosts that run one session at a time in a process: a new session id there is the same agent
/// (`/clear`, `/resume`). In all others one server may serve many.
const ONE_SESSION: &[&str] = &[CLAUDE, "Gemini CLI", "Qwen Code", "Kimi CLI", "Aider"];

/// Program names, each with the host that it is. Editors that people open terminals in are left out.
const PROGRAMS: &[(&str, &str)] = &[
    ("claude", "Claude Code"),
    ("claude-code", "Claude Code"),
    ("codex", "Codex"),
    ("codex-cli", "Codex"),
    ("cursor-agent", "Cursor"),
    ("gemini", "Gemini CLI"),
    ("gemini-cli", "Gemini CLI"),
    ("copilot", "GitHub Copilot CLI"),
    ("qwen", "Qwen Code"),
    ("qwen-code", "Qwen Code"),
    ("opencode", "OpenCode"),
    ("kimi", "Kimi CLI"),
    ("kimi-cli", "Kimi CLI"),
    ("grok", "Grok CLI"),
    ("agy", "Antigravity"),
    ("droid", "Factory Droid"),
    ("cline", "Cline"),
    ("crush", "Crush"),
    ("goose", "Goose"),
    ("goosed", "Goose"),
    ("amp", "Amp"),
    ("aider", "Aider"),
    ("auggie", "Augment"),
    ("kiro-cli", "Kiro"),
    ("openhands", "OpenHands"),
    ("plandex", "Plandex"),
    ("pi", "Pi"),
];

/// Folders in the path of a script or executable that name a host, as whole runs of components.
const FOLDERS: &[(&str, &str)] = &[
    ("@anthropic-ai/claude-code", "Claude Code"),
    ("claude-code", "Claude Code"),
    ("claude/versions", "Claude Code"),
    ("@anthropic-ai/claude-agent-sdk", "Claude Code"),
    ("@openai/codex", "Codex"),
    ("cursor-agent", "Cursor"),
    ("@google/gemini-cli", "Gemini CLI"),
    ("gemini-cli", "Gemini CLI"),
    ("@github/copilot", "GitHub Copilot CLI"),
    ("@qwen-code/qwen-code", "Qwen Code"),
    ("qwen-code", "Qwen Code"),
    ("opencode-ai", "OpenCode"),
    ("@moonshot-ai", "Kimi CLI"),
    ("kimi_cli", "Kimi CLI"),
    ("@sourcegraph/amp", "Amp"),
    ("@mariozechner/pi-coding-agent", "Pi"),
    ("pi-coding-agent", "Pi"),
    ("@augmentcode/auggie", "Augment"),
    ("@vibe-kit/grok-cli", "Grok CLI"),
    ("@charmland/crush", "Crush"),
    ("openhands", "OpenHands"),
];

/// Programs that run another one from a file: the first argument that is no option names it.
const INTERPRETERS: &[&str] = &[
    "node", "nodejs", "bun", "deno", "tsx", "python", "python3", "uv", "npx", "bunx",
];

/// Options of those that take the next argument.
const TAKERS: &[&str] = &[
    "-r",
    "--require",
    "--import",
    "--loader",
    "--experimental-loader",
    "-C",
    "--conditions",
    "-W",
    "-X",
    "--env-file",
    "--config",
];

/// Options of those that hold the program themselves: what follows is data.
const INLINE: &[&str] = &["-c", "-e", "--eval", "-p", "--print", "eval"];

/// Platforms that a build's name ends with: `codex-x86_64-unknown-linux-musl`, `claude-linux-x64`.
const PLATFORMS: &[&str] = &[
    "x86_64",
    "aarch64",
    "linux",
    "darwin",
    "win32",
    "windows",
    "macos",
    "x64",
    "arm64",
    "universal",
];

/// Variables that a host sets for what it starts. Settings that people put into their profiles
/// (`CODEX_HOME`, API keys) are none.
const MARKS: &[(&str, &str)] = &[
    ("CLAUDECODE", "Claude Code"),
    ("CLAUDE_CODE_SESSION_ID", "Claude Code"),
    ("CLAUDE_CODE_ENTRYPOINT", "Claude Code"),
    ("CLAUDE_CODE_CHILD_SESSION", "Claude Code"),
    ("CLAUDE_PID", "Claude Code"),
    ("AI_AGENT", "an agent host"),
    ("CODEX_THREAD_ID", "Codex"),
    ("CODEX_SESSION_ID", "Codex"),
    ("CODEX_CI", "Codex"),
    ("CODEX_SANDBOX", "Codex"),
    ("CODEX_SANDBOX_NETWORK_DISABLED", "Codex"),
    ("COPILOT_CLI", "GitHub Copilot CLI"),
    ("COPILOT_AGENT", "GitHub Copilot CLI"),
    ("GEMINI_CLI", "Gemini CLI"),
    ("GEMINI_SESSION_ID", "Gemini CLI"),
    ("QWEN_CODE", "Qwen Code"),
    ("CURSOR_AGENT", "Cursor"),
    ("OPENCODE", "OpenCode"),
    ("OPENCODE_CLIENT", "OpenCode"),
    ("OPENCODE_SESSION_ID", "OpenCode"),
    ("AUGMENT_AGENT", "Augment"),
    ("CLINE_ACTIVE", "Cline"),
    ("CRUSH", "Crush"),
    ("GOOSE_TERMINAL", "Goose"),
    ("FACTORY_PROJECT_DIR", "Factory Droid"),
];

/// The host that `process` is, if it is one. Text that a program merely got as an argument, such as
/// the script after `sh -c`, says nothing.
pub fn of(process: &Process) -> Option<&'static str> {
    let first = process.args.first().map(String::as_str).unwrap_or_default();
    let names = [process.executable.as_str(), first, process.program.as_str()];
    let named = names.iter().find_map(|name| by_program(base(name)));
    named
        .or_else(|| by_folder(&process.executable))
        .or_else(|| by_script(process))
}

/// Whether `host` runs one session at a time in a process.
pub fn one_session(host: &str) -> bool {
    ONE_SESSION.contains(&host)
}

/// The first mark in an environment, in the order of the table: variable and host.
pub fn mark(env: Vec<(OsString, OsString)>) -> Option<(String, &'static str)> {
    let set = |name: &str| {
        env.iter()
            .find(|(n, v)| n == name && !v.is_empty() && v != "0" && v != "false")
    };
    if let Some((name, host)) = MARKS.iter().find(|(name, _)| set(name).is_some()) {
        return Some(((*name).to_owned(), host));
    }
    // Many programs use this name; only a host's own name in it says something.
    let (_, agent) = set("AGENT")?;
    by_program(agent.to_str()?).map(|host| ("AGENT".to_owned(), host))
}

fn by_program(name: &str) -> Option<&'static str> {
    let lower = name.to_ascii_lowercase();
    let exact = |name: &str| {
        PROGRAMS
            .iter()
            .find(|(n, _)| *n == name)
            .map(|(_, host)| *host)
    };
    exact(&lower).or_else(|| {
        let (stem, platform) = lower.split_once('-')?;
        let built = PLATFORMS.iter().any(|p| platform.starts_with(p));
        exact(stem).filter(|_| built)
    })
}

/// The last component, without what a system or a bundler appends.
fn base(path: &str) -> &str {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    // A login shell is started as `-bash`.
    let name = name.strip_prefix('-').unwrap_or(name);
    let endings = [".exe", ".js", ".mjs", ".cjs", ".ts", ".py", ".cmd"];
    endings
        .iter()
        .find_map(|end| name.strip_suffix(end))
        .unwrap_or(name)
}

fn by_folder(path: &str) -> Option<&'static str> {
    let path = path.replace('\\', "/");
    let holds = |folder: &str| {
        path.match_indices(folder).any(|(at, _)| {
            let before = path
                .get(..at)
                .is_some_and(|p| p.is_empty() || p.ends_with('/'));
            let after = path
                .get(at + folder.len()..)
                .is_some_and(|p| p.starts_with(['/', '@']));
            before && after
        })
    };
    FOLDERS
        .iter()
        .find(|(folder, _)| holds(folder))
        .map(|(_, host)| *host)
}

fn by_script(process: &Process) -> Option<&'static str> {
    let runs = |name: &str| {
        let name = base(name)
            .trim_end_matches(|c: char| c.is_ascii_digit() || c == '.')
            .to_ascii_lowercase();
        INTERPRETERS.contains(&name.as_str()) || name == "python"
    };
    let first = process.args.first().map(String::as_str).unwrap_or_default();
    if !runs(&process.executable) && !runs(first) {
        return None;
    }
    let mut args = process.args.iter().skip(1).map(String::as_str);
    while let Some(arg) = args.next() {
        if arg == "-m" {
            let module = args.next()?;
            let top = module.split('.').next().unwrap_or(module);
            return by_program(&top.replace('_', "-"));
        }
        if INLINE.contains(&arg) {
            return None;
        }
        if TAKERS.contains(&arg) {
            args.next();
        } else if !arg.starts_with('-') && !matches!(arg, "run" | "tool" | "x" | "exec") {
            return by_program(base(arg)).or_else(|| by_folder(arg));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn process(executable: &str, program: &str, args: &[&str]) -> Process {
        Process {
            executable: executable.to_owned(),
            program: program.to_owned(),
            args: args.iter().map(|a| (*a).to_owned()).collect(),
            ..Process::default()
        }
    }

    #[test]
    fn hosts_are_known_by_executable_by_name_and_by_the_script_of_their_interpreter() {
        for (executable, program, args, host) in [
            (
                "/home/u/.local/bin/claude",
                "claude",
                &["claude"][..],
                "Claude Code",
            ),
            (
                "/home/u/.local/share/claude/versions/2.1.332",
                "2.1.332",
                &["2.1.332"],
                "Claude Code",
            ),
            (
                "/usr/bin/node",
                "node",
                &[
                    "node",
                    "/usr/lib/node_modules/@anthropic-ai/claude-code/cli.js",
                    "-p",
                ],
                "Claude Code",
            ),
            (
                "/usr/bin/node",
                "node-MainThread",
                &["node", "--max-old-space-size=8", "/usr/local/bin/claude"],
                "Claude Code",
            ),
            (
                "/usr/bin/node",
                "node",
                &["/usr/bin/node", "-r", "x", "/a/@openai/codex/bin/codex.js"],
                "Codex",
            ),
            (
                "/x/codex-x86_64-unknown-linux-musl",
                "codex",
                &["codex"],
                "Codex",
            ),
            (
                "/x/copilot-linux-x64",
                "MainThread",
                &[""],
                "GitHub Copilot CLI",
            ),
            (
                "/x/node_modules/opencode-ai/bin/.opencode",
                ".opencode",
                &["x"],
                "OpenCode",
            ),
            (
                "/usr/bin/python3.11",
                "python3.11",
                &["python3", "-m", "aider", "x"],
                "Aider",
            ),
            (
                "/usr/bin/python3.11",
                "kimi",
                &["/usr/bin/python3.11", "/home/u/.local/bin/kimi"],
                "Kimi CLI",
            ),
            (
                "/usr/bin/bun",
                "bun",
                &["bun", "run", "/x/gemini.js"],
                "Gemini CLI",
            ),
            (
                "/x/pnpm/@google/gemini-cli@1.2/bin",
                "x",
                &["x"],
                "Gemini CLI",
            ),
            (
                "C:\\Users\\u\\claude.exe",
                "",
                &["claude.exe"],
                "Claude Code",
            ),
            (
                "/home/u/.local/share/cursor-agent/versions/1/node",
                "node",
                &["/x/node", "/y/index.js"],
                "Cursor",
            ),
        ] {
            assert_eq!(
                of(&process(executable, program, args)),
                Some(host),
                "{executable} {args:?}"
            );
        }
    }

    #[test]
    fn mere_arguments_people_and_their_tools_are_no_hosts() {
        for (executable, program, args) in [
            ("/bin/bash", "bash", &["bash", "-c", "claude -p x"][..]),
            ("/usr/bin/vim", "vim", &["vim", "/src/claude-code/x.rs"]),
            ("/usr/bin/node", "node", &["node", "-e", "/usr/bin/claude"]),
            ("/usr/bin/node", "node", &["node", "server.js", "claude"]),
            ("/usr/bin/python3", "python3", &["python3", "-c", "claude"]),
            (
                "/usr/bin/python3",
                "python3",
                &["python3", "-m", "pytest", "claude"],
            ),
            (
                "/usr/bin/tmux",
                "tmux: server",
                &["tmux", "new", "-s", "codex"],
            ),
            ("/usr/share/code/code", "code", &["code"]),
            ("/x/claude-squad", "claude-squad", &["claude-squad"]),
            ("/home/u/my-claude-code/target/debug/app", "app", &["app"]),
            ("/home/claude/bin/zsh", "zsh", &["-zsh"]),
            ("", "", &[]),
        ] {
            assert_eq!(
                of(&process(executable, program, args)),
                None,
                "{executable} {args:?}"
            );
        }
    }

    #[test]
    fn marks_are_what_hosts_set_and_not_what_people_configure() {
        let env = |pairs: &[(&str, &str)]| {
            mark(pairs.iter().map(|(n, v)| (n.into(), v.into())).collect()).map(|(name, _)| name)
        };
        assert_eq!(
            env(&[("PATH", "/bin"), ("CLAUDECODE", "1")]).as_deref(),
            Some("CLAUDECODE")
        );
        assert_eq!(
            env(&[("CODEX_SANDBOX", "seatbelt")]).as_deref(),
            Some("CODEX_SANDBOX")
        );
        assert_eq!(env(&[("AGENT", "amp")]).as_deref(), Some("AGENT"));
        assert_eq!(
            env(&[
                ("AGENT", "jenkins"),
                ("CODEX_HOME", "/x"),
                ("GEMINI_API_KEY", "x"),
                ("CLAUDECODE", "")
            ]),
            None
        );
    }
}
