//! Argument vectors as shell text that a shell splits into exactly the same words.

/// Words that mean something to a shell where a program's name stands.
const RESERVED: &[&str] = &[
    "case", "coproc", "do", "done", "elif", "else", "esac", "fi", "for", "function", "if", "in",
    "select", "then", "time", "until", "while",
];

/// The words as one line of shell text.
pub fn as_shell<S: AsRef<str>>(words: &[S]) -> String {
    let mut out = String::new();
    for (at, word) in words.iter().enumerate() {
        let word = word.as_ref();
        if at > 0 {
            out.push(' ');
        }
        if plain(word) && !(at == 0 && RESERVED.contains(&word)) {
            out.push_str(word);
        } else {
            quote(word, &mut out);
        }
    }
    out
}

/// True where no shell sees anything but letters in the word.
fn plain(word: &str) -> bool {
    !word.is_empty()
        && word
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"_./:@+,-".contains(&b))
}

fn quote(word: &str, out: &mut String) {
    out.push('\'');
    for (at, part) in word.split('\'').enumerate() {
        if at > 0 {
            out.push_str("'\\''");
        }
        out.push_str(part);
    }
    out.push('\'');
}

#[cfg(test)]
mod tests {
    use super::as_shell;

    #[test]
    fn words_that_a_shell_would_change_are_quoted() {
        let words = [
            "git",
            "commit",
            "-m",
            "it's $5; ok",
            "",
            "a=b",
            "~",
            "{a,b}",
        ];
        assert_eq!(
            as_shell(&words),
            r"git commit -m 'it'\''s $5; ok' '' 'a=b' '~' '{a,b}'"
        );
    }

    #[test]
    fn a_program_named_like_a_keyword_is_quoted() {
        assert_eq!(as_shell(&["if", "if"]), "'if' if");
        assert_eq!(as_shell(&["A=1", "x"]), "'A=1' x");
    }
}
