//! A parsed script: flat tables and indices, so that neither making nor dropping one recurses.

use std::rc::Rc;

/// An index into one of the tables of an [`Ast`].
pub(super) type Id = u32;

/// A stretch of one of the tables.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Run {
    pub(super) at: u32,
    pub(super) end: u32,
}

impl Run {
    pub(super) fn new(at: usize, end: usize) -> Run {
        Run {
            at: at as u32,
            end: end as u32,
        }
    }

    pub(super) fn of<T>(self, table: &[T]) -> &[T] {
        table.get(self.range()).unwrap_or(&[])
    }

    pub(super) fn range(self) -> std::ops::Range<usize> {
        self.at as usize..self.end as usize
    }

    pub(super) fn len(self) -> usize {
        self.end.saturating_sub(self.at) as usize
    }

    pub(super) fn is_empty(self) -> bool {
        self.at >= self.end
    }
}

/// A piece of a word.
#[derive(Debug, Clone, Copy)]
pub(super) enum Part {
    /// Text of the pool, quotes removed.
    Text { run: Run, quoted: bool },
    /// A stretch that was already unknown in the text that was parsed.
    Opaque { quoted: bool },
    /// `$name`, `${name}`; `bare` when a letter after it would lengthen the name.
    Var { name: Run, quoted: bool, bare: bool },
    /// `${name…}` with an operator, a subscript, `#` or `!`.
    Param { id: Id, quoted: bool },
    /// `$(…)`: the node that it runs.
    Subst { body: Id, quoted: bool },
    /// A backtick substitution with escapes: a text of its own.
    Unit { unit: Id, quoted: bool },
    /// The body of a heredoc whose tabs were stripped: a text of its own, expanded in place.
    UnitText { unit: Id },
    /// `<(…)` or `>(…)`.
    Proc { body: Id, write: bool },
    /// `$((…))`.
    Arith { word: Id },
    /// `(…)` after `name=`.
    Array { id: Id },
    /// A brace expansion that was capped: any number of words.
    Flood,
}

/// A word as it was written.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct WordNode {
    pub(super) parts: Run,
    pub(super) start: u32,
    pub(super) end: u32,
}

/// What `${…}` does with the value.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Op {
    #[default]
    None,
    /// `-` and `:-`.
    Default,
    /// `=` and `:=`.
    Assign,
    /// `?` and `:?`.
    Error,
    /// `+` and `:+`.
    Alternate,
    /// `#`, `##`.
    Prefix,
    /// `%`, `%%`.
    Suffix,
    /// `/`, `//`, `/#`, `/%`.
    Replace,
    /// `:offset:length`.
    Slice,
    /// `^`, `,` and their doubles.
    Case,
    /// `@Q` and its kin, and what is not understood.
    Other,
}

/// `${…}` with more than a name.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct ParamNode {
    pub(super) name: Run,
    pub(super) index: Option<Id>,
    pub(super) op: Op,
    /// `:` stood before the operator: an empty value counts as unset.
    pub(super) colon: bool,
    /// The operator character, where it was doubled or followed (`##`, `//`, `^^`).
    pub(super) twice: bool,
    /// The operator character itself.
    pub(super) sign: u8,
    pub(super) arg: Option<Id>,
    pub(super) second: Option<Id>,
    pub(super) length: bool,
    pub(super) indirect: bool,
}

/// `name=value`, `name+=value`, `name[index]=value`.
#[derive(Debug, Clone, Copy)]
pub(super) struct AssignNode {
    pub(super) name: Run,
    pub(super) index: Option<Id>,
    pub(super) append: bool,
    pub(super) value: WordNode,
}

/// An element of an array literal.
#[derive(Debug, Clone, Copy)]
pub(super) struct ArrayNode {
    pub(super) words: Run,
    /// Some element names its index.
    pub(super) keyed: bool,
}

/// What a redirect does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RedirOp {
    Read,
    Write,
    Append,
    ReadWrite,
    DupIn,
    DupOut,
    /// `&>`
    Both,
    /// `&>>`
    BothAppend,
    Heredoc,
    HereString,
}

