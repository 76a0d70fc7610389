//! The fixture language of the rules: `[[scene]]` = a repository and what the rule says in it.

use super::Stage;
use super::setup::Setup;
use leaseguard::verdict::{Decision, Verdict};
use serde::Deserialize;
use std::path::PathBuf;

/// A case that is known to be answered wrongly.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Gap {
    /// The command.
    pub(crate) command: String,
    /// `deny`, `ask` or `allow`.
    pub(crate) want: String,
    /// Why it is not so yet.
    pub(crate) reason: String,
}

/// The wording of one case.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Says {
    /// The command.
    pub(crate) command: String,
    /// The effect, and on a second line the alternative.
    pub(crate) text: String,
}

/// What a fixture file says besides the setup.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Words {
    /// For reports.
    pub(crate) name: String,
    /// The host keeps a shell open whose typed lines no hook sees.
    pub(crate) unseen_typing: bool,
    /// Denied by this rule.
    pub(crate) deny: Vec<String>,
    /// Asked by this rule.
    pub(crate) ask: Vec<String>,
    /// No rule says anything.
    pub(crate) allow: Vec<String>,
    /// Known to be answered wrongly.
    pub(crate) gap: Vec<Gap>,
    /// Pinned wording.
    pub(crate) says: Option<Says>,
}

const WORDS: &[&str] = &[
    "name",
    "unseen_typing",
    "deny",
    "ask",
    "allow",
    "gap",
    "says",
];

/// One repository with its cases.
#[derive(Debug, Clone)]
pub(crate) struct Scene {
    /// The repository.
    pub(crate) setup: Setup,
    /// The cases.
    pub(crate) words: Words,
}

/// The fixture of one rule.
#[derive(Debug, Clone)]
pub(crate) struct Fixture {
    /// `git/force-push`.
    pub(crate) rule: String,
    /// The file.
    pub(crate) path: PathBuf,
    /// The denied commands read the call's own input.
    pub(crate) terminal: bool,
    /// Rules that may ask instead of this one.
    pub(crate) or: Vec<String>,
    /// The repositories.
    pub(crate) scenes: Vec<Scene>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    rule: String,
    #[serde(default)]
    terminal: bool,
    #[serde(default)]
    or: Vec<String>,
    scene: Vec<toml::Table>,
}

/// The fixture file that belongs to a rule: `git/force-push` -> `force_push.toml`,
/// `forge/merge` -> `forge_merge.toml`.
pub(crate) fn file_name(rule: &str) -> String {
    let name = ["git/", "shell/", "ci/"]
        .iter()
        .find_map(|group| rule.strip_prefix(group))
        .unwrap_or(rule);
    format!("{}.toml", name.replace(['-', '/'], "_"))
}

/// Reads one fixture.
pub(crate) fn parse(path: PathBuf, text: &str) -> Result<Fixture, String> {
    let file: File = toml::from_str(text).map_err(|e| format!("{}: {e}", path.display()))?;
    let mut scenes = Vec::new();
    for (i, mut table) in file.scene.into_iter().enumerate() {
        let mut words = toml::Table::new();
        for key in WORDS {
            if let Some(value) = table.remove(*key) {
                words.insert((*key).to_owned(), value);
            }
        }
        let at = |e: toml::de::Error| format!("{}: scene {}: {e}", path.display(), i + 1);
        scenes.push(Scene {
            setup: table.try_into().map_err(at)?,
            words: words.try_into().map_err(at)?,
        });
    }
    Ok(Fixture {
        rule: file.rule,
        path,
        terminal: file.terminal,
        or: file.or,
        scenes,
    })
}

/// All fixtures, by rule id.
pub(crate) fn load() -> Vec<Fixture> {
    let dir = super::root().join("fixtures/rules");
    let mut all: Vec<Fixture> = std::fs::read_dir(&dir)
        .expect("fixtures/rules")
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|e| e == "toml"))
        .map(|path| {
            let text = std::fs::read_to_string(&path).expect("a fixture");
            parse(path, &text).unwrap_or_else(|e| panic!("{e}"))
        })
        .collect();
    all.sort_by(|a, b| a.rule.cmp(&b.rule));
    all
}

/// One command in one scene with the answer it should get.
#[derive(Debug, Clone)]
pub(crate) struct Case<'a> {
    /// Its file.
    pub(crate) fixture: &'a Fixture,
    /// Its repository.
    pub(crate) scene: &'a Scene,
    /// The command.
    pub(crate) command: &'a str,
    /// The answer.
    pub(crate) want: Decision,
}

impl Case<'_> {
    /// The repository, built.
    pub(crate) fn stage(&self) -> Stage {
        Stage {
            unseen_typing: self.scene.words.unseen_typing,
            ..Stage::of(&self.scene.setup)
        }
    }

    /// A copy of the repository that may hold files of templates.
    pub(crate) fn stage_apart(&self) -> Stage {
        Stage {
            repo: super::repo::apart(&self.scene.setup),
            unseen_typing: self.scene.words.unseen_typing,
        }
    }

    /// Whether the verdict is the right one, given by the right rule.
    pub(crate) fn right(&self, verdict: &Verdict) -> bool {
        super::says(verdict, &self.fixture.rule, self.want)
            || self.want == Decision::Ask
                && self
                    .fixture
                    .or
                    .iter()
                    .any(|rule| super::says(verdict, rule, self.want))
    }

    /// For reports: the scene and the command.
    pub(crate) fn line(&self, verdict: &Verdict) -> String {
        self.line_of(self.command, verdict)
    }

    /// The same for a text that carries the command.
    pub(crate) fn line_of(&self, text: &str, verdict: &Verdict) -> String {
        let name = match self.scene.words.name.as_str() {
            "" => String::new(),
            name => format!("({name}) "),
        };
        format!(
            "{name}want {} got {}: {}",
            self.want,
            super::told(verdict),
            super::brief(text)
        )
    }
}

/// All cases with the answer `want`.
pub(crate) fn cases(fixtures: &[Fixture], want: Decision) -> Vec<Case<'_>> {
    let mut out = Vec::new();
    for fixture in fixtures {
        for scene in &fixture.scenes {
            let list = match want {
                Decision::Deny => &scene.words.deny,
                Decision::Ask => &scene.words.ask,
                Decision::Allow => &scene.words.allow,
            };
            out.extend(list.iter().map(|command| Case {
                fixture,
                scene,
                command,
                want,
            }));
        }
    }
    out
}
