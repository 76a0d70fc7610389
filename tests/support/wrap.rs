//! Templates that carry a command: wrappers that run it, and data that only quotes it.

use super::repo::{Repo, put, runnable};
use super::text::{Shape, double, shape, single};
use serde::Deserialize;

/// Which texts a template can carry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Needs {
    /// Any shell text.
    #[default]
    Any,
    /// One line that can be followed by `;`.
    Line,
    /// A simple command, assignments in front allowed.
    Simple,
    /// The same, of a program on disk.
    Program,
    /// The same without assignments.
    Argv,
    /// The same, starting with `git`.
    Git,
    /// The same as `argv`, and no word needs quoting.
    Bare,
    /// Both.
    #[serde(rename = "git bare")]
    GitBare,
}

/// What a template wants at least of a denied command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Least {
    /// It stays denied, by the same rule.
    #[default]
    Deny,
    /// A person has to be asked at least.
    Ask,
}

/// A file that lies in the call's directory while the text is judged.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Extra {
    /// Its name.
    pub(crate) path: String,
    /// Its content, a template itself.
    pub(crate) text: String,
    /// It may be run.
    #[serde(default)]
    pub(crate) exec: bool,
}

/// One template.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Template {
    /// For reports.
    pub(crate) name: String,
    /// The text with `{raw}`, `{sq}`, `{dq}`, `{rest}`, `{commas}` or `{cont}` in it.
    pub(crate) text: String,
    /// What it can carry.
    #[serde(default)]
    pub(crate) needs: Needs,
    /// The command must not hold `$`, backquotes, backslashes or double quotes.
    #[serde(default)]
    pub(crate) plain: bool,
    /// False where the command gets another standard input than the call's.
    #[serde(default = "yes")]
    pub(crate) stdin: bool,
    /// It means what it says only where it is not part of anything else.
    #[serde(default)]
    pub(crate) outermost: bool,
    /// Allowed commands must stay allowed in it.
    #[serde(default)]
    pub(crate) harmless: bool,
    /// What is wanted of a denied command.
    #[serde(default)]
    pub(crate) least: Least,
    /// Another template: it is enough to be as strict as the answer to that one.
    #[serde(default)]
    pub(crate) like: Option<String>,
    /// It runs from the top of the repository, so the call must start there.
    #[serde(default)]
    pub(crate) top: bool,
    /// Why less than a denial is enough.
    #[serde(default)]
    pub(crate) why: Option<String>,
    /// It is known to fail, and why.
    #[serde(default)]
    pub(crate) gap: Option<String>,
    /// A file that it needs.
    #[serde(default)]
    pub(crate) file: Option<Extra>,
}

fn yes() -> bool {
    true
}

/// All templates.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Templates {
    /// They run what they carry.
    pub(crate) wrap: Vec<Template>,
    /// They only quote it.
    pub(crate) data: Vec<Template>,
}

/// Reads `fixtures/wrappers.toml`.
pub(crate) fn load() -> Templates {
    let path = super::root().join("fixtures/wrappers.toml");
    let text = std::fs::read_to_string(&path).expect("fixtures/wrappers.toml");
    let all: Templates =
        toml::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    for t in &all.wrap {
        assert!(
            t.least == Least::Deny && t.like.is_none() || t.why.is_some(),
            "wrapper `{}` wants less than a denial and says no `why`",
            t.name
        );
    }
    all
}

impl Template {
    /// Whether it can carry a text of this shape.
    pub(crate) fn takes(&self, shape: &Shape) -> bool {
        let fits = match self.needs {
            Needs::Any => true,
            Needs::Line => shape.line,
            Needs::Simple => shape.simple,
            Needs::Program => shape.program,
            Needs::Argv => shape.argv,
            Needs::Git => shape.git,
            Needs::Bare => shape.bare,
            Needs::GitBare => shape.git && shape.bare,
        };
        fits && (!self.plain || shape.plain)
    }

    /// Whether what it changes does not matter to this case.
    pub(crate) fn fits(&self, case: &super::rules::Case) -> bool {
        (self.stdin || !case.fixture.terminal) && (!self.top || case.scene.setup.cwd.is_none())
    }

    /// The texts that carry `command`; more than one where a template stands for many places.
    pub(crate) fn texts(&self, command: &str) -> Vec<String> {
        let shape = shape(command);
        // A heredoc that ends early would carry something else.
        let ends_early = self.text.contains("EOF") && command.contains("EOF");
        let no_list = self.text.contains("{commas}") && !command.contains(' ');
        if !self.takes(&shape) || ends_early || no_list {
            return Vec::new();
        }
        if !self.text.contains("{cont}") {
            return vec![fill(&self.text, command)];
        }
        shape
            .gaps
            .iter()
            .map(|&(start, end)| {
                let (left, right) = (&command[..start], &command[end..]);
                let broken = format!("{left} \\\n        {right}");
                self.text.replace("{cont}", &broken)
            })
            .collect()
    }

    /// Puts its file in place, with the command in it.
    pub(crate) fn place(&self, repo: &Repo, command: &str) {
        let Some(file) = &self.file else { return };
        let path = repo.cwd.join(&file.path);
        put(&path, &fill(&file.text, command));
        if file.exec {
            runnable(&path);
        }
    }

    /// Takes its file away.
    pub(crate) fn clear(&self, repo: &Repo) {
        if let Some(file) = &self.file {
            let _ = std::fs::remove_file(repo.cwd.join(&file.path));
        }
    }
}

/// Fills the places of a template.
pub(crate) fn fill(template: &str, command: &str) -> String {
    let rest = command.strip_prefix("git ").unwrap_or(command);
    let mut out = String::with_capacity(template.len() + command.len());
    let mut left = template;
    // One pass, so that braces in the command itself are never taken for places.
    while let Some(at) = left.find('{') {
        let (before, tail) = left.split_at(at);
        out.push_str(before);
        let filled = [
            ("{raw}", command.to_owned()),
            ("{sq}", single(command)),
            ("{dq}", double(command)),
            ("{commas}", command.replace(' ', ",")),
            ("{rest}", rest.to_owned()),
        ]
        .into_iter()
        .find_map(|(place, text)| tail.strip_prefix(place).map(|t| (text, t)));
        match filled {
            Some((text, tail)) => {
                out.push_str(&text);
                left = tail;
            }
            None => {
                out.push('{');
                left = &tail[1..];
            }
        }
    }
    out + left
}
