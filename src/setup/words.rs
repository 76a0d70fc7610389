//! Whose a hook entry is: ours is what starts a program named `leaseguard` with the word `hook`.

use super::node::Node;

/// Keys under which hosts keep a command line.
pub(super) const COMMANDS: &[&str] = &["command", "bash", "powershell", "commandWindows"];

/// The words of a command line, by the quoting that all shells share.
pub fn split(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        match (c, quote) {
            (c, Some(q)) if c == q => quote = None,
            ('\\', None) => word.get_or_insert_default().extend(chars.next()),
            ('\\', Some('"')) => {
                let next = chars.next();
                let word = word.get_or_insert_default();
                if !next.is_some_and(|n| "\"\\$`".contains(n)) {
                    word.push('\\');
                }
                word.extend(next);
            }
            ('\'' | '"', None) => {
                word.get_or_insert_default();
                quote = Some(c);
            }
            (c, None) if c.is_whitespace() => words.extend(word.take()),
            (c, _) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

/// The words that a handler starts, by the first key that holds a command.
pub(super) fn argv(handler: &Node) -> Option<Vec<String>> {
    COMMANDS.iter().find_map(|key| argv_under(handler, key))
}

fn argv_under(handler: &Node, key: &str) -> Option<Vec<String>> {
    let line = handler.get(key)?.text()?;
    let Some(args) = handler.get("args").filter(|args| args.is_array()) else {
        return Some(split(line));
    };
    let mut words = vec![line.to_owned()];
    words.extend(
        args.elements()
            .iter()
            .filter_map(Node::text)
            .map(str::to_owned),
    );
    Some(words)
}

/// Whether the handler starts this program's `hook`.
pub(super) fn is_ours(handler: &Node) -> bool {
    COMMANDS
        .iter()
        .filter_map(|key| argv_under(handler, key))
        .any(|words| ours(&words))
}

/// The words without the `&` by which PowerShell starts a quoted path.
pub(super) fn called(words: &[String]) -> &[String] {
    match words {
        [call, rest @ ..] if call == "&" => rest,
        words => words,
    }
}

fn ours(words: &[String]) -> bool {
    let [program, verb, ..] = called(words) else {
        return false;
    };
    let name = program.rsplit(['/', '\\']).next().unwrap_or_default();
    matches!(name, "leaseguard" | "leaseguard.exe") && verb == "hook"
}

#[cfg(test)]
mod tests {
    use super::{ours, split};

    #[test]
    fn a_line_falls_into_words_as_in_a_shell() {
        for (line, want) in [
            ("a  b\tc", vec!["a", "b", "c"]),
            (r"'a b'\''c' hook", vec!["a b'c", "hook"]),
            (
                r#""C:\x\leaseguard.exe" "a\"b" """#,
                vec![r"C:\x\leaseguard.exe", "a\"b", ""],
            ),
            ("", vec![]),
            ("'open", vec!["open"]),
        ] {
            assert_eq!(split(line), want, "{line}");
        }
    }

    #[test]
    fn ours_is_told_by_the_program_and_never_by_text() {
        for (line, want) in [
            ("leaseguard hook", true),
            ("/a/leaseguard hook --host codex || true", true),
            ("& 'C:\\b\\leaseguard.exe' hook", true),
            ("echo leaseguard hook", false),
            ("/a/leaseguard-old hook", false),
            ("leaseguard check hook", false),
            ("leaseguard", false),
            ("sh -c 'leaseguard hook'", false),
        ] {
            assert_eq!(ours(&split(line)), want, "{line}");
        }
    }
}
