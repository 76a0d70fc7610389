//! Who else works in a checkout, as far as sessions were seen there.

use super::World;
use crate::action::Place;
use std::fmt;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::path::Path;
use std::rc::Rc;

/// Answers whether the session that calls was seen in a checkout, and nobody else.
#[derive(Clone, Default)]
pub struct Company(Option<Rc<Alone>>);

/// Whether the session is alone in the checkout with this top directory.
type Alone = dyn Fn(&Path) -> bool + UnwindSafe + RefUnwindSafe;

impl Company {
    /// One that `alone` answers for.
    pub fn new(alone: impl Fn(&Path) -> bool + UnwindSafe + RefUnwindSafe + 'static) -> Company {
        Company(Some(Rc::new(alone)))
    }
}

impl fmt::Debug for Company {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Company").field(&self.0.is_some()).finish()
    }
}

impl World {
    /// Whether the checkout at `place` is known to be this session's alone.
    pub fn sole(&self, place: &Place) -> bool {
        let Some(alone) = &self.around.company.0 else {
            return false;
        };
        self.checkout(place).is_some_and(|(top, _)| alone(&top))
    }
}
