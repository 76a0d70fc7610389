//! The tools that a host names itself, as what they do; any other tool as what its input carries.

use super::carried::Carried;
use super::{Field, argv};
use crate::call::{Call, Dialect, What};
use crate::verdict::Fault;
use serde::Deserialize;
use std::borrow::Cow;
use std::path::PathBuf;

/// What a tool does with its input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Deed {
    /// Runs `command` in a shell.
    Shell(Dialect),
    /// Types `input` into a shell that is already open.
    Types(Dialect),
    /// Writes the file that it names.
    File,
    /// Writes the files that its patch names.
    Patch,
}

/// The names of one host's tools.
pub(super) type Table = &'static [(&'static str, Deed)];

/// The spellings of what known tools take. What they write is not kept.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Args<'a> {
    #[serde(borrow)]
    command: Field<'a>,
    input: Field<'a>,
    patch: Field<'a>,
    #[serde(rename = "patchText")]
    patch_text: Field<'a>,
    file_path: Field<'a>,
    #[serde(rename = "filePath")]
    file: Field<'a>,
    path: Field<'a>,
    target_file: Field<'a>,
    target_notebook: Field<'a>,
    notebook_path: Field<'a>,
    dir_path: Field<'a>,
    directory: Field<'a>,
    working_directory: Field<'a>,
    workdir: Field<'a>,
}

/// What a tool would do, and where.
#[derive(Debug, Default)]
pub(super) struct Deeds {
    pub(super) whats: Vec<What>,
    /// The directory that the tool itself names.
    pub(super) dir: Option<String>,
}

impl Deeds {
    /// An event that needs no decision.
    pub(super) fn event(name: &str) -> Deeds {
        let name = name.to_owned();
        Deeds {
            whats: vec![What::Event { name }],
            dir: None,
        }
    }

    /// What `tool` of `server` would do with `input`, which is JSON, or JSON in a JSON string.
    pub(super) fn of(
        table: Table,
        server: &str,
        tool: &str,
        input: Option<&[u8]>,
    ) -> Result<Deeds, Fault> {
        let input = inner(input.unwrap_or(b"{}"));
        let deed = table.iter().find(|(name, _)| *name == tool);
        let Some((_, deed)) = deed.filter(|_| server.is_empty()) else {
            let carried = Carried::read(&input)?;
            let dir = carried.dir.clone();
            return Ok(Deeds {
                whats: carried.deeds_of(server, tool, &input),
                dir,
            });
        };
        if *deed == Deed::Patch && !input.trim_ascii_start().starts_with(b"{") {
            return Ok(Deeds {
                whats: vec![patch(&String::from_utf8_lossy(&input))?],
                dir: None,
            });
        }
        let args: Args<'_> = serde_json::from_slice(&input).map_err(|_| unread(tool))?;
        let what = match deed {
            Deed::Shell(dialect) => shell(*dialect, "command", &args.command)?,
            Deed::Types(dialect) => shell(*dialect, "input", &args.input)?,
            Deed::File => args.files()?,
            Deed::Patch => args.patched()?,
        };
        Ok(Deeds {
            whats: vec![what],
            dir: args.dir()?,
        })
    }

    /// The deeds as calls of a session at `cwd`.
    pub(super) fn calls(self, who: Who<'_>, cwd: Option<PathBuf>) -> Vec<Call> {
        let cwd = match (cwd, self.dir) {
            (Some(base), Some(dir)) => Some(base.join(dir)),
            (base, dir) => dir.map(PathBuf::from).or(base),
        };
        let call = |what| Call {
            session: who.session.map(str::to_owned),
            agent: who.agent.map(str::to_owned),
            cwd: cwd.clone().filter(|dir| !dir.as_os_str().is_empty()),
            unseen_typing: false,
            what,
        };
        self.whats.into_iter().map(call).collect()
    }
}

/// Whose calls they are, in the host's own ids.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Who<'a> {
    pub(super) session: Option<&'a str>,
    pub(super) agent: Option<&'a str>,
}

impl Args<'_> {
    fn files(&self) -> Result<What, Fault> {
        let fields = [
            (&self.file_path, "file_path"),
            (&self.file, "filePath"),
            (&self.path, "path"),
            (&self.target_file, "target_file"),
            (&self.target_notebook, "target_notebook"),
            (&self.notebook_path, "notebook_path"),
        ];
        let mut paths = Vec::new();
        for (field, name) in fields {
            let path = field.strict(name)?.filter(|path| !path.is_empty());
            paths.extend(path.map(PathBuf::from));
        }
        if paths.is_empty() {
            return Err(Fault {
                code: "fault/no-path",
                what: "the host asks about a write that names no file".to_owned(),
            });
        }
        Ok(What::Write { paths })
    }

    fn patched(&self) -> Result<What, Fault> {
        let mut text = String::new();
        for (field, name) in [
            (&self.patch, "patch"),
            (&self.patch_text, "patchText"),
            (&self.input, "input"),
            (&self.command, "command"),
        ] {
            text.push_str(field.strict(name)?.unwrap_or_default());
            text.push('\n');
        }
        patch(&text)
    }

    fn dir(&self) -> Result<Option<String>, Fault> {
        for (field, name) in [
            (&self.dir_path, "dir_path"),
            (&self.directory, "directory"),
            (&self.working_directory, "working_directory"),
            (&self.workdir, "workdir"),
        ] {
            if let Some(dir) = field.strict(name)?.filter(|dir| !dir.is_empty()) {
                return Ok(Some(dir.to_owned()));
            }
        }
        Ok(None)
    }
}

/// The text inside a JSON string, or the JSON itself.
fn inner(json: &[u8]) -> Cow<'_, [u8]> {
    let quoted = json.trim_ascii_start().starts_with(b"\"");
    match serde_json::from_slice::<Field<'_>>(json) {
        Ok(Field::Text(text)) if quoted => Cow::Owned(text.into_owned().into_bytes()),
        _ => Cow::Borrowed(json),
    }
}

fn unread(tool: &str) -> Fault {
    Fault {
        code: "fault/bad-json",
        what: format!("the input of `{tool}` is no JSON object that we understand"),
    }
}

/// Shell text in a field called `name`.
pub(super) fn shell(dialect: Dialect, name: &str, command: &Field<'_>) -> Result<What, Fault> {
    let text = match command {
        Field::Text(text) => text.clone().into_owned(),
        Field::List(words) => argv::as_shell(words),
        Field::Missing => {
            return Err(Fault {
                code: "fault/no-command",
                what: "the host asks about a shell call that has no command".to_owned(),
            });
        }
        Field::Other(what) => {
            return Err(Fault {
                code: "fault/wrong-type",
                what: format!("`{name}` is {what}, not text"),
            });
        }
    };
    Ok(What::Shell { dialect, text })
}

/// The files that a patch touches, named on the lines that head its parts.
pub(super) fn patch(text: &str) -> Result<What, Fault> {
    const HEADS: [&str; 4] = [
        "*** Add File: ",
        "*** Update File: ",
        "*** Delete File: ",
        "*** Move to: ",
    ];
    let paths: Vec<PathBuf> = text
        .lines()
        .map(str::trim)
        .filter_map(|line| HEADS.iter().find_map(|head| line.strip_prefix(head)))
        .map(PathBuf::from)
        .collect();
    if paths.is_empty() {
        return Err(Fault {
            code: "fault/no-path",
            what: "the host asks about a patch that names no file".to_owned(),
        });
    }
    Ok(What::Write { paths })
}
