//! Masks what looks like a secret in a text that is kept: known token shapes, passwords in URLs,
//! headers, options and assignments, and long random runs.

use super::secret::{LONG, NAME, QUOTE, RUN, WORD_END, is, is_random, is_secret, token_at};

/// What stands for a secret.
const MASK: &str = "***";

/// Words that stand between a header's name and its secret.
const SCHEMES: &[&str] = &["bearer", "basic", "token", "digest", "negotiate", "apikey"];

/// How far one step looks or copies.
const AHEAD: usize = 1024;

/// `text` without its secrets, of at most about `most` bytes.
pub fn masked(text: &str, most: usize) -> String {
    let mut out = String::with_capacity(text.len().min(most) + 16);
    redact(text, most, &mut out);
    out
}

/// Adds `text` without its secrets to `out`, and stops soon after `most` bytes of it.
pub fn redact(text: &str, most: usize, out: &mut String) {
    if text.len() <= most && harmless(text) {
        return out.push_str(text);
    }
    let start = out.len();
    let mut scan = Scan {
        text,
        at: 0,
        copied: 0,
        weighed: 0,
        out,
    };
    while scan.at < text.len() && scan.out.len() - start + (scan.at - scan.copied) <= most {
        scan.step();
    }
    scan.copy();
}

/// Whether a glance tells that there is no secret: tokens, options and assignments have other
/// characters, and no run is as long as a random one.
fn harmless(text: &str) -> bool {
    let mut run = 0_usize;
    text.bytes().all(|b| {
        run = match b {
            b' ' | b'`' => 0,
            b'a'..=b'z' | b'/' | b'.' | b',' => run.wrapping_add(1),
            _ => LONG,
        };
        run < LONG
    })
}

/// A position in the text; every byte is looked at a bounded number of times.
struct Scan<'t, 'o> {
    text: &'t str,
    at: usize,
    /// What stands before is in `out`, masked or not.
    copied: usize,
    /// Long runs are weighed up to here.
    weighed: usize,
    out: &'o mut String,
}

impl Scan<'_, '_> {
    fn byte(&self, at: usize) -> Option<u8> {
        self.text.as_bytes().get(at).copied()
    }

    /// The end of the run of bytes from `from` on that `is` allows.
    fn run(&self, from: usize, is: impl Fn(u8) -> bool) -> usize {
        let rest = self.text.as_bytes().get(from..).unwrap_or_default();
        from + length(rest, is)
    }

    /// The same from here on, but no further than a step looks.
    fn near(&self, is: impl Fn(u8) -> bool) -> usize {
        let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
        let rest = rest.get(..AHEAD).unwrap_or(rest);
        self.at + length(rest, is)
    }

    /// Goes on to `to` and leaves what is between as it is.
    fn keep(&mut self, to: usize) {
        self.at = to;
    }

    /// Leaves out up to `to`.
    fn mask(&mut self, to: usize) {
        if to > self.at {
            self.copy();
            self.out.push_str(MASK);
            self.at = to;
            self.copied = to;
        }
    }

    /// Copies what was kept. All positions are next to ASCII, so they are boundaries.
    fn copy(&mut self) {
        self.out
            .push_str(self.text.get(self.copied..self.at).unwrap_or_default());
        self.copied = self.at;
    }

    /// Takes what stands before the next name, and that name.
    fn step(&mut self) {
        let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
        let near = rest.get(..AHEAD).unwrap_or(rest);
        let before = length(near, |b| !is_name(b));
        let rest = rest.get(before..).unwrap_or_default();
        let length = length(rest, is_name);
        if length == 0 {
            let next = self.text.floor_char_boundary(self.at + before);
            return self.keep(next.max(self.at + 1));
        }
        let name = rest.get(..length).unwrap_or_default();
        let next = rest.get(length).copied();
        self.keep(self.at + before);
        let (start, end) = (self.at, self.at + length);
        if self.tokens(name) || self.long_run(name, next) {
            return;
        }
        self.keep(end);
        match next {
            Some(b':') if rest.get(length..length + 3) == Some(b"://") => self.url(name),
            Some(b'=' | b':' | b'"' | b'\'' | b'\\') if is_secret(name) => {
                let before = start.checked_sub(1).and_then(|at| self.byte(at));
                let option = name.starts_with(b"--");
                self.after_secret_name(option, before.filter(|b| is_quote(*b)));
            }
            Some(b' ' | b'\t') if name.starts_with(b"--") && is_secret(name) => {
                self.after_secret_name(true, None);
            }
            Some(b' ' | b'\t' | b'=') if name == b"-u" || name == b"--user" => {
                self.user_and_password();
            }
            _ => {}
        }
    }

