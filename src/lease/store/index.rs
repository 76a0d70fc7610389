//! The way from a name to its claim, in one small file for each name.
//!
//! An entry is a hint: it counts only where the claim that it leads to has the name. Entries are
//! written before their claim and removed after it, so that a claim is never without. They are not
//! saved to the disk one by one: after a restart of the machine the index is made anew from the
//! claims.

use super::disk::{Folder, INDEX, read, remove};
use crate::lease::book::{Name, names};
use crate::lease::error::Refusal;
use crate::lease::record::{Claim, Slot};
use crate::state::files::under;
use crate::state::key::Key;
use std::io::ErrorKind;
use std::path::PathBuf;

/// The index of one repository.
#[derive(Debug)]
pub(super) struct Index<'a> {
    pub(super) folder: &'a Folder,
    /// The boot in which it may be trusted.
    pub(super) boot: &'a str,
}

impl Index<'_> {
    fn entry(&self, name: &Name) -> PathBuf {
        let key = Key::new(name.kind()).with(name.text().as_bytes());
        under(&self.folder.root, &[INDEX, name.kind(), &key.hex()])
    }

    fn marker(&self) -> PathBuf {
        under(&self.folder.root, &[INDEX, "boot"])
    }

    /// Whether it was made since the machine started.
    pub(super) fn current(&self) -> bool {
        read(&self.marker()).is_ok_and(|boot| boot == self.boot.as_bytes())
    }

    /// The checkout that `name` leads to; `Err` where the entry is there and cannot be read.
    pub(super) fn find(&self, name: &Name) -> Result<Option<String>, String> {
        match read(&self.entry(name)) {
            Ok(bytes) => match String::from_utf8(bytes) {
                Ok(checkout) => Ok(Some(checkout)),
                Err(_) => Err(format!("the index of {} names is no text", name.kind())),
            },
            Err(e) if e.kind() == ErrorKind::NotFound => Ok(None),
            Err(e) => Err(format!(
                "the index of {} names: {}",
                name.kind(),
                crate::state::files::reason(&e)
            )),
        }
    }

    /// Adds the names of `claim`.
    pub(super) fn add(&self, checkout: &str, claim: &Claim) -> Result<(), Refusal> {
        // Without a boot to tell, a power cut may have come in between.
        let sync = self.boot.is_empty();
        for name in names(claim) {
            if self.find(&name) != Ok(Some(checkout.to_owned())) {
                let bytes = checkout.as_bytes().to_vec();
                self.folder.put(&self.entry(&name), bytes, sync)?;
                if sync {
                    super::disk::sync_dir(&self.folder.index().join(name.kind()))?;
                }
            }
        }
        Ok(())
    }

    /// Removes the names of `old` that `new` has not, as far as they lead to this checkout.
    pub(super) fn drop_names(&self, checkout: &str, old: &Claim, new: Option<&Claim>) {
        let kept = new.map(names).unwrap_or_default();
        for name in names(old) {
            if !kept.contains(&name) && self.find(&name) == Ok(Some(checkout.to_owned())) {
                // What stays leads to no claim with this name, and so to nothing.
                let _ = remove(&self.entry(&name));
            }
        }
    }

    /// Makes it anew from all claims.
    pub(super) fn rebuild(&self, all: &[(String, Slot)]) -> Result<(), Refusal> {
        for (checkout, slot) in all {
            if let Some(claim) = slot.claim() {
                self.add(checkout, claim)?;
            }
        }
        let boot = self.boot.as_bytes().to_vec();
        self.folder.put(&self.marker(), boot, false)
    }
}
