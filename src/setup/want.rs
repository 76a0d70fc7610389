//! What has to stand in a host's settings for this program: its snippet with the path filled in.

use super::json::{self, Taste};
use super::node::Node;
use crate::host::setup::{PLACEHOLDER, Setup};

/// Whether `text` is the snippet for whatever program.
pub(super) fn is_of(setup: &Setup, text: &str) -> bool {
    let mut pieces = setup.snippet.split(PLACEHOLDER);
    let Some(mut rest) = text.strip_prefix(pieces.next().unwrap_or_default()) else {
        return false;
    };
    for piece in pieces {
        let Some((program, after)) = rest.split_once(piece).filter(|_| !piece.is_empty()) else {
            return false;
        };
        if program.contains('\n') {
            return false;
        }
        rest = after;
    }
    rest.is_empty()
}

/// The snippet as a tree.
pub(super) struct Want {
    root: Node,
}

impl Want {
    /// Reads the filled snippet; `Err` where it is no object with `hooks`.
    pub(super) fn of(setup: &Setup, path: &str) -> Result<Want, String> {
        let text = setup.filled(path);
        let strict = Taste {
            comments: false,
            trailing_commas: false,
        };
        let root = json::read(&text, strict)?.map(|json| json.root);
        root.filter(|root| root.get("hooks").is_some_and(Node::is_object))
            .map(|root| Want { root })
            .ok_or_else(|| format!("the built-in entry of {} has no `hooks`", setup.title))
    }

    /// The object of events.
    pub(super) fn hooks(&self) -> Option<&Node> {
        self.root.get("hooks")
    }

    /// Each event with its entries.
    pub(super) fn events(&self) -> impl Iterator<Item = (&str, &[Node])> {
        let hooks = self.hooks().map(Node::members).unwrap_or_default();
        hooks.iter().map(|m| (m.key.as_str(), m.value.elements()))
    }

    /// What stands beside `hooks`.
    pub(super) fn others(&self) -> impl Iterator<Item = (&str, &Node)> {
        let all = self.root.members().iter();
        all.filter(|m| m.key != "hooks")
            .map(|m| (m.key.as_str(), &m.value))
    }

    /// Whether the commands stand in a list of their own inside each entry.
    pub(super) fn nested(&self) -> bool {
        self.events()
            .flat_map(|(_, groups)| groups)
            .any(|group| group.get("hooks").is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::is_of;
    use crate::host::ALL;
    use crate::host::setup::{Form, Owner};

    #[test]
    fn an_odd_path_survives_json_and_shell() {
        let path = "/a b/it's \"x\"\\leaseguard";
        for setup in ALL.iter().filter_map(|host| host.setup.as_ref()) {
            let text = setup.filled(path);
            assert!(is_of(setup, &text), "{}", setup.title);
            if setup.form == Form::Module || setup.owner == Owner::Ours {
                continue;
            }
            let json: serde_json::Value = serde_json::from_str(&text).expect("JSON");
            let events = json["hooks"].as_object().expect("hooks");
            let entry = &events.values().next().expect("an event")[0];
            let handler = entry.get("hooks").map_or(entry, |hooks| &hooks[0]);
            let command = handler["command"].as_str().expect("a command");
            let quoted = "'/a b/it'\\''s \"x\"\\leaseguard' hook";
            match setup.form {
                Form::Exec => assert_eq!(command, path),
                _ => assert!(command.starts_with(quoted), "{command}"),
            }
        }
    }
}
