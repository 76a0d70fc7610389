//! What most shells have none of: it takes no memory until there is some, and copies share it.

use super::alias::Aliases;
use super::value::Args;
use std::collections::BTreeMap;
use std::ops::Deref;
use std::rc::Rc;

/// What a shell starts with.
pub(super) trait Start: Clone + Default + 'static {
    /// The same as the default.
    const START: &'static Self;
}

impl<T: Clone + 'static> Start for Vec<T> {
    const START: &'static Vec<T> = &Vec::new();
}

impl<K: Clone + 'static, V: Clone + 'static> Start for BTreeMap<K, V> {
    const START: &'static BTreeMap<K, V> = &BTreeMap::new();
}

impl Start for Args {
    const START: &'static Args = &Args::START;
}

impl Start for Aliases {
    const START: &'static Aliases = &Aliases::START;
}

/// A value that is shared until one of its owners changes it.
#[derive(Debug, Clone)]
pub(super) struct Few<T>(Option<Rc<T>>);

impl<T: Start> Few<T> {
    /// For changing: what others share stays as it is.
    pub(super) fn change(&mut self) -> &mut T {
        Rc::make_mut(self.0.get_or_insert_default())
    }

    /// Whether nothing was changed in either since one was copied from the other.
    pub(super) fn same(a: &Few<T>, b: &Few<T>) -> bool {
        match (&a.0, &b.0) {
            (None, None) => true,
            (Some(a), Some(b)) => Rc::ptr_eq(a, b),
            _ => false,
        }
    }
}

impl<T> Default for Few<T> {
    fn default() -> Few<T> {
        Few(None)
    }
}

impl<T> From<T> for Few<T> {
    fn from(value: T) -> Few<T> {
        Few(Some(Rc::new(value)))
    }
}

impl<T: Start> Deref for Few<T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.0.as_deref().unwrap_or(T::START)
    }
}

impl<T: Start + PartialEq> PartialEq for Few<T> {
    fn eq(&self, other: &Few<T>) -> bool {
        **self == **other
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_is_the_same_until_one_of_the_two_is_changed() {
        let mut one: Few<Vec<u8>> = Few::default();
        let mut other = one.clone();
        assert!(Few::same(&one, &other) && one.is_empty());
        one.change().push(1);
        assert!(!Few::same(&one, &other) && other.is_empty() && one != other);
        other = one.clone();
        assert!(Few::same(&one, &other));
        other.change().push(2);
        assert_eq!((&**one, &**other), (&[1][..], &[1, 2][..]));
    }

    #[test]
    fn what_nobody_changed_is_the_default() {
        assert_eq!(*Few::<Args>::default(), Args::default());
    }
}
