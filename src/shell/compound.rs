//! Compound commands: `if`, loops, `case`, groups, functions, `[[ ]]`, arrays.

use super::ast::{ArmNode, ArrayNode, Branch, Id, Node, Part, Run};
use super::grammar::{CLOSE_BRACE, DO, DONE, ELSE, ESAC, FI, Keyword, NEXT_ARM, THEN};
use super::lexer::{Mode, Parser, Stop};

impl Parser<'_> {
    /// The compound command that begins here, if one does.
    pub(super) fn compound(&mut self) -> Option<Id> {
        let start = self.at;
        if self.byte() == Some(b'(') {
            let (second, next) = self.after(start);
            if next == Some(b'(')
                && let Some(end) = self.arithmetic_end(second + 1)
            {
                let word = self.inner(second + 1, end, end + 2);
                return Some(self.node(Node::Arith(word)));
            }
            self.at += 1;
            let body = self.paren_body();
            return Some(self.node(Node::Subshell(body)));
        }
        let (keyword, end) = self.keyword()?;
        if matches!(
            keyword,
            Keyword::Bang | Keyword::Time | Keyword::Then | Keyword::Elif | Keyword::Else
        ) || matches!(
            keyword,
            Keyword::Fi | Keyword::Do | Keyword::Done | Keyword::Esac | Keyword::Close
        ) {
            if keyword.terminator() & self.wants != 0 {
                return Some(self.empty());
            }
            self.problem("stray reserved word", start, end);
            self.at = end;
            return None;
        }
        self.at = end;
        if !self.enter() {
            return Some(self.empty());
        }
        let node = match keyword {
            Keyword::Open => {
                let body = self.list(CLOSE_BRACE);
                self.expect(Keyword::Close, start);
                self.node(Node::Group(body))
            }
            Keyword::If => self.branches(start),
            Keyword::While | Keyword::Until => {
                let cond = self.list(DO);
                let body = self.do_done(start);
                self.node(Node::While { cond, body })
            }
            Keyword::For | Keyword::Select => self.for_loop(start, keyword == Keyword::Select),
            Keyword::Case => self.case(start),
            Keyword::Function => self.function_word(),
            Keyword::Coproc => self.coproc(),
            _ => self.test(start),
        };
        self.leave();
        Some(node)
    }

    fn do_done(&mut self, start: usize) -> Id {
        if self.expect(Keyword::Do, start) {
            let body = self.list(DONE);
            self.expect(Keyword::Done, start);
            body
        } else {
            self.empty()
        }
    }

    fn branches(&mut self, start: usize) -> Id {
        let base = self.branches.len();
        let mut other = None;
        loop {
            let cond = self.list(THEN);
            if !self.expect(Keyword::Then, start) {
                let body = self.empty();
                self.branches.push(Branch { cond, body });
                break;
            }
            let body = self.list(ELSE | FI);
            self.branches.push(Branch { cond, body });
            if self.take(Keyword::Elif) {
                continue;
            }
            if self.take(Keyword::Else) {
                other = Some(self.list(FI));
            }
            self.expect(Keyword::Fi, start);
            break;
        }
        let at = self.ast.branches.len();
        self.ast.branches.extend(self.branches.drain(base..));
        let branches = Run::new(at, self.ast.branches.len());
        self.node(Node::If { branches, other })
    }

    fn for_loop(&mut self, start: usize, select: bool) -> Id {
        self.blanks();
        let (second, next) = self.after(self.at);
        if self.byte() == Some(b'(')
            && next == Some(b'(')
            && let Some(end) = self.arithmetic_end(second + 1)
        {
            let word = self.inner(second + 1, end, end + 2);
            let body = self.loop_body(start);
            return self.node(Node::ForArith { word, body });
        }
        let word = self.word(Mode::WORD);
        let name = match self.ast.parts(word) {
            [Part::Text { run, .. }] => *run,
            _ => Run::default(),
        };
        if name.is_empty() {
            self.problem("`for` without a name", start, self.at);
        }
        self.space();
        let words = self.starts_with_in().then(|| {
            let base = self.words.len();
            loop {
                self.blanks();
                let at = self.at;
                if matches!(
                    self.byte(),
                    None | Some(b'\n' | b';' | b'&' | b'|' | b'(' | b')')
                ) {
                    break;
                }
                let word = self.word(Mode::WORD);
                self.expand_braces(word);
                if self.at == at {
                    break;
                }
            }
            let at = self.ast.words.len();
            self.ast.words.extend(self.words.drain(base..));
            Run::new(at, self.ast.words.len())
        });
        let body = self.loop_body(start);
        self.node(Node::For {
            name,
            words,
            body,
            select,
        })
    }

    /// Steps over `in`.
    fn starts_with_in(&mut self) -> bool {
        let (second, next) = self.after(self.at);
        let (end, last) = self.after(second);
        let there = self.byte() == Some(b'i')
            && next == Some(b'n')
            && matches!(
                last,
                None | Some(b' ' | b'\t' | b'\n' | b';' | b'(' | b')' | b'&' | b'|' | b'<' | b'>')
            );
        if there {
            self.at = end;
        }
        there
    }

    /// `; do … done` or `{ … }`.
    fn loop_body(&mut self, start: usize) -> Id {
        self.blanks();
        if self.byte() == Some(b';') {
            self.at += 1;
        }
        self.space();
        if self.take(Keyword::Open) {
            let body = self.list(CLOSE_BRACE);
            self.expect(Keyword::Close, start);
            return body;
        }
        self.do_done(start)
    }

    fn case(&mut self, start: usize) -> Id {
        self.blanks();
        let word = self.word_id(Mode::WORD);
        self.space();
        if !self.starts_with_in() {
            self.problem("`case` without `in`", start, self.at);
        }
        let mut arms: Vec<ArmNode> = Vec::new();
        let wants = self.wants;
        self.wants |= ESAC | NEXT_ARM;
        loop {
            self.space();
            let at = self.at;
            if self.byte().is_none() || self.keyword().is_some_and(|(k, _)| k == Keyword::Esac) {
                break;
            }
            if self.byte() == Some(b'(') {
                self.at += 1;
            }
            let (patterns, any, closed) = self.patterns();
            if !closed {
                self.problem("`case` pattern without `)`", at, self.at);
            }
            let body = self.list(ESAC | NEXT_ARM);
            let mut falls = false;
            let mut ended = false;
            if self.byte() == Some(b';') {
                ended = true;
                let (second, next) = self.after(self.at);
                let (third, last) = self.after(second);
                match (next, last) {
                    (Some(b';'), Some(b'&')) => {
                        falls = true;
                        self.at = third + 1;
                    }
                    (Some(b'&'), _) => {
                        falls = true;
                        self.at = second + 1;
                    }
                    _ => self.at = second + 1,
                }
            }
            arms.push(ArmNode {
                patterns,
                body,
                falls,
                any,
            });
            if self.at == at || !ended {
                break;
            }
        }
        self.wants = wants;
        self.expect(Keyword::Esac, start);
        let at = self.ast.arms.len();
        self.ast.arms.extend(arms);
        let arms = Run::new(at, self.ast.arms.len());
        self.node(Node::Case { word, arms })
    }

    fn patterns(&mut self) -> (Run, bool, bool) {
        let base = self.words.len();
        let extglob = std::mem::replace(&mut self.extglob, true);
        let mut any = false;
        let mut closed = false;
        loop {
            self.blanks();
            let word = self.word(Mode::WORD);
            any |= self.ast.literal(word) == Some("*");
            self.words.push(word);
            self.blanks();
            match self.byte() {
                Some(b'|') => self.at += 1,
                Some(b')') => {
                    self.at += 1;
                    closed = true;
                    break;
                }
                _ => break,
            }
        }
        self.extglob = extglob;
        let at = self.ast.words.len();
        self.ast.words.extend(self.words.drain(base..));
        (Run::new(at, self.ast.words.len()), any, closed)
    }

    fn function_word(&mut self) -> Id {
        self.blanks();
        let word = self.word(Mode::WORD);
        let name = match self.ast.parts(word) {
            [Part::Text { run, .. }] => *run,
            _ => Run::default(),
        };
        self.blanks();
        if self.byte() == Some(b'(') {
            let (mut at, _) = self.after(self.at);
            while matches!(self.byte_at(at), Some(b' ' | b'\t')) {
                at += 1;
            }
            if self.byte_at(at) == Some(b')') {
                self.at = at + 1;
            }
        }
        self.function_body(name)
    }

    fn coproc(&mut self) -> Id {
        self.blanks();
        let at = self.at;
        if self.keyword().is_none() && self.byte().is_some_and(super::dollar::is_name_start) {
            self.word(Mode::WORD);
            self.blanks();
            let compound = self.byte() == Some(b'(')
                || self.keyword().is_some_and(|(k, _)| {
                    matches!(
                        k,
                        Keyword::Open
                            | Keyword::If
                            | Keyword::While
                            | Keyword::Until
                            | Keyword::For
                    ) || matches!(k, Keyword::Case | Keyword::Select | Keyword::Test)
                });
            if !compound {
                self.at = at;
            }
        }
        let body = self.command();
        self.node(Node::Coproc(body))
    }

    fn test(&mut self, start: usize) -> Id {
        let base = self.words.len();
        loop {
            self.space();
            let at = self.at;
            match self.byte() {
                None | Some(b';') => {
                    self.problem("`[[` without `]]`", start, self.at);
                    break;
                }
                Some(_) => {}
            }
            let word = self.word(Mode::plain(Stop::Test));
            if let [Part::Text { run, quoted: false }] = self.ast.parts(word)
                && self.ast.text(*run) == "]]"
            {
                break;
            }
            self.words.push(word);
            if self.at == at {
                self.at += 1;
            }
        }
        let at = self.ast.words.len();
        self.ast.words.extend(self.words.drain(base..));
        let words = Run::new(at, self.ast.words.len());
        self.node(Node::Test(words))
    }

    /// `(…)` as the value of an assignment.
    pub(super) fn array(&mut self) {
        if !self.enter() {
            return;
        }
        let open = self.at;
        self.at += 1;
        let base = self.words.len();
        let mut keyed = false;
        loop {
            self.space();
            let at = self.at;
            match self.byte() {
                None => {
                    self.problem("unterminated array", open, self.text.len());
                    break;
                }
                Some(b')') => {
                    self.at += 1;
                    break;
                }
                Some(b'[') => keyed = true,
                _ => {}
            }
            let word = self.word(Mode::WORD);
            self.expand_braces(word);
            if self.at == at {
                self.problem("unexpected text in an array", at, at + 1);
                if matches!(self.byte(), Some(b';' | b'&' | b'|')) {
                    break;
                }
                self.at += 1;
            }
        }
        let at = self.ast.words.len();
        self.ast.words.extend(self.words.drain(base..));
        let words = Run::new(at, self.ast.words.len());
        self.ast.arrays.push(ArrayNode { words, keyed });
        let id = (self.ast.arrays.len() - 1) as Id;
        self.parts.push(Part::Array { id });
        self.leave();
    }
}
