//! Aliases of the shell: they count after `shopt -s expand_aliases`, and may count where nobody said so.

use super::simple::Out;
use super::value::Args;
use super::walk::Walker;
use super::{Command, Word};
use std::collections::BTreeMap;
use std::rc::Rc;

/// What `alias` defined, and whether it counts.
#[derive(Debug, Clone, Default)]
pub(super) struct Aliases {
    texts: BTreeMap<Rc<str>, Word>,
    /// As `shopt` said. Until then it is open: zsh follows aliases in any text, and so does a bash
    /// that its host has started with `expand_aliases`.
    expands: Option<bool>,
}

impl Aliases {
    /// None is defined.
    pub(super) const START: Aliases = Aliases {
        texts: BTreeMap::new(),
        expands: None,
    };
}

impl Walker<'_> {
    /// `alias name=text …`
    pub(super) fn alias(&mut self, args: &[Word]) {
        for word in args {
            if let Some((name, text)) = word.text.split_once('=') {
                let text = Word {
                    text: text.to_owned(),
                    ..word.clone()
                };
                let aliases = self.state.aliases.change();
                aliases.texts.insert(name.into(), text);
            }
        }
    }

    /// `shopt -s|-u expand_aliases|lastpipe`
    pub(super) fn shopt(&mut self, args: &[Word]) {
        let has = |text: &str| args.iter().any(|w| w.text == text);
        if has("expand_aliases") {
            self.state.aliases.change().expands = Some(has("-s"));
        }
        if has("lastpipe") {
            self.state.lastpipe = has("-s");
        }
    }

    /// The text of the alias `name`.
    pub(super) fn alias_text(&self, name: &str) -> Option<&str> {
        let text = self.state.aliases.texts.get(name)?;
        text.known()
    }

    /// What the alias of that name stands for, and whether aliases count for sure.
    pub(super) fn alias_of(&self, word: &Word, builtins: bool) -> Option<(Word, bool)> {
        let aliases = &self.state.aliases;
        if !builtins || aliases.texts.is_empty() || aliases.expands == Some(false) {
            return None;
        }
        let text = aliases.texts.get(word.known()?)?;
        Some((text.clone(), aliases.expands == Some(true)))
    }

    /// An alias is its text with the words behind it.
    pub(super) fn aliased(&mut self, text: &Word, mut command: Box<Command>, out: Out) {
        command.wrapper = true;
        let shown = command.clone();
        self.emit(command);
        if !self.enter() {
            return;
        }
        let rest = shown.words.get(1..).unwrap_or(&[]);
        let saved = std::mem::replace(&mut self.state.args, Args::of(rest).into());
        // It is not looked up again in its own text.
        let aliases = std::mem::take(&mut self.state.aliases);
        let whole = format!("{} \"$@\"", text.text);
        self.inside(&shown, &out, |w| w.text_here(&whole, text.span, None));
        self.state.args = saved;
        self.state.aliases = aliases;
        self.leave();
    }
}