    /// Masks a token of a known shape; one may start at every word within the name.
    fn tokens(&mut self, name: &[u8]) -> bool {
        let mut rest = name;
        loop {
            let at = self.at + (name.len() - rest.len());
            if rest.first().is_some_and(|first| self.token(at, *first)) {
                return true;
            }
            let word = length(rest, |b| !matches!(b, b'-' | b'_'));
            match rest.get(word + 1..) {
                Some(next) => rest = next,
                None => return false,
            }
        }
    }

    /// Masks a run of random characters, alone or within a longer run.
    fn long_run(&mut self, name: &[u8], next: Option<u8>) -> bool {
        let (start, end) = (self.at, self.at + name.len());
        let mut to = end;
        let mut secret = name.len() >= LONG && is_random(name);
        if !secret && start >= self.weighed && next.is_some_and(|b| is(RUN, b)) {
            // Base64 has `/` and `+`; a path has them too, but words between.
            self.weighed = self.run(end, |b| is(RUN, b));
            let run = self
                .text
                .as_bytes()
                .get(start..self.weighed)
                .unwrap_or_default();
            let first = run.iter().position(|b| *b == b'=').unwrap_or(run.len());
            let run = run.get(..first).unwrap_or_default();
            secret = run.len() >= LONG && is_random(run);
            to = if secret { start + first } else { end };
        }
        if secret {
            // So much tells object ids apart and gives no secret away.
            self.keep((start + 4).min(to));
            self.mask(to);
        }
        secret
    }

    /// Masks the token that starts at `at` with `first`, if one does.
    fn token(&mut self, at: usize, first: u8) -> bool {
        let found = token_at(self.text.as_bytes(), at, first);
        if let Some(token) = &found {
            self.keep(token.start);
            self.mask(token.end);
        }
        found.is_some()
    }

    /// After a scheme: masks the part before the `@` that names a user.
    fn url(&mut self, scheme: &[u8]) {
        self.keep(self.at + "://".len());
        let ends = |b: u8| {
            b.is_ascii_whitespace() || is_quote(b) || matches!(b, b'<' | b'>' | b'|' | b';')
        };
        let word = self.near(|b| !ends(b));
        let host = self.near(|b| !ends(b) && !matches!(b, b'/' | b'?' | b'#'));
        let last_at = |to: usize| {
            let part = self.text.as_bytes().get(self.at..to).unwrap_or_default();
            part.iter().rposition(|b| *b == b'@').map(|p| self.at + p)
        };
        let colon = self.near(|b| b != b':').min(host);
        let no_port = colon < host && !self.byte(colon + 1).is_some_and(|b| b.is_ascii_digit());
        // A password with a slash in it reaches beyond what should be the host.
        let Some(user) = last_at(host).or_else(|| last_at(word).filter(|_| no_port)) else {
            return;
        };
        if colon < user || scheme.starts_with(b"http") {
            self.mask(user);
        }
    }

    /// After the name of a secret: masks what it is set to.
    fn after_secret_name(&mut self, option: bool, quoted_before: Option<u8>) {
        let blank = |b: u8| matches!(b, b' ' | b'\t');
        match self.byte(self.at) {
            Some(b'=' | b':') if quoted_before.is_some() => {
                // A header or an assignment as one quoted word: all of it up to the closing quote.
                let from = self.run(self.at + 1, blank);
                let to = self.run(from, |b| Some(b) != quoted_before && b != b'\n');
                self.keep(from);
                self.mask(to);
            }
            Some(b'=') => {
                self.keep(self.at + 1);
                self.value(false);
            }
            Some(b':') => self.header(),
            Some(b' ' | b'\t') if option => {
                let from = self.run(self.at, blank);
                if self.byte(from) != Some(b'-') {
                    self.keep(from);
                    self.value(false);
                }
            }
            // A key of JSON or of a table, perhaps in a string itself.
            Some(b'"' | b'\'' | b'\\') => {
                let quotes = self.run(self.at, |b| b == b'\\' || is_quote(b));
                let colon = self.run(quotes, blank);
                let sets = match self.byte(colon) {
                    Some(b':' | b'=') => true,
                    // An option and its value in a list.
                    Some(b',') => option,
                    _ => false,
                };
                if sets && quotes - self.at <= 4 {
                    let from = self.run(colon + 1, blank);
                    self.keep(from);
                    self.value(false);
                }
            }
            _ => {}
        }
    }

