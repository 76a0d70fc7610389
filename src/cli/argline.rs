//! Tells a verb's own options from the words of the command that it is asked about.

use std::ffi::OsString;

/// Options of `check` and `explain` that take the next word.
const VALUED: &[&str] = &["--cwd"];

/// The arguments, ready for clap.
pub(super) struct Line {
    args: Vec<String>,
    argv: bool,
}

impl Line {
    /// `None` when an argument is not UTF-8.
    pub(super) fn split(args: Vec<OsString>) -> Option<Line> {
        let args: Option<Vec<String>> = args.into_iter().map(|a| a.into_string().ok()).collect();
        let mut args = args?;
        let asks = matches!(args.first().map(String::as_str), Some("check" | "explain"));
        let first = if asks { first_word(&args) } else { None };
        let mut argv = false;
        match first.and_then(|at| args.get(at).map(|word| (at, word.as_str()))) {
            Some((_, "--")) => argv = true,
            // Shell text in one word, or standard input: what follows can only be our options.
            Some((_, word)) if word == "-" || word.contains(char::is_whitespace) => {}
            Some((at, _)) => args.insert(at, "--".to_owned()),
            None => {}
        }
        Some(Line { args, argv })
    }

    /// Whether there is no word at all.
    pub(super) fn is_empty(&self) -> bool {
        self.args.is_empty()
    }

    /// As clap wants them, the program's name in front.
    pub(super) fn for_clap(&self) -> impl Iterator<Item = &str> {
        std::iter::once("leaseguard").chain(self.args.iter().map(String::as_str))
    }

    /// Whether `--` says that the words are an argument vector, even a single one.
    pub(super) fn argv(&self) -> bool {
        self.argv
    }
}

/// Where the first word that is no option of ours stands, or the `--` in front of it.
fn first_word(args: &[String]) -> Option<usize> {
    let mut at = 1;
    loop {
        let word = args.get(at)?;
        if VALUED.contains(&word.as_str()) {
            at = at.saturating_add(2);
        } else if word.len() > 1 && word.starts_with('-') && word != "--" {
            at = at.saturating_add(1);
        } else {
            return Some(at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Line;

    fn clap(args: &[&str]) -> (String, bool) {
        let line = Line::split(args.iter().map(Into::into).collect()).expect("UTF-8");
        let words: Vec<&str> = line.for_clap().skip(1).collect();
        (words.join("|"), line.argv())
    }

    #[test]
    fn words_after_the_program_are_never_our_options() {
        assert_eq!(clap(&["check", "git", "--json"]).0, "check|--|git|--json");
        assert_eq!(clap(&["check", "--json", "git"]).0, "check|--json|--|git");
        assert_eq!(
            clap(&["check", "--cwd", "/d", "git"]).0,
            "check|--cwd|/d|--|git"
        );
    }

    #[test]
    fn options_after_shell_text_are_ours() {
        assert_eq!(
            clap(&["check", "git push", "--json"]).0,
            "check|git push|--json"
        );
        assert_eq!(clap(&["check", "-", "--json"]).0, "check|-|--json");
    }

    #[test]
    fn two_dashes_make_an_argument_vector() {
        assert_eq!(
            clap(&["check", "--", "a b"]),
            ("check|--|a b".to_owned(), true)
        );
        assert!(!clap(&["check", "a b"]).1);
        assert_eq!(clap(&["rules", "x"]).0, "rules|x");
    }
}
