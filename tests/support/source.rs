//! Rust source as the house rules see it: without comments, strings, tests and tables of constants.

/// A source file.
#[derive(Debug, Clone)]
pub(crate) struct Source {
    /// From the top of the package: `src/shell/mod.rs`.
    pub(crate) path: String,
    /// All of it.
    pub(crate) text: String,
    /// The same length, with comments blanked and the insides of strings replaced by `_`.
    pub(crate) code: String,
}

impl Source {
    /// Takes a file in.
    pub(crate) fn new(path: impl Into<String>, text: impl Into<String>) -> Source {
        let (path, text) = (path.into(), text.into());
        let code = blanked(&text);
        Source { path, text, code }
    }

    /// The module at the top that it belongs to: `src/shell/lex.rs` -> `shell`.
    pub(crate) fn module(&self) -> &str {
        let rest = self.path.strip_prefix("src/").unwrap_or(&self.path);
        let first = rest.split('/').next().unwrap_or(rest);
        first.strip_suffix(".rs").unwrap_or(first)
    }

    /// The code that ships: `#[cfg(test)]` items are blanked too.
    pub(crate) fn shipped(&self) -> String {
        let mut code = self.code.clone();
        while let Some(at) = code.find("#[cfg(test)]") {
            let end = item_end(&code, at);
            blank(&mut code, at, end);
        }
        code
    }

    /// Lines of code: no comments, blanks, tests and tables of constants.
    pub(crate) fn code_lines(&self) -> usize {
        let mut code = self.shipped();
        for (start, end) in tables(&code) {
            blank(&mut code, start, end);
        }
        code.lines().filter(|l| !l.trim().is_empty()).count()
    }
}

/// Replaces everything but newlines by blanks.
fn blank(text: &mut String, start: usize, end: usize) {
    let middle: String = text[start..end]
        .chars()
        .map(|c| if c == '\n' { '\n' } else { ' ' })
        .collect();
    text.replace_range(start..end, &middle);
}

/// Where the item that starts at `at` ends: behind its closing brace, or its semicolon.
fn item_end(code: &str, at: usize) -> usize {
    let mut depth = 0usize;
    for (i, c) in code[at..].char_indices() {
        match c {
            '{' | '(' | '[' => depth += 1,
            '}' | ')' | ']' => {
                depth = depth.saturating_sub(1);
                if c == '}' && depth == 0 {
                    return at + i + 1;
                }
            }
            ';' if depth == 0 => return at + i + 1,
            _ => {}
        }
    }
    code.len()
}

/// `const NAME: … = &[ … ];` and its kin over several lines.
fn tables(code: &str) -> Vec<(usize, usize)> {
    let mut out = Vec::new();
    let mut offset = 0;
    for line in code.split_inclusive('\n') {
        let start = offset;
        offset += line.len();
        let words: Vec<&str> = line.split_whitespace().collect();
        let head = words.iter().position(|w| *w == "const" || *w == "static");
        let plain = head.is_some_and(|n| words[..n].iter().all(|w| w.starts_with("pub")));
        if !plain {
            continue;
        }
        let end = item_end(code, start);
        let item = &code[start..end];
        let value = item.split_once('=').map_or("", |(_, value)| value.trim());
        if value.starts_with("&[") || value.starts_with('[') {
            out.push((start, end));
        }
    }
    out
}