    /// After a header's name: masks the word behind the colon, and behind a scheme.
    fn header(&mut self) {
        let blank = |b: u8| matches!(b, b' ' | b'\t' | b'\\');
        let mut from = self.run(self.at + 1, blank);
        let spaced = from > self.at + 1;
        let word = self.run(from, |b| b.is_ascii_alphabetic());
        let scheme = self.text.get(from..word).unwrap_or_default();
        let known = SCHEMES.iter().any(|s| s.eq_ignore_ascii_case(scheme));
        if known && self.run(word, blank) > word {
            from = self.run(word, blank);
        } else if !spaced && !known {
            // `token:main` is a refspec.
            return;
        }
        self.keep(from);
        self.value(true);
    }

    /// Masks one shell word: pieces in quotes and without. A variable is no secret. Where the word
    /// may stand `within` quotes, a later quote closes those.
    fn value(&mut self, within: bool) {
        let from = self.at;
        let mut to = from;
        loop {
            match self.byte(to) {
                Some(b) if within && to > from && is_quote(b) => break,
                Some(b'$') if !self.byte(to + 1).is_some_and(is_quote) => break,
                Some(b'$') => to += 1,
                Some(b'\\') if self.byte(to + 1).is_some_and(is_quote) => {
                    let quote = self.byte(to + 1);
                    let close = self.run(to + 2, |b| b != b'\\' && b != b'\n');
                    to = if self.byte(close + 1) == quote {
                        (close + 2).min(self.text.len())
                    } else {
                        close
                    };
                }
                Some(b'\\') => to = self.boundary(to + 2),
                Some(quote @ (b'"' | b'\'')) => {
                    let mut close = self.run(to + 1, |b| b != quote && b != b'\\');
                    while self.byte(close) == Some(b'\\') && quote == b'"' {
                        close = self.run(self.boundary(close + 2), |b| b != quote && b != b'\\');
                    }
                    if self.byte(close) == Some(b'\\') {
                        close = self.run(close, |b| b != quote);
                    }
                    to = (close + 1).min(self.text.len());
                }
                Some(b) if !ends_word(b) => {
                    to = self.run(to, |b| {
                        !ends_word(b) && b != b'$' && b != b'\\' && !is_quote(b)
                    })
                }
                _ => break,
            }
        }
        self.mask(to);
    }

    /// After `-u`: masks what follows the colon of `name:password`.
    fn user_and_password(&mut self) {
        let from = self.run(self.at, |b| matches!(b, b' ' | b'\t' | b'=' | b'"' | b'\''));
        let name = self.run(from, |b| {
            !ends_word(b) && !is_quote(b) && !matches!(b, b':' | b'/' | b'@' | b'$')
        });
        if from == self.at || name == from || self.byte(name) != Some(b':') {
            return;
        }
        let to = self.run(name + 1, |b| !ends_word(b) && !is_quote(b));
        let digits = self.run(name + 1, |b| b.is_ascii_digit());
        if digits < to {
            self.keep(name + 1);
            self.mask(to);
        }
    }

    /// The next position from `at` on at which a character starts.
    fn boundary(&self, at: usize) -> usize {
        (at..self.text.len())
            .find(|at| self.text.is_char_boundary(*at))
            .unwrap_or(self.text.len())
    }
}

/// How many bytes in front are so. Nothing is counted on the way, which would be checked at every step.
fn length(bytes: &[u8], is: impl Fn(u8) -> bool) -> usize {
    let mut left = bytes.iter();
    match left.find(|b| !is(**b)) {
        Some(_) => bytes.len() - left.len() - 1,
        None => bytes.len(),
    }
}

fn is_name(b: u8) -> bool {
    is(NAME, b)
}

fn is_quote(b: u8) -> bool {
    is(QUOTE, b)
}

