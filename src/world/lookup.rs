//! What earlier layers ask the world: script files, aliases, programs behind links.

use super::{Fact, World, files};
use crate::action::Place;
use crate::shell::{Files, Source};
use std::path::Path;

impl Files for World {
    fn script(&self, path: &Path, executed: bool) -> Source {
        let path = match &self.around.cwd {
            Some(cwd) => &cwd.join(path),
            None if path.is_absolute() => path,
            None => return Source::Unreadable,
        };
        files::script(path, executed)
    }
}

impl crate::action::Lookup for World {
    fn alias(&self, place: &Place, name: &str) -> Result<Option<String>, String> {
        let key = format!("alias.{}", name.to_ascii_lowercase());
        match self.agreed(place, None, |spot| {
            Ok(spot.settings.text(&key)?.map(str::to_owned))
        }) {
            Fact::Known(alias) => Ok(alias),
            Fact::Unknown(why) => Err(why),
        }
    }

    fn corrects(&self, place: &Place) -> bool {
        let key = "help.autocorrect";
        self.spots(place).any(|spot| match spot.settings.text(key) {
            Ok(Some(value)) => {
                let value = value.to_ascii_lowercase();
                let off = ["", "0", "never", "show", "prompt", "false", "no", "off"];
                !off.contains(&value.as_str())
            }
            _ => false,
        })
    }

    fn program(&self, path: &Path) -> Option<String> {
        files::program(path)
    }

    fn claimed(&self) -> bool {
        World::claimed(self)
    }

    fn minds_programs(&self, dir: Option<&Path>) -> bool {
        World::minds_programs(self, dir)
    }
}
