//! Lines of `cmd.exe`, said as bash would say them.

use super::Word;

/// What `text` is in a POSIX shell: `^` escapes, `%NAME%` is a variable, `&` goes on, `'` means nothing.
pub fn from_cmd(text: &Word) -> Word {
    let mut out = String::with_capacity(text.text.len() + 8);
    let mut quoted = false;
    let mut rest = text.text.as_str();
    while let Some(c) = rest.chars().next() {
        let after = rest.get(c.len_utf8()..).unwrap_or_default();
        rest = after;
        match c {
            '"' => {
                quoted = !quoted;
                out.push('"');
            }
            '^' if !quoted => {
                let next = after.chars().next().unwrap_or('^');
                rest = after.get(next.len_utf8()..).unwrap_or_default();
                // At the end of a line it only continues it.
                if next != '\n' && next != '\r' {
                    out.push('\\');
                    out.push(next);
                }
            }
            '%' => match after.split_once('%') {
                Some((name, behind)) if is_variable(name) => {
                    out.push_str("${");
                    out.push_str(&name.to_ascii_uppercase());
                    out.push('}');
                    rest = behind;
                }
                Some(("", behind)) => {
                    out.push('%');
                    rest = behind;
                }
                _ => out.push('%'),
            },
            '&' if !quoted && !after.starts_with('&') && !out.ends_with(['&', '>']) => {
                out.push('\n');
            }
            '\\' => out.push('/'),
            '$' | '`' => {
                out.push('\\');
                out.push(c);
            }
            '\'' | ';' | '#' | '~' | '!' | '{' | '}' if !quoted => {
                out.push('\\');
                out.push(c);
            }
            c => out.push(c),
        }
    }
    Word {
        text: said(&out),
        ..text.clone()
    }
}

fn is_variable(name: &str) -> bool {
    let letters = |c: char| c.is_ascii_alphanumeric() || c == '_';
    !name.is_empty() && name.chars().all(letters)
}

/// Its own commands by their names elsewhere.
fn said(text: &str) -> String {
    let lines = text.split('\n').map(|line| {
        let line = line.trim_start_matches(['@', ' ', '\t']);
        let (first, rest) = line.split_once(' ').unwrap_or((line, ""));
        let rest = rest.trim_start();
        let without = |rest: &str| {
            let words = rest.split(' ');
            let kept: Vec<&str> = words.filter(|w| !is_switch(w)).collect();
            kept.join(" ")
        };
        let lower = first.to_ascii_lowercase();
        match lower.as_str() {
            "call" => rest.to_owned(),
            "start" => without(rest.strip_prefix("\"\"").unwrap_or(rest)),
            "cd" | "chdir" | "pushd" => format!("cd {}", without(rest)),
            "set" => format!("export {}", without(rest)),
            "del" | "erase" => format!("rm -f {}", without(rest)),
            "rd" | "rmdir" => format!("rm -rf {}", without(rest)),
            "copy" | "xcopy" => format!("cp {}", without(rest)),
            "move" | "ren" | "rename" => format!("mv {}", without(rest)),
            "rem" => String::new(),
            _ => {
                let program = lower.trim_end_matches(".exe").trim_end_matches(".cmd");
                let named = program.chars().all(|c| c.is_ascii_alphanumeric());
                let first = if named { program } else { first };
                format!("{first} {rest}")
            }
        }
    });
    lines.collect::<Vec<String>>().join("\n")
}

/// `/s`, `/q`, `/d`
fn is_switch(word: &str) -> bool {
    let letter = word.strip_prefix('/').and_then(|rest| rest.chars().next());
    word.len() <= 3 && letter.is_some_and(|c| c.is_ascii_alphabetic())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_means_in_bash_what_it_means_in_cmd() {
        for (cmd, bash) in [
            ("git push -f", "git push -f"),
            ("GIT.EXE push -f & echo done", "git push -f \necho done"),
            ("g^it pu^sh -f", "g\\it pu\\sh -f"),
            (
                "git commit -m \"100%% & git push -f\"",
                "git commit -m \"100% & git push -f\"",
            ),
            ("git push %ARGS%", "git push ${ARGS}"),
            ("cd /d ..\\wt && git push", "cd ../wt && git push"),
            ("rd /s /q .git", "rm -rf .git"),
            ("set GIT_DIR=x& git push", "export GIT_DIR=x\ngit push"),
            ("echo it's", "echo it\\'s"),
        ] {
            let word = Word {
                text: cmd.to_owned(),
                ..Word::default()
            };
            assert_eq!(from_cmd(&word).text, bash, "{cmd}");
        }
    }
}