/// A redirect.
#[derive(Debug, Clone, Copy)]
pub(super) struct RedirNode {
    pub(super) op: RedirOp,
    /// The descriptor in front; `None` = the operator's own.
    pub(super) fd: Option<u32>,
    /// `{name}` stood in front: a fresh descriptor.
    pub(super) fresh: bool,
    /// The target, or the body of the heredoc.
    pub(super) target: Id,
}

/// `pattern) body ;;`
#[derive(Debug, Clone, Copy)]
pub(super) struct ArmNode {
    pub(super) patterns: Run,
    pub(super) body: Id,
    /// `;&` or `;;&`: the next arm may run too.
    pub(super) falls: bool,
    /// One pattern is `*`.
    pub(super) any: bool,
}

/// A command after `&&` or `||`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Link {
    pub(super) or: bool,
    pub(super) node: Id,
}

/// An entry of a list.
#[derive(Debug, Clone, Copy)]
pub(super) struct Item {
    pub(super) node: Id,
    pub(super) background: bool,
}

/// `if`'s or `elif`'s condition and body.
#[derive(Debug, Clone, Copy)]
pub(super) struct Branch {
    pub(super) cond: Id,
    pub(super) body: Id,
}

/// A simple command.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct SimpleNode {
    pub(super) assigns: Run,
    pub(super) words: Run,
    pub(super) redirs: Run,
    pub(super) start: u32,
    pub(super) end: u32,
}

/// A command of any kind. `redirs` of compound commands stand in [`Node::Redirected`].
#[derive(Debug, Clone, Copy)]
pub(super) enum Node {
    Simple(SimpleNode),
    List(Run),
    AndOr {
        first: Id,
        rest: Run,
    },
    Pipe {
        stages: Run,
        negated: bool,
    },
    Subshell(Id),
    Group(Id),
    If {
        branches: Run,
        other: Option<Id>,
    },
    While {
        cond: Id,
        body: Id,
    },
    For {
        name: Run,
        /// `None` = the positional parameters.
        words: Option<Run>,
        body: Id,
        select: bool,
    },
    ForArith {
        word: Id,
        body: Id,
    },
    Case {
        word: Id,
        arms: Run,
    },
    Function {
        name: Run,
        body: Id,
    },
    Arith(Id),
    Test(Run),
    Coproc(Id),
    Redirected {
        body: Id,
        redirs: Run,
        start: u32,
        end: u32,
    },
}

/// A parsed text.
#[derive(Debug, Default)]
pub(super) struct Ast {
    pub(super) pool: String,
    pub(super) parts: Vec<Part>,
    pub(super) words: Vec<WordNode>,
    pub(super) params: Vec<ParamNode>,
    pub(super) assigns: Vec<AssignNode>,
    pub(super) arrays: Vec<ArrayNode>,
    pub(super) redirs: Vec<RedirNode>,
    pub(super) arms: Vec<ArmNode>,
    pub(super) links: Vec<Link>,
    pub(super) items: Vec<Item>,
    pub(super) branches: Vec<Branch>,
    pub(super) stages: Vec<Id>,
    pub(super) nodes: Vec<Node>,
    pub(super) units: Vec<Rc<Ast>>,
    /// Where lines end, for texts whose lines are told.
    pub(super) newlines: Vec<u32>,
    /// What runs first.
    pub(super) root: Id,
    /// The text itself as a word (a heredoc's body).
    pub(super) body: WordNode,
}

impl Ast {
    pub(super) fn text(&self, run: Run) -> &str {
        self.pool.get(run.range()).unwrap_or("")
    }

    pub(super) fn word(&self, id: Id) -> WordNode {
        self.words.get(id as usize).copied().unwrap_or_default()
    }

    pub(super) fn node(&self, id: Id) -> Node {
        self.nodes
            .get(id as usize)
            .copied()
            .unwrap_or(Node::List(Run::default()))
    }

    pub(super) fn parts(&self, word: WordNode) -> &[Part] {
        word.parts.of(&self.parts)
    }

    /// The word's text when it is one unquoted or quoted literal.
    pub(super) fn literal(&self, word: WordNode) -> Option<&str> {
        match self.parts(word) {
            [Part::Text { run, .. }] => Some(self.text(*run)),
            _ => None,
        }
    }

    /// The line of a position, from 1.
    pub(super) fn line(&self, at: usize) -> usize {
        self.newlines.partition_point(|&n| (n as usize) < at) + 1
    }
}
