//! Words as bash would pass them: expansion, splitting, removal of empty words.

use super::ast::{Ast, Id, Part, WordNode};
use super::state::{Val, Value, has_mark};
use super::walk::Walker;
use super::{OPAQUE, Opaque, Span, Word};
use std::rc::Rc;

/// Texts are not followed beyond this length.
pub(super) const LONGEST: usize = 1 << 16;

/// How many words one array or list may bring into a command.
const MOST_WORDS: usize = 4096;

/// Words that are being put together.
pub(super) struct Fields {
    pub(super) words: Vec<Word>,
    span: Span,
    text: String,
    /// There is a word, even if it is empty.
    open: bool,
    many: bool,
    glob: bool,
    /// Everything goes into one word (assignments, redirect targets, heredocs).
    single: bool,
    /// The last field was ended by a blank of `IFS`.
    blank: bool,
}

impl Fields {
    pub(super) fn new(span: Span, single: bool) -> Fields {
        Fields {
            words: Vec::new(),
            span,
            text: String::new(),
            open: false,
            many: false,
            glob: false,
            single,
            blank: false,
        }
    }

    pub(super) fn text(&mut self, text: &str, quoted: bool) {
        self.open |= quoted || !text.is_empty();
        self.glob |= !quoted && text.bytes().any(|b| matches!(b, b'*' | b'?' | b'['));
        self.text.push_str(text);
    }

    pub(super) fn opaque(&mut self, many: bool) {
        self.open = true;
        self.many |= many;
        self.text.push(OPAQUE);
    }

    /// Adds a value; an unquoted one is split.
    pub(super) fn value(&mut self, val: &Val, quoted: bool, ifs: Option<&str>) {
        if quoted || self.single {
            self.many |= self.single && val.splits;
            self.text(&val.text, quoted || !self.single);
            return;
        }
        let many = val.splits && has_mark(&val.text);
        match ifs {
            Some(ifs) => self.split(&val.text, ifs, many),
            None => {
                self.many = true;
                self.text(&val.text, false);
            }
        }
    }

    fn split(&mut self, text: &str, ifs: &str, many: bool) {
        if !text.chars().any(|c| ifs.contains(c)) {
            self.many |= many;
            self.text(text, false);
            return;
        }
        for c in text.chars() {
            if !ifs.contains(c) {
                self.blank = false;
                self.open = true;
                self.many |= many && c == OPAQUE;
                self.glob |= matches!(c, '*' | '?' | '[');
                self.text.push(c);
            } else if c.is_ascii_whitespace() {
                if self.open {
                    self.end();
                    self.blank = true;
                }
            } else if self.blank {
                self.blank = false;
            } else {
                self.open = true;
                self.end();
            }
        }
    }

    /// Ends the word, if there is one.
    pub(super) fn end(&mut self) {
        if self.open {
            let text = std::mem::take(&mut self.text);
            let opaque = if self.many && !self.single {
                Opaque::Many
            } else if has_mark(&text) {
                Opaque::One
            } else {
                Opaque::No
            };
            self.words.push(Word {
                text,
                span: self.span,
                opaque,
                glob: self.glob,
            });
        }
        self.open = false;
        self.many = false;
        self.glob = false;
    }

    /// The one word, whatever it holds.
    fn only(mut self) -> (Word, bool) {
        self.open = true;
        let many = self.many;
        self.single = true;
        self.end();
        (self.words.pop().unwrap_or_default(), many)
    }
}

