//! The layers and the law by which they join: who may loosen, who only tightens.

use super::Policy;
use super::ci::Took;
use super::files::{Found, Source};
use super::places::Places;
use super::preset;
use super::read::{self, Part, Set, Sheet};
use super::section::{Match, Matcher};
use super::table::{COUNT, KEYS, Known, at};
use super::wish::{Case, Wish};
use crate::verdict::Decision;
use std::fmt;

/// Who decided something. Later ones speak after earlier ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Layer {
    /// leaseguard as it comes.
    #[default]
    BuiltIn,
    /// The administrator's policy.
    Managed,
    /// The person's own policy.
    User,
    /// A `[[repo]]` section of it.
    UserRepo,
    /// The repository's own policy.
    Project,
    /// The version of it that a person trusted last.
    Trusted,
}

impl fmt::Display for Layer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Layer::BuiltIn => "built-in",
            Layer::Managed => "managed policy.toml",
            Layer::User => "user policy.toml",
            Layer::UserRepo => "[[repo]] in user policy.toml",
            Layer::Project => "project leaseguard.toml",
            Layer::Trusted => "trusted leaseguard.toml",
        })
    }
}

/// What a layer may do with what earlier ones said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Power {
    /// Replace it.
    Replace,
    /// Only make it stricter.
    Tighten,
}

/// What the administrator has said, and nobody after him loosens.
#[derive(Debug, Default)]
struct Pins {
    /// Everything: his policy is broken, and what it pins is not known.
    all: bool,
    keys: [bool; COUNT],
    rules: Vec<&'static str>,
}

/// Joins what was found at `places`.
pub(super) fn merge(found: &Found, places: &Places) -> Policy {
    let mut merge = Merge {
        policy: Policy::default(),
        pins: Pins::default(),
        rules: places.rules,
    };
    merge.managed(&found.managed);
    merge.user(&found.user, places);
    merge.project(&found.project, &found.trusted);
    merge.policy
}

/// Whether the file is to the byte what a person trusted.
fn same(file: &Source, trusted: &Source) -> bool {
    match (file, trusted) {
        (
            Source::Text {
                text, doubt: None, ..
            },
            Source::Text {
                text: known,
                doubt: None,
                ..
            },
        ) => text == known,
        _ => false,
    }
}

struct Merge<'a> {
    policy: Policy,
    pins: Pins,
    rules: &'a [Known],
}

