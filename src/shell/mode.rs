//! How words are scanned: what is special where, and where a scan ends.

const PLAIN: u8 = 1;
const QUOTED: u8 = 2;
const BRACE: u8 = 4;
const BRACKET: u8 = 8;
const SLASH: u8 = 16;

const fn classes() -> [u8; 256] {
    let mut table = [0u8; 256];
    let both = b"'\"\\$`\x01\xF3\xF4";
    let mut i = 0;
    while i < both.len() {
        table[both[i] as usize] = PLAIN | QUOTED;
        i += 1;
    }
    let plain = b" \t\n;&|()<>{";
    i = 0;
    while i < plain.len() {
        table[plain[i] as usize] = PLAIN;
        i += 1;
    }
    table[b'}' as usize] = BRACE;
    table[b'[' as usize] = BRACKET;
    table[b']' as usize] = BRACKET;
    table[b'/' as usize] = SLASH;
    table
}

pub(super) static CLASS: [u8; 256] = classes();

/// Where a scan ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stop {
    /// At a blank or an operator.
    Blank,
    /// At a blank, inside `[[ ]]`.
    Test,
    /// At `}`.
    Brace,
    /// At `/` or `}`.
    Slash,
    /// At `]`.
    Bracket,
    /// At `"`.
    Quote,
    /// At the end of what may be read.
    Limit,
}

/// How a scan reads.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mode {
    pub(super) quoted: bool,
    /// `'` quotes.
    pub(super) quotes: bool,
    pub(super) stop: Stop,
}

impl Mode {
    pub(super) const WORD: Mode = Mode::plain(Stop::Blank);
    pub(super) const BODY: Mode = Mode::quoted(Stop::Limit);

    pub(super) const fn plain(stop: Stop) -> Mode {
        Mode {
            quoted: false,
            quotes: true,
            stop,
        }
    }

    pub(super) const fn quoted(stop: Stop) -> Mode {
        Mode {
            quoted: true,
            quotes: false,
            stop,
        }
    }

    pub(super) fn mask(self) -> u8 {
        let quoting = if self.quoted { QUOTED } else { PLAIN };
        quoting
            | match self.stop {
                Stop::Brace => BRACE,
                Stop::Slash => BRACE | SLASH,
                Stop::Bracket => BRACKET,
                _ => 0,
            }
    }
}