/// Blanks comments and the insides of strings and characters.
fn blanked(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let mut out = String::with_capacity(text.len());
    let at = |i: usize| chars.get(i).copied().unwrap_or('\0');
    let mut i = 0;
    while i < chars.len() {
        let c = at(i);
        let word_before = i > 0 && (at(i - 1).is_alphanumeric() || at(i - 1) == '_');
        let from = i;
        if c == '/' && at(i + 1) == '/' {
            while i < chars.len() && at(i) != '\n' {
                i += 1;
            }
            push(&mut out, &chars[from..i], ' ');
        } else if c == '/' && at(i + 1) == '*' {
            let mut depth = 0;
            loop {
                match (at(i), at(i + 1)) {
                    ('/', '*') => {
                        depth += 1;
                        i += 2;
                    }
                    ('*', '/') => {
                        depth -= 1;
                        i += 2;
                    }
                    _ => i += 1,
                }
                if depth == 0 || i >= chars.len() {
                    break;
                }
            }
            let end = i.min(chars.len());
            push(&mut out, &chars[from..end], ' ');
        } else if (c == 'r' || c == 'b') && !word_before && raw_hashes(&chars, i).is_some() {
            let (hashes, open) = raw_hashes(&chars, i).unwrap_or_default();
            i = open + 1;
            while i < chars.len() && !(at(i) == '"' && (1..=hashes).all(|n| at(i + n) == '#')) {
                i += 1;
            }
            i = (i + 1 + hashes).min(chars.len());
            push(&mut out, &chars[from..i], '_');
        } else if c == '"' {
            i += 1;
            while i < chars.len() && at(i) != '"' {
                i += if at(i) == '\\' { 2 } else { 1 };
            }
            i = (i + 1).min(chars.len());
            push(&mut out, &chars[from..i], '_');
        } else if c == '\'' && (at(i + 1) == '\\' || at(i + 2) == '\'') {
            i += 1;
            while i < chars.len() && at(i) != '\'' {
                i += if at(i) == '\\' { 2 } else { 1 };
            }
            i = (i + 1).min(chars.len());
            push(&mut out, &chars[from..i], '_');
        } else {
            out.push(c);
            i += 1;
        }
    }
    out
}

/// Where a raw string opens: the number of `#` and the place of its quote.
fn raw_hashes(chars: &[char], at: usize) -> Option<(usize, usize)> {
    let mut i = at;
    if chars.get(i) == Some(&'b') {
        i += 1;
    }
    if chars.get(i) != Some(&'r') {
        return None;
    }
    i += 1;
    let first = i;
    while chars.get(i) == Some(&'#') {
        i += 1;
    }
    (chars.get(i) == Some(&'"')).then_some((i - first, i))
}

fn push(out: &mut String, chars: &[char], with: char) {
    out.extend(chars.iter().map(|c| if *c == '\n' { '\n' } else { with }));
}

/// All files under `src`, in order.
pub(crate) fn all() -> Vec<Source> {
    let mut out = Vec::new();
    walk(&super::root().join("src"), "src", &mut out);
    out.sort_by(|a, b| a.path.cmp(&b.path));
    let tests: Vec<String> = out.iter().flat_map(test_files).collect();
    out.retain(|source| !tests.contains(&source.path));
    out
}

/// Files that a source declares by `#[cfg(test)] mod name;`.
fn test_files(source: &Source) -> Vec<String> {
    let folder = match source.path.strip_suffix("/mod.rs") {
        Some(folder) => folder.to_owned(),
        None if source.path == "src/lib.rs" || source.path == "src/main.rs" => "src".to_owned(),
        None => source.path.trim_end_matches(".rs").to_owned(),
    };
    let mut out = Vec::new();
    for (at, _) in source.code.match_indices("#[cfg(test)]") {
        let item = &source.code[at..item_end(&source.code, at)];
        let name = item.trim_end_matches(';').rsplit("mod ").next();
        if let (true, Some(name)) = (item.ends_with(';') && item.contains("mod "), name) {
            out.push(format!("{folder}/{}.rs", name.trim()));
        }
    }
    out
}

fn walk(dir: &std::path::Path, shown: &str, out: &mut Vec<Source>) {
    for entry in std::fs::read_dir(dir).expect("src").flatten() {
        let path = entry.path();
        let shown = format!("{shown}/{}", entry.file_name().to_string_lossy());
        if path.is_dir() {
            walk(&path, &shown, out);
        } else if shown.ends_with(".rs") {
            let text = std::fs::read_to_string(&path).expect("a source file");
            out.push(Source::new(shown, text));
        }
    }
}
