//! Seeded mutants of the corpus that are safe to run.

/// A small generator: the same seed gives the same mutants.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub(crate) fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % n.max(1)
    }

    pub(crate) fn pick<'t, T: ?Sized>(&mut self, from: &[&'t T]) -> &'t T {
        from[self.below(from.len())]
    }
}

pub(crate) const TOKENS: &[&str] = &[
    "$(",
    ")",
    "`",
    "\"",
    "'",
    "${",
    "}",
    "((",
    "))",
    "<<EOF\n",
    "EOF\n",
    "\n",
    ";",
    ";;",
    "&&",
    "||",
    "|",
    "&",
    "<(",
    "{ ",
    "; }",
    "case x in ",
    "esac",
    "if ",
    "then ",
    "fi",
    "for i in 1; ",
    "do ",
    "done",
    "[[ ",
    " ]]",
    "\\",
    "$'",
    "#",
    "! ",
    "a=",
    "<<<",
    ">o ",
    "2>&1",
    "git ",
    "push ",
    "-f ",
    "time ",
    " ",
    "\t",
    "{a,b}",
    "*",
    "$x",
    "\\\n",
    "git log;",
    "(git push -f)",
    "$(git add .)",
    "`git log`",
];

/// Scripts that may be mutated: those that stay in their directory and start nothing beside.
pub(crate) fn may_mutate(group: &str, script: &str) -> bool {
    let rest = script.replace("&&", "").replace(">&", "").replace("&>", "");
    matches!(group, "syn" | "bad" | "none")
        && !["cd /", "exec", "wait", "coproc"]
            .iter()
            .any(|t| script.contains(t))
        && !rest.contains('&')
}

pub(crate) fn mutant(base: &[&str], random: &mut Random) -> String {
    let mut script: Vec<char> = random.pick(base).chars().collect();
    for _ in 0..=random.below(3) {
        let at = random.below(script.len() + 1);
        match random.below(5) {
            0 => {
                if at < script.len() {
                    script.remove(at);
                }
            }
            1 | 2 => {
                let token = random.pick(TOKENS);
                script.splice(at..at, token.chars());
            }
            3 => {
                let joint = random.pick(&[";", "\n", " && ", " | ", " "]);
                let other = random.pick(base);
                script.extend(joint.chars().chain(other.chars()));
            }
            _ => {
                let to = random.below(script.len() + 1);
                let (a, b) = (at.min(to), at.max(to));
                let copy: Vec<char> = script[a..b].iter().copied().take(30).collect();
                script.splice(b..b, copy);
            }
        }
    }
    script.into_iter().collect()
}

/// Whether a mutant names no path outside its directory and starts nothing that stays.
pub(crate) fn is_safe(script: &str) -> bool {
    let rest = script.replace("/dev/null", "").replace("2>&1", "");
    let bytes = rest.as_bytes();
    let rooted = bytes.iter().enumerate().any(|(i, b)| {
        *b == b'/'
            && !i
                .checked_sub(1)
                .and_then(|before| bytes.get(before))
                .is_some_and(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'*'))
    });
    let mut background = false;
    let mut at = 0;
    while let Some(b) = bytes.get(at) {
        if *b == b'&' {
            match bytes.get(at + 1) {
                Some(b'&') => at += 1,
                Some(b'>' | b'0'..=b'9') => {}
                _ => background |= at == 0 || bytes[at - 1] != b'>' && bytes[at - 1] != b'<',
            }
        }
        at += 1;
    }
    let banned = [
        "..", "~", "exec", "coproc", "ulimit", "while", "until", "\0", "kill",
    ];
    rest.len() < 600 && !rooted && !background && !banned.iter().any(|t| rest.contains(t))
}