fn ends_word(b: u8) -> bool {
    is(WORD_END, b)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clean(text: &str) -> String {
        masked(text, 1 << 20)
    }

    #[test]
    fn secrets_of_every_shape_are_masked_and_the_command_stays_readable() {
        for (text, kept) in [
            ("curl https://user:pass@host/x", "curl https://***@host/x"),
            (
                "git push https://ghp_abc@github.com/o/r main",
                "git push https://***@github.com/o/r main",
            ),
            (
                "git clone https://u:p@ss@host/x y https://u:p/w@h/x",
                "git clone https://***@host/x y https://***@h/x",
            ),
            (
                "psql postgres://u:p@h:5432/db",
                "psql postgres://***@h:5432/db",
            ),
            ("echo ghp_abcDEF123 gho_x", "echo ghp_*** gho_***"),
            (
                "x github_pat_11ABC_def glpat-a.b-c",
                "x github_pat_*** glpat-***",
            ),
            ("x=xoxb-123-abc", "x=xoxb-***"),
            ("x-access-ghp_abc", "x-access-ghp_***"),
            ("AKIAIOSFODNN7EXAMPLE", "AKIA***"),
            ("OPENAI=sk-proj-abcdefghijklmnop1234", "OPENAI=sk-***"),
            ("npm_abcdefghijklmnopqrstuvwxyz0123456789", "npm_***"),
            ("eyJhbGciOi.eyJzdWIi.c2ln x", "eyJ*** x"),
            (
                "curl -H 'Authorization: Bearer a b' u",
                "curl -H 'Authorization: ***' u",
            ),
            (
                "curl -H \"PRIVATE-TOKEN: abc\" u",
                "curl -H \"PRIVATE-TOKEN: ***\" u",
            ),
            (
                "-H Authorization:\\ Bearer\\ abc u",
                "-H Authorization:\\ Bearer\\ *** u",
            ),
            (
                "git -c http.extraHeader=\"AUTHORIZATION: basic eDp5\" push",
                "git -c http.extraHeader=\"AUTHORIZATION: ***\" push",
            ),
            (
                "git -c \"http.extraHeader=AUTHORIZATION: basic eDp5\" push",
                "git -c \"http.extraHeader=AUTHORIZATION: basic ***\" push",
            ),
            (
                "gh auth login --token abc; git push",
                "gh auth login --token ***; git push",
            ),
            (
                "x --password=abc --api-key 'a b' y",
                "x --password=*** --api-key *** y",
            ),
            ("TOKEN=abc git push", "TOKEN=*** git push"),
            (
                "export GITHUB_TOKEN='a'\"b\"c && x",
                "export GITHUB_TOKEN=*** && x",
            ),
            (
                "AWS_SECRET_ACCESS_KEY=\"a\\\"b\" x",
                "AWS_SECRET_ACCESS_KEY=*** x",
            ),
            ("?access_token=abc&x=1", "?access_token=***&x=1"),
            (
                "{\"token\": \"abc\", \"a\": 1}",
                "{\"token\": ***, \"a\": 1}",
            ),
            ("{\\\"password\\\":\\\"abc\\\"}", "{\\\"password\\\":***"),
            ("[\"--token\", \"abc\", \"x\"]", "[\"--token\", ***, \"x\"]"),
            ("password: hunter2\nx", "password: ***\nx"),
            ("curl -u me:pw u", "curl -u me:*** u"),
            ("x deadbeefdeadbeefdeadbeefdeadbeef y", "x dead*** y"),
            ("wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "wJal***"),
            ("x --no-token --verbose", "x --no-token --verbose"),
        ] {
            assert_eq!(clean(text), kept);
        }
    }

    #[test]
    fn what_is_no_secret_stays_as_it_is() {
        for text in [
            "git push --force-with-lease origin HEAD:refs/heads/feature/JIRA-1234-fix-2FA-login-v2-rollout",
            "git commit -m 'rotate the token after a password change'",
            "cd /home/jane/projects/acme-webapp-frontend/src/components/LoginForm && ls",
            "TOKEN=$(gh auth token) git push; TOKEN=$OTHER x",
            "git push origin token:main",
            "git push -u origin HEAD:main",
            "git remote add o ssh://git@github.com/o/r",
            "git@github.com:o/r.git",
            "npm_config_registry=https://registry.npmjs.org npm i",
            "docker run -u 1000:1000 x",
            "GIT_AUTHOR_NAME=x git commit --author='A <a@b.c>'",
            "PWD=/tmp sk-learn task-runner-name",
            "git reset --hard 1a2b3c4d5e6f",
            "ünïcödé … 日本語 🦀",
            "",
            "pip install scikit-learn==1.2.3 --index-url https://pypi.org/simple",
            "a=b token",
            "auth",
            "thisisaverylongbranchnamewithoutanyseparatorsatall",
            "max_tokens=5",
        ] {
            assert_eq!(clean(text), text);
        }
    }

    #[test]
    fn a_planted_secret_never_survives_and_nothing_panics() {
        let secrets = [
            ("ghp_", "S3cretS3cretS3cretS3cret"),
            ("", "0123456789abcdef0123456789abcdef01234567"),
            ("AKIA", "S3CRETS3CRETS3CR"),
            ("glpat-", "s3cretS3cret"),
            ("eyJ", "S3cret.S3cret"),
        ];
        let around = [
            ("", ""),
            ("echo ", ""),
            ("'", "'"),
            ("\"a ", " b\""),
            ("a=", ";x"),
            ("$(", ")"),
            ("é", "é"),
            ("x\n", "\ny"),
            ("https://", "@h"),
            ("--x=", ""),
            ("\\", "\\"),
            ("a:", ":b"),
            ("/a/", ""),
        ];
        let named = [
            "TOKEN=",
            "--password ",
            "--secret=",
            "Authorization: Bearer ",
            "'x-api-key: ",
            "\"token\":\"",
        ];
        for (before, after) in around {
            for (prefix, body) in secrets {
                let text = format!("{before}{prefix}{body}{after}");
                let out = clean(&text);
                assert!(!out.contains(body.split_at(4).1), "{text:?} {out:?}");
            }
            for name in named {
                let text = format!("{before} {name}hunter22");
                assert!(
                    !clean(&text).contains("unter22"),
                    "{text:?} {:?}",
                    clean(&text)
                );
            }
        }
    }

    #[test]
    fn what_a_glance_takes_for_harmless_has_nothing_that_would_be_masked() {
        let words = [
            "push", "a/b", "`x`", "deadbeef", "fe.c", ",", "token", "bearer",
        ];
        let mut seed = 7_u64;
        for _ in 0..5_000 {
            let mut text = String::new();
            for _ in 0..12 {
                seed = seed
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1_442_695_040_888_963_407);
                let word = words[usize::try_from(seed >> 33).unwrap() % words.len()];
                text.push_str(word);
                if seed >> 62 != 0 {
                    text.push(' ');
                }
            }
            if harmless(&text) {
                let mut out = String::new();
                let mut scan = Scan {
                    text: &text,
                    at: 0,
                    copied: 0,
                    weighed: 0,
                    out: &mut out,
                };
                while scan.at < text.len() {
                    scan.step();
                }
                scan.copy();
                assert_eq!(out, text);
            }
        }
        assert!(!harmless(&"deadbeef".repeat(5)) && harmless("a push of `x`"));
    }

    #[test]
    fn any_text_is_taken_and_only_loses_what_is_masked() {
        let pieces = [
            "token",
            "=",
            ":",
            " ",
            "\"",
            "'",
            "\\",
            "$",
            "://",
            "@",
            "é",
            "\n",
            "-u",
            "--password",
            "eyJ",
            "ghp_",
            "a1B2c3D4",
            "/",
            "deadbeef",
            "…",
            "🦀",
            "{",
            "}",
            "Authorization",
            "Bearer",
            "ya29.",
        ];
        let mut seed = 1u32;
        let mut random = move |n: usize| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 12) as usize % n
        };
        for _ in 0..30_000 {
            let text: String = (0..random(14))
                .map(|_| pieces[random(pieces.len())])
                .collect();
            let out = clean(&text);
            // What is left of the text stands in it in the same order.
            let mut rest = text.as_str();
            for part in out.split(MASK) {
                let found = rest.find(part);
                assert!(found.is_some(), "{text:?} {out:?}");
                rest = rest.split_at(found.unwrap() + part.len()).1;
            }
        }
    }

    #[test]
    fn work_grows_with_the_text_and_no_faster() {
        for piece in [
            "a/",
            "https://a:",
            "token=",
            "\"token\":",
            "eyJ",
            "'",
            "\\\"",
            "-u a:",
            "ghp_-",
            "Authorization: \\",
        ] {
            let text = piece.repeat(400_000 / piece.len());
            let start = std::time::Instant::now();
            let _ = clean(&text);
            assert!(start.elapsed().as_millis() < 2000, "{piece}");
        }
    }
}
