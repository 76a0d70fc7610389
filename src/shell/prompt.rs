//! Prompts: texts whose substitutions the shell runs each time that it shows them.

use super::value::Value;
use super::walk::Walker;
use super::{Opaque, Span, Word};

/// `: "PROMPT"`, which runs what showing the prompt runs; `None` where that is nothing.
pub fn shows(prompt: &Word) -> Option<Word> {
    let runs = prompt.opaque == Opaque::No && prompt.text.contains(['`', '$']);
    runs.then(|| Word {
        text: format!(": \"{}\"", prompt.text.replace('"', "\\\"")),
        ..prompt.clone()
    })
}

impl Walker<'_> {
    /// `set -x`: `PS4` stands before every line that is traced.
    pub(super) fn trace(&mut self) {
        let Some(var) = self.state.vars.get("PS4") else {
            return;
        };
        let known = var.values.iter().filter_map(|value| match value {
            Value::Text(val) => shows(&super::value::word_of(val)),
            _ => None,
        });
        let known: Vec<Word> = known.collect();
        for text in known {
            self.text_here(&text.text, Span::default(), None);
        }
    }
}