impl Merge<'_> {
    fn managed(&mut self, source: &Source) {
        let Some((sheet, sound)) = self.sheet(source, false) else {
            self.pins.all = matches!(source, Source::Broken(_));
            return;
        };
        if sound {
            self.part(&sheet.top, Layer::Managed, Power::Replace);
            self.pin(&sheet.top);
        } else {
            self.part(&sheet.top, Layer::Managed, Power::Tighten);
            self.pins.all = true;
        }
    }

    fn user(&mut self, source: &Source, places: &Places) {
        let Some((sheet, sound)) = self.sheet(source, true) else {
            return;
        };
        let power = if sound {
            Power::Replace
        } else {
            Power::Tighten
        };
        self.part(&sheet.top, Layer::User, power);
        let mut matcher = Matcher::new(places);
        for section in &sheet.sections {
            match matcher.of(section) {
                Match::No => {}
                Match::Tightens => self.part(section, Layer::UserRepo, Power::Tighten),
                Match::Yes => self.part(section, Layer::UserRepo, power),
            }
        }
    }

    fn project(&mut self, file: &Source, trusted: &Source) {
        if same(file, trusted) {
            if let Some((sheet, sound)) = self.sheet(file, false) {
                let power = if sound {
                    Power::Replace
                } else {
                    Power::Tighten
                };
                self.part(&sheet.top, Layer::Project, power);
            }
            return;
        }
        if let Some((sheet, _)) = self.sheet(file, false) {
            self.part(&sheet.top, Layer::Project, Power::Tighten);
        }
        if let Some((sheet, _)) = self.sheet(trusted, false) {
            self.part(&sheet.top, Layer::Trusted, Power::Tighten);
        }
    }

    /// What a file says, and whether it may loosen at all; its troubles are noted.
    fn sheet<'t>(&mut self, source: &'t Source, sections: bool) -> Option<(Sheet<'t>, bool)> {
        match source {
            Source::Missing => None,
            Source::Broken(what) => {
                self.policy.troubles.push(what.clone());
                None
            }
            Source::Text { text, doubt, name } => {
                let mut sheet = read::sheet(text, self.rules, sections);
                let sound = sheet.troubles.is_empty() && doubt.is_none();
                let told = doubt
                    .map(str::to_owned)
                    .into_iter()
                    .chain(sheet.troubles.drain(..));
                self.policy
                    .troubles
                    .extend(told.map(|t| format!("{name}: {t}")));
                Some((sheet, sound))
            }
        }
    }

    fn pin(&mut self, part: &Part) {
        for change in part.preset.into_iter().flat_map(preset::changes) {
            match change {
                preset::Change::Key(index, _) => self.pin_key(index),
                preset::Change::Rule(id, _) => self.pins.rules.push(id),
            }
        }
        if part.preset.is_some() {
            self.pin_key(at::PRESET);
        }
        for set in &part.sets {
            match set {
                Set::Choice(index, _) | Set::Span(index, _) | Set::Texts(index, _) => {
                    self.pin_key(*index);
                }
                // A bot is pinned by being there: others only add.
                Set::Bot(_) => {}
                Set::Bases(_) => self.pin_key(at::BASE_BRANCHES),
                Set::Rule(id, _) => self.pins.rules.push(id),
            }
        }
    }

    fn pin_key(&mut self, index: usize) {
        if let Some(pin) = self.pins.keys.get_mut(index) {
            *pin = true;
        }
    }

    /// Says all of one part: its preset first, then the rest.
    fn part(&mut self, part: &Part, layer: Layer, power: Power) {
        if let Some(choice) = part.preset {
            self.choice(at::PRESET, choice, layer, power, true);
            for change in preset::changes(choice) {
                match change {
                    preset::Change::Key(index, choice) => {
                        self.choice(index, choice, layer, power, false)
                    }
                    preset::Change::Rule(id, wish) => self.rule(id, wish, layer, power, false),
                }
            }
        }
        for set in &part.sets {
            match set {
                Set::Choice(index, choice) => self.choice(*index, *choice, layer, power, true),
                Set::Bases(globs) => self.bases(globs, layer, power),
                Set::Rule(id, wish) => self.rule(id, *wish, layer, power, true),
                Set::Texts(at::PLAN_STATUS, texts) => {
                    let path = texts.first().map_or("", |text| text.as_ref());
                    self.plan_status(path, layer, power);
                }
                Set::Span(..) | Set::Texts(..) | Set::Bot(_) => self.ci(set, layer, power),
            }
        }
    }

    fn choice(&mut self, index: usize, choice: u8, layer: Layer, power: Power, tell: bool) {
        let pinned = self.pins.all || self.pins.keys.get(index) == Some(&true);
        let policy = &mut self.policy;
        let (Some(now), Some(origin)) =
            (policy.choices.get_mut(index), policy.origins.get_mut(index))
        else {
            return;
        };
        // The words stand strictest first; of providers none is stricter than another.
        let asked = index == at::CI_PROVIDER;
        let other = asked && choice != *now;
        let power = match asked && layer == Layer::Trusted {
            true => Power::Replace,
            false => power,
        };
        if (pinned || power == Power::Tighten) && (choice >= *now || other) {
            if choice != *now && tell {
                let key = KEYS.get(index).map_or("", |k| k.name);
                let word = KEYS
                    .get(index)
                    .and_then(|k| k.words().get(usize::from(choice)));
                policy.held.push(format!(
                    "{layer} asks for `{key} = \"{}\"`",
                    word.unwrap_or(&"")
                ));
            }
            return;
        }
        *now = choice;
        *origin = layer;
    }

    /// What is said of CI and of names beyond words.
    fn ci(&mut self, set: &Set, layer: Layer, power: Power) {
        let index = match set {
            Set::Span(index, _) | Set::Texts(index, _) => Some(*index),
            _ => None,
        };
        let pinned = self.pins.all || index.is_some_and(|i| self.pins.keys.get(i) == Some(&true));
        // Who is asked is neither strict nor mild, so what a person trusted goes on.
        let asked = matches!(index, Some(at::CI_COMMAND | at::CI_FILE));
        let free = (power == Power::Replace || asked && layer == Layer::Trusted) && !pinned;
        let policy = &mut self.policy;
        let took = match set {
            Set::Texts(
                index @ (at::LEASE_TICKETS | at::LEASE_BRANCHES | at::WORKTREE_ROOT),
                texts,
            ) => {
                let pattern = texts.first().map(std::borrow::Cow::as_ref);
                let naming = policy.naming.get_or_insert_default();
                naming.take(*index, pattern.unwrap_or_default(), free)
            }
            _ => policy.ci.get_or_insert_default().take(set, free),
        };
        match took {
            Took::Changed => {
                if let Some(origin) = index.and_then(|i| policy.origins.get_mut(i)) {
                    *origin = layer;
                }
            }
            Took::Held(what) => policy.held.push(format!("{layer} asks for {what}")),
            Took::Nothing => {}
        }
    }

    /// A plan where there was none adds leases; another one, or none, drops those of the first.
    fn plan_status(&mut self, path: &str, layer: Layer, power: Power) {
        let pinned = self.pins.all || self.pins.keys.get(at::PLAN_STATUS) == Some(&true);
        let trusted = layer == Layer::Trusted && !path.is_empty();
        let free = (power == Power::Replace || trusted) && !pinned;
        let policy = &mut self.policy;
        let first = policy.plan_status.is_empty();
        if path == policy.plan_status && !free {
            return;
        }
        if !free && !first {
            let asks = format!("{layer} asks for `plan.status = \"{path}\"`");
            policy.held.push(asks);
            return;
        }
        path.clone_into(&mut policy.plan_status);
        if let Some(origin) = policy.origins.get_mut(at::PLAN_STATUS) {
            *origin = layer;
        }
    }

    fn bases(&mut self, globs: &[std::borrow::Cow<str>], layer: Layer, power: Power) {
        let pinned = self.pins.all || self.pins.keys.get(at::BASE_BRANCHES) == Some(&true);
        let policy = &mut self.policy;
        let origin = policy.origins.get_mut(at::BASE_BRANCHES);
        if !pinned && power == Power::Replace {
            policy.base_branches = globs.iter().map(|g| g.to_string().into()).collect();
            if let Some(origin) = origin {
                *origin = layer;
            }
            return;
        }
        if policy
            .base_branches
            .iter()
            .any(|b| !globs.iter().any(|g| g == b))
        {
            policy
                .held
                .push(format!("{layer} asks for fewer `base_branches`"));
        }
        let before = policy.base_branches.len();
        for glob in globs {
            if !policy.base_branches.iter().any(|b| b == glob) {
                policy.base_branches.push(glob.to_string().into());
            }
        }
        if let Some(origin) = origin.filter(|_| policy.base_branches.len() > before) {
            *origin = layer;
        }
    }

    fn rule(&mut self, id: &'static str, wish: Wish, layer: Layer, power: Power, tell: bool) {
        let pinned = self.pins.all || self.pins.rules.contains(&id);
        let now = self.policy.wish(id);
        let next = match power {
            Power::Replace if !pinned => wish,
            _ => now.join(wish),
        };
        let own = self
            .rules
            .iter()
            .find(|r| r.id == id)
            .map_or(Decision::Deny, |r| r.decision);
        if tell && wish.looser_than(next, own) {
            let asks = wish.shown(id, own);
            self.policy
                .held
                .push(format!("{layer} asks for `\"{id}\" = \"{asks}\"`"));
        }
        let said = power == Power::Replace && !pinned;
        if !said && next == now {
            return;
        }
        // A join that changes nothing for this rule leaves the decision with whoever made it.
        let moved = said
            || [Case::Full, Case::Mild]
                .iter()
                .any(|c| next.decide(own, *c) != now.decide(own, *c));
        match self.policy.wishes.iter_mut().find(|w| w.0 == id) {
            Some(entry) => {
                entry.1 = next;
                if moved {
                    entry.2 = layer;
                }
            }
            None => {
                let origin = if moved { layer } else { Layer::BuiltIn };
                self.policy.wishes.push((id, next, origin));
            }
        }
    }
}
