//! What may be done to a piece of shell text without changing its meaning, told conservatively.

/// What a text is, as far as templates must know.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Shape {
    /// One line that can be followed by `;` or `|`.
    pub(crate) line: bool,
    /// One simple command without redirects, assignments in front allowed.
    pub(crate) simple: bool,
    /// The same, and its program is a file on disk.
    pub(crate) program: bool,
    /// The same without assignments.
    pub(crate) argv: bool,
    /// The same, and it starts with the word `git`.
    pub(crate) git: bool,
    /// Nothing in it is special inside double quotes, backquotes or an unquoted heredoc.
    pub(crate) plain: bool,
    /// Its words need no quoting at all.
    pub(crate) bare: bool,
    /// The unquoted blanks between the words of a simple command: start and end.
    pub(crate) gaps: Vec<(usize, usize)>,
}

/// Words that only a shell knows, so that no other program can run them.
const SHELL_WORDS: &[&str] = &[
    ".", ":", "!", "[", "[[", "alias", "builtin", "case", "cd", "command", "coproc", "declare",
    "eval", "exec", "exit", "export", "for", "function", "if", "popd", "pushd", "read", "readonly",
    "return", "select", "set", "shift", "source", "time", "trap", "typeset", "unalias", "unset",
    "until", "wait", "while", "{",
];

/// Words that are no command: they mean what they say only at the start of a pipeline.
const KEYWORDS: &[&str] = &[
    "!", "[[", "case", "coproc", "for", "function", "if", "select", "time", "until", "while", "{",
];

/// Looks at `text` once.
pub(crate) fn shape(text: &str) -> Shape {
    let mut gaps = Vec::new();
    let (mut simple, mut comment, mut heredoc) = (true, false, false);
    let (mut quote, mut escaped) = (None, false);
    let mut gap: Option<usize> = None;
    let mut word_start = true;
    let bytes = text.as_bytes();
    for (i, c) in text.char_indices() {
        if escaped {
            escaped = false;
            word_start = false;
            continue;
        }
        let next = bytes.get(i + 1).copied();
        match quote {
            Some('\'') => {
                if c == '\'' {
                    quote = None;
                }
                continue;
            }
            Some(_) => {
                match c {
                    '"' => quote = None,
                    '\\' => escaped = true,
                    '`' => simple = false,
                    '$' if next == Some(b'(') => simple = false,
                    _ => {}
                }
                continue;
            }
            None => {}
        }
        if c == ' ' || c == '\t' {
            gap.get_or_insert(i);
            word_start = true;
            continue;
        }
        gaps.extend(
            gap.take()
                .filter(|start| *start > 0)
                .map(|start| (start, i)),
        );
        match c {
            '\'' | '"' => quote = Some(c),
            '\\' => escaped = true,
            ';' | '|' | '&' | '<' | '>' | '(' | ')' | '\n' | '`' => simple = false,
            '#' if word_start => {
                simple = false;
                comment = true;
            }
            _ => {}
        }
        if c == '<' && next == Some(b'<') && bytes.get(i + 2) != Some(&b'<') {
            // The second and third `<` of a here-string are preceded by another one.
            heredoc |= i == 0 || bytes.get(i - 1) != Some(&b'<');
        }
        word_start = false;
    }
    simple &= quote.is_none() && !escaped && gap.is_none();
    let mut words = text.split([' ', '\t']).filter(|w| !w.is_empty());
    let first = words.clone().next().unwrap_or_default();
    let named = words.find(|w| !assigns(w)).unwrap_or_default();
    simple &= !KEYWORDS.contains(&first);
    let program = simple && !named.is_empty() && !SHELL_WORDS.contains(&named);
    let argv = program && !assigns(first);
    let line = !text.contains('\n')
        && !comment
        && !heredoc
        && !text.trim_end().ends_with(['&', ';', '\\']);
    Shape {
        line,
        simple,
        program,
        argv,
        git: argv && text.starts_with("git "),
        plain: !text.contains(['$', '`', '\\', '"']),
        bare: argv
            && text
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || " -_./:=+@".contains(c)),
        gaps: if simple { gaps } else { Vec::new() },
    }
}

/// Whether a word has the form `name=value`.
fn assigns(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    })
}

/// `text` as the inside of a single-quoted word.
pub(crate) fn single(text: &str) -> String {
    text.replace('\'', r"'\''")
}

/// `text` as the inside of a double-quoted word.
pub(crate) fn double(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '"' | '\\' | '$' | '`') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// A number that depends on nothing but `parts`: the same sample in every run.
pub(crate) fn dice(parts: &[&str]) -> u64 {
    let mut hash: u64 = 0x1ea5_e90a_2d00_2026;
    for part in parts {
        for byte in part.bytes().chain([0xff]) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
    hash ^= hash >> 31;
    hash = hash.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    hash ^ (hash >> 29)
}