impl Walker<'_> {
    /// Expands `nodes` into words.
    pub(super) fn fields(&mut self, ast: &Rc<Ast>, nodes: &[WordNode], out: &mut Vec<Word>) {
        for node in nodes {
            self.field(ast, *node, out);
        }
    }

    pub(super) fn field(&mut self, ast: &Rc<Ast>, node: WordNode, out: &mut Vec<Word>) {
        let span = self.span(node.start, node.end);
        let parts = ast.parts(node);
        if let [Part::Text { run, quoted }] = parts {
            let text = ast.text(*run);
            if *quoted || !text.contains('~') {
                out.push(self.plain_word(text, *quoted, span));
                return;
            }
        }
        let mut fields = Fields::new(span, false);
        fields.words = std::mem::take(out);
        self.tilde_and_parts(ast, parts, &mut fields);
        fields.end();
        *out = fields.words;
    }

    fn plain_word(&mut self, text: &str, quoted: bool, span: Span) -> Word {
        let mut opaque = Opaque::No;
        let mut glob = false;
        for b in text.bytes() {
            match b {
                0x01 | 0xF3 | 0xF4 => opaque = Opaque::One,
                b'*' | b'?' | b'[' => glob = !quoted,
                _ => {}
            }
        }
        if opaque != Opaque::No && !has_mark(text) {
            opaque = Opaque::No;
        }
        Word {
            text: text.to_string(),
            span,
            opaque,
            glob,
        }
    }

    fn tilde_and_parts(&mut self, ast: &Rc<Ast>, parts: &[Part], fields: &mut Fields) {
        let Some(Part::Text { run, quoted: false }) = parts.first() else {
            self.parts(ast, parts, fields, false);
            return;
        };
        let text = ast.text(*run);
        let rest = parts.get(1..).unwrap_or(&[]);
        let assigned = text
            .find('=')
            .filter(|&i| is_identifier(text.get(..i).unwrap_or("")));
        match assigned {
            Some(i) if text.contains('~') => {
                let (name, value) = text.split_at_checked(i + 1).unwrap_or((text, ""));
                fields.text(name, false);
                self.tildes(value, rest.is_empty(), true, fields);
            }
            _ if text.starts_with('~') => self.tildes(text, rest.is_empty(), false, fields),
            _ => fields.text(text, false),
        }
        self.parts(ast, rest, fields, false);
    }

    /// Unquoted literal text in which `~` may stand for a directory; `whole` when no other part
    /// follows it.
    fn tildes(&mut self, text: &str, whole: bool, assigned: bool, fields: &mut Fields) {
        let mut first = true;
        for piece in text.split_inclusive(':') {
            let (body, colon) = match piece.strip_suffix(':') {
                Some(body) if assigned => (body, ":"),
                _ => (piece, ""),
            };
            let starts = body.starts_with('~') && (first || assigned);
            first = false;
            let user = body.split('/').next().unwrap_or(body);
            let ends = user.len() < body.len() || !colon.is_empty() || whole;
            if starts && ends {
                let home = match user {
                    "~" => self.scalar("HOME"),
                    "~+" => self.scalar("PWD"),
                    "~-" => self.scalar("OLDPWD"),
                    _ => Val::number(),
                };
                fields.text(&home.text, true);
                fields.text(body.get(user.len()..).unwrap_or(""), false);
            } else {
                fields.text(body, false);
            }
            fields.text(colon, false);
        }
    }

    /// Expands parts; `operand` when they stand inside an unquoted `${…}`, where literal text is
    /// split too.
    pub(super) fn parts(
        &mut self,
        ast: &Rc<Ast>,
        parts: &[Part],
        fields: &mut Fields,
        operand: bool,
    ) {
        for part in parts {
            if fields.text.len() > LONGEST || fields.words.len() > MOST_WORDS {
                fields.opaque(true);
                self.spend(1);
            }
            match *part {
                Part::Text { run, quoted } => {
                    let text = ast.text(run);
                    if operand && !quoted {
                        let ifs = self.ifs();
                        let val = Val {
                            text: text.into(),
                            splits: false,
                        };
                        fields.value(&val, false, ifs.as_deref());
                    } else {
                        fields.text(text, quoted);
                    }
                }
                Part::Opaque { quoted } => fields.opaque(!quoted),
                Part::Var { name, quoted, .. } => self.variable(ast.text(name), quoted, fields),
                Part::Param { id, quoted } => self.param(ast, id, quoted, fields),
                Part::Subst { body, quoted } => {
                    let val = self.substitution(ast, body);
                    let ifs = self.ifs();
                    fields.value(&val, quoted, ifs.as_deref());
                }
                Part::Unit { unit, quoted } => {
                    if let Some(unit) = ast.units.get(unit as usize) {
                        let val = self.unit_substitution(unit, fields.span);
                        let ifs = self.ifs();
                        fields.value(&val, quoted, ifs.as_deref());
                    }
                }
                Part::UnitText { unit } => {
                    if let Some(unit) = ast.units.get(unit as usize) {
                        self.unit_text(unit, fields);
                    }
                }
                Part::Proc { body, write } => {
                    let path = self.process(ast, body, write);
                    fields.text(&path, true);
                }
                Part::Arith { word } => {
                    self.arithmetic(ast, word);
                    fields.opaque(false);
                }
                Part::Array { id } => self.array_text(ast, id, fields),
                Part::Flood => fields.opaque(true),
            }
            self.spend(1 + fields.text.len() as u64 / 64);
        }
    }

    /// The text of a heredoc that was parsed by itself: all of it has one span.
    fn unit_text(&mut self, unit: &Rc<Ast>, fields: &mut Fields) {
        let fixed = self.fix(fields.span);
        let body = unit.body;
        self.parts(unit, unit.parts(body), fields, false);
        self.fixed = fixed;
    }

    /// `name=(…)` as an argument: its elements are what counts.
    fn array_text(&mut self, ast: &Rc<Ast>, id: Id, fields: &mut Fields) {
        let items = self.array(ast, id);
        fields.text("(", true);
        match items {
            Value::Array(items) => {
                for (i, item) in items.iter().enumerate() {
                    if i > 0 {
                        fields.text(" ", true);
                    }
                    fields.text(&item.text, true);
                }
            }
            _ => fields.opaque(false),
        }
        fields.text(")", true);
    }

    /// The elements of an array literal, as far as they can be counted.
    pub(super) fn array(&mut self, ast: &Rc<Ast>, id: Id) -> Value {
        let Some(node) = ast.arrays.get(id as usize).copied() else {
            return Value::opaque();
        };
        let mut words = Vec::new();
        self.fields(ast, node.words.of(&ast.words), &mut words);
        if node.keyed {
            return Value::opaque();
        }
        let counted = words
            .iter()
            .take_while(|w| w.opaque != Opaque::Many && !w.glob);
        let items: Vec<Val> = counted.map(Val::of).collect();
        if items.len() < words.len() {
            Value::Open(Rc::new(items))
        } else {
            Value::Array(Rc::new(items))
        }
    }

    /// One word whatever it holds, and whether its unknown stretches may hold blanks.
    pub(super) fn single(&mut self, ast: &Rc<Ast>, node: WordNode) -> (Word, bool) {
        let mut fields = Fields::new(self.span(node.start, node.end), true);
        let parts = ast.parts(node);
        self.tilde_and_parts(ast, parts, &mut fields);
        fields.only()
    }

    /// The value that an assignment gives.
    pub(super) fn value(&mut self, ast: &Rc<Ast>, node: WordNode) -> (Word, Val) {
        let mut fields = Fields::new(self.span(node.start, node.end), true);
        let parts = ast.parts(node);
        match parts.first() {
            Some(Part::Text { run, quoted: false }) if ast.text(*run).contains('~') => {
                let rest = parts.get(1..).unwrap_or(&[]);
                self.tildes(ast.text(*run), rest.is_empty(), true, &mut fields);
                self.parts(ast, rest, &mut fields, false);
            }
            _ => self.parts(ast, parts, &mut fields, false),
        }
        let (word, many) = fields.only();
        let val = Val {
            text: word.text.as_str().into(),
            splits: many
                || parts
                    .iter()
                    .any(|p| matches!(p, Part::Opaque { quoted: false })),
        };
        (word, val)
    }

    /// The body of a heredoc.
    pub(super) fn heredoc(&mut self, ast: &Rc<Ast>, node: WordNode) -> Word {
        let mut fields = Fields::new(self.span(node.start, node.end), true);
        self.parts(ast, ast.parts(node), &mut fields, false);
        fields.only().0
    }

    /// `IFS`; `None` when unknown.
    pub(super) fn ifs(&mut self) -> Option<String> {
        match self.state.vars.get("IFS").map(|v| v.values.as_slice()) {
            None | Some([Value::Unset]) => Some(" \t\n".to_string()),
            Some([Value::Text(val)]) => val.plain().map(str::to_string),
            _ => None,
        }
    }
}

pub(super) fn is_identifier(text: &str) -> bool {
    let mut bytes = text.bytes();
    bytes.next().is_some_and(super::dollar::is_name_start) && bytes.all(super::dollar::is_name)
}
