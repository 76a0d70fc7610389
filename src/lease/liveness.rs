//! Whether an owner lives and a checkout rests: verdicts over facts, where unknown is an answer.

use super::record::Owner;

/// Whether an owner's process lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Liveness {
    /// Yes.
    Alive,
    /// No, and that is proved.
    Dead,
    /// Cannot be told from here.
    #[default]
    Unknown,
}

/// Whether anything works in a checkout.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Quiet {
    /// Nothing that can be seen.
    Quiet,
    /// Something.
    Busy,
    /// Cannot be told from here.
    #[default]
    Unknown,
}

/// Where process ids mean what they say.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Here {
    /// This state directory.
    pub install: String,
    /// This boot, empty where unknown.
    pub boot: String,
    /// This space of process ids, empty where unknown.
    pub pid_space: String,
    /// The machine's name, for people.
    pub host_name: String,
    /// The machine's id, hashed.
    pub machine: String,
}

/// What the system says of a process id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Seen {
    /// No such process.
    Missing,
    /// Ended, and not yet collected.
    Zombie,
    /// Runs since this many ticks after boot.
    Running(u64),
    /// There is one, and we may not look.
    Hidden,
    /// The system does not tell.
    Untold,
}

/// The verdict on an owner; `seen` is what the system says of its process id.
pub fn liveness(owner: &Owner, here: &Here, seen: &Seen) -> Liveness {
    if owner.install_id != here.install || here.install.is_empty() {
        return Liveness::Unknown;
    }
    let (Some(_), Some(start)) = (owner.pid, &owner.start_ticks) else {
        return Liveness::Unknown;
    };
    if owner.boot_id.is_empty() || here.boot.is_empty() {
        return Liveness::Unknown;
    }
    // All processes of another boot are gone. Containers share the boot of their machine.
    if owner.boot_id != here.boot {
        return Liveness::Dead;
    }
    if owner.pid_ns != here.pid_space || here.pid_space.is_empty() {
        return Liveness::Unknown;
    }
    match seen {
        Seen::Missing | Seen::Zombie => Liveness::Dead,
        Seen::Running(since) if since.to_string() == *start => Liveness::Alive,
        // The id belongs to another process now.
        Seen::Running(_) => Liveness::Dead,
        Seen::Hidden => Liveness::Alive,
        Seen::Untold => Liveness::Unknown,
    }
}

/// The verdict on a checkout: `inside` are processes that work in it, `None` where that cannot be
/// told; `locks` says whether git's own locks lie there.
pub fn quiet(inside: Option<usize>, locks: Option<bool>) -> Quiet {
    match (inside, locks) {
        (Some(0), Some(false)) => Quiet::Quiet,
        (Some(1..), _) | (_, Some(true)) => Quiet::Busy,
        _ => Quiet::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn here() -> Here {
        Here {
            install: "i".to_owned(),
            boot: "b".to_owned(),
            pid_space: "n".to_owned(),
            ..Here::default()
        }
    }

    fn owner() -> Owner {
        Owner {
            install_id: "i".to_owned(),
            boot_id: "b".to_owned(),
            pid_ns: "n".to_owned(),
            pid: Some(42),
            start_ticks: Some("65060".to_owned()),
            ..Owner::default()
        }
    }

    #[test]
    fn only_proof_of_death_is_death() {
        let verdict = |seen: Seen| liveness(&owner(), &here(), &seen);
        assert_eq!(verdict(Seen::Running(65060)), Liveness::Alive);
        assert_eq!(verdict(Seen::Missing), Liveness::Dead);
        assert_eq!(verdict(Seen::Zombie), Liveness::Dead);
        assert_eq!(verdict(Seen::Hidden), Liveness::Alive);
        assert_eq!(verdict(Seen::Untold), Liveness::Unknown);
    }

    // 4.5 (j) bare pid: the id runs again, and is somebody else.
    #[test]
    fn a_reused_process_id_is_not_its_old_owner() {
        assert_eq!(
            liveness(&owner(), &here(), &Seen::Running(65065)),
            Liveness::Dead
        );
    }

    #[test]
    fn another_machine_space_or_a_missing_process_is_unknown_and_another_boot_is_death() {
        type Change = fn(&mut Owner, &mut Here);
        for (change, want) in [
            (
                (|o, _| o.install_id = "j".to_owned()) as Change,
                Liveness::Unknown,
            ),
            (|o, _| o.pid_ns = "m".to_owned(), Liveness::Unknown),
            (|o, _| o.boot_id = "c".to_owned(), Liveness::Dead),
            (|o, _| o.pid = None, Liveness::Unknown),
            (|o, _| o.start_ticks = None, Liveness::Unknown),
            (|_, h| h.boot = String::new(), Liveness::Unknown),
            (|_, h| h.pid_space = String::new(), Liveness::Unknown),
            (|o, _| o.boot_id = String::new(), Liveness::Unknown),
        ] {
            let (mut owner, mut here) = (owner(), here());
            change(&mut owner, &mut here);
            assert_eq!(
                liveness(&owner, &here, &Seen::Missing),
                want,
                "{owner:?} {here:?}"
            );
        }
    }

    #[test]
    fn quiet_needs_all_answers_and_busy_only_one() {
        assert_eq!(quiet(Some(0), Some(false)), Quiet::Quiet);
        assert_eq!(quiet(Some(2), None), Quiet::Busy);
        assert_eq!(quiet(None, Some(true)), Quiet::Busy);
        assert_eq!(quiet(None, Some(false)), Quiet::Unknown);
        assert_eq!(quiet(Some(0), None), Quiet::Unknown);
    }
}
