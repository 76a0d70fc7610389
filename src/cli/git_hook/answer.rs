//! Who calls decides how a finding is answered: an agent, a person at a terminal, or nobody known.

use super::given::{Given, Hook};
use super::{PASS, REFUSED, work};
use crate::call::{Call, Hooked, What};
use crate::cli::person::{headline, reasons};
use crate::cli::terminal::{self, Paint};
use crate::grant::{Denial, Grants, Met, pause};
use crate::guard;
use crate::lease::watch::Watch;
use crate::log::{Commands, Entry, Log, Settings};
use crate::person::chain::{Process, nearest};
use crate::person::terminal::confirm;
use crate::person::{Asker, Caller};
use crate::policy::{Home, Persons, Places, Shelf};
use crate::rules::KNOWN;
use crate::state::State;
use crate::state::time::Moment;
use crate::verdict::{Decision, Fault, Finding, Verdict};
use crate::world::{Company, Environment, Surroundings};
use std::cell::OnceCell;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Instant;

/// What a person types to push nevertheless.
const WORD: &str = "push";

/// The answer, as an exit code.
pub(super) fn answer(given: &Given, input: &[u8]) -> Result<u8, Fault> {
    let begin = Instant::now();
    let Some(work) = work::read(given, input)? else {
        return Ok(PASS);
    };
    let git = nearest(&work::is_git);
    let scene = Scene {
        hooked: work::hooked(work, git.as_ref()),
        git,
        asker: OnceCell::new(),
        cwd: std::env::current_dir().ok(),
        state: given.state.clone().map(State::at),
        given,
    };
    scene.answer(begin)
}

/// One hook at work.
struct Scene<'a> {
    given: &'a Given,
    /// Who calls, and whether the environment speaks of an agent: found out where it matters.
    asker: OnceCell<(Caller, bool)>,
    hooked: Hooked,
    /// The git process that called.
    git: Option<Process>,
    cwd: Option<PathBuf>,
    state: Option<State>,
}

/// What becomes of findings.
enum Outcome {
    /// They stop git.
    Stop,
    /// They are told, and git goes on.
    Warn,
    /// A person said yes, as these words tell.
    Approved(&'static str),
}

/// What becomes of a yes that is found.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    Up,
    Leave,
}

impl Scene<'_> {
    fn answer(&self, begin: Instant) -> Result<u8, Fault> {
        let call = Call {
            session: None,
            agent: None,
            cwd: self.cwd.clone(),
            unseen_typing: false,
            what: What::GitHook(self.hooked.clone()),
        };
        let shelf = Shelf::new(
            &KNOWN,
            Home {
                managed_file: Some(PathBuf::from(Places::MANAGED)),
                user_file: self.given.policy.clone(),
                state_dir: self.given.state.clone(),
                home: self.given.home.clone(),
            },
        );
        let mut verdict = guard::judge_once(&call, self.around(), &shelf);
        let quiet = verdict.fault.is_none() && verdict.notes.is_empty();
        if quiet && verdict.decision() == Decision::Allow {
            return Ok(PASS);
        }
        if self.given.hook != Hook::PrePush && *self.caller() == Caller::Person {
            return Ok(PASS);
        }
        if let Some(fault) = verdict.fault {
            return Err(fault);
        }
        for note in &verdict.notes {
            terminal::err(&format!("leaseguard: {note}\n"));
        }
        if verdict.decision() == Decision::Allow {
            return Ok(PASS);
        }
        verdict.findings.retain(|f| f.decision != Decision::Allow);
        if !matches!(self.caller(), Caller::Agent { .. }) {
            // Claims and the wait for CI bind agents; whoever else pushes is told of them.
            let of_agents = |f: &Finding| ["lease/", "ci/"].iter().any(|p| f.rule.starts_with(p));
            let (told, rest): (Vec<Finding>, Vec<Finding>) =
                verdict.findings.into_iter().partition(of_agents);
            verdict.findings = rest;
            if !told.is_empty() {
                terminal::err(&warning(&told));
            }
            if verdict.decision() == Decision::Allow {
                return Ok(PASS);
            }
        }
        let persons = || guard::policy_of(&call, self.around(), &shelf).persons();
        let outcome = self.outcome(&mut verdict, &persons);
        let code = match outcome {
            Outcome::Stop => REFUSED,
            Outcome::Warn | Outcome::Approved(_) => PASS,
        };
        match outcome {
            Outcome::Stop => terminal::err(&self.refusal(&verdict)),
            Outcome::Warn => terminal::err(&warning(&verdict.findings)),
            Outcome::Approved(how) => terminal::err(&format!("leaseguard: {how}\n")),
        };
        self.log(&call, &verdict, code == REFUSED, begin);
        Ok(code)
    }

    fn asker(&self) -> &(Caller, bool) {
        self.asker.get_or_init(|| {
            let asker = Asker::here();
            (asker.caller(), asker.mark.is_some())
        })
    }

    fn caller(&self) -> &Caller {
        &self.asker().0
    }

    fn marked(&self) -> bool {
        self.asker().1
    }

    /// Nothing of the environment: git's own variables stand in the call.
    fn around(&self) -> Surroundings {
        Surroundings {
            cwd: self.cwd.clone(),
            home: self.given.home.clone(),
            env: Environment::new(given_to_children),
            unseen_typing: false,
            now: None,
            claims: self.claims(),
            assume_repository: false,
            company: Company::default(),
            git: self.given.git.clone(),
        }
    }

    /// What this process sees of claims.
    fn claims(&self) -> Option<Rc<Watch>> {
        let state = State::at(self.given.state.clone()?);
        Some(Rc::new(Watch::of(state, None, None)))
    }

    fn outcome(&self, verdict: &mut Verdict, persons: &dyn Fn() -> Persons) -> Outcome {
        if self.paused() {
            return Outcome::Approved("paused by a person, so this is not stopped");
        }
        // git comes by once for each URL of a remote, and a yes is one to the whole push.
        let push = self.given.hook == Hook::PrePush;
        let git = self.git.as_ref().filter(|_| push);
        let git = git.map(Process::identity);
        let git = git.as_deref();
        if git.is_some_and(|git| self.asked(git, verdict, Use::Leave)) {
            return Outcome::Approved("a person said yes to this push");
        }
        let outcome = self.answered(verdict, persons);
        if let (Some(git), Outcome::Approved(_)) = (git, &outcome) {
            self.approved(git, verdict);
        }
        outcome
    }

    fn answered(&self, verdict: &mut Verdict, persons: &dyn Fn() -> Persons) -> Outcome {
        let push = self.given.hook == Hook::PrePush;
        match self.caller() {
            Caller::Agent { process, .. } => {
                // The last hook of a commit uses it up.
                let uses = match self.given.hook {
                    Hook::PreCommit => Use::Leave,
                    _ => Use::Up,
                };
                if self.asked(&process.identity(), verdict, uses) {
                    return Outcome::Approved("a person said yes to this");
                }
            }
            Caller::Person => match persons() {
                Persons::Warn => return Outcome::Warn,
                Persons::Deny => return Outcome::Stop,
                Persons::Confirm => {
                    return match confirm(&asking(&verdict.findings), WORD) {
                        Ok(()) => Outcome::Approved("confirmed"),
                        Err(_) => Outcome::Stop,
                    };
                }
            },
            // A mark in the environment only adds suspicion.
            Caller::Unknown if !push && !self.marked() => return Outcome::Warn,
            Caller::Unknown => {}
        }
        // Commits come by twice, and a code lets one call through once.
        if push && self.allowed(verdict) {
            return Outcome::Approved("a person allowed this");
        }
        Outcome::Stop
    }

    fn paused(&self) -> bool {
        let state = self.state.as_ref();
        let pause = state.and_then(|state| pause::paused(state, Moment::now()).ok());
        pause.flatten().is_some()
    }

    /// Whether a person said yes to this where `process` asked.
    fn asked(&self, process: &str, verdict: &Verdict, uses: Use) -> bool {
        let (Some(state), [reach]) = (&self.state, verdict.reaches.as_slice()) else {
            return false;
        };
        let grants = Grants::new(state);
        let refs: Vec<&str> = reach.refs.iter().map(String::as_str).collect();
        // Only what is stopped needs a yes.
        let rules: Vec<&str> = verdict.findings.iter().map(|f| f.rule).collect();
        let (repository, now) = (&reach.repository, Moment::now());
        if uses == Use::Leave {
            let found = grants.has_ask(process, repository, &rules, &refs, now);
            return found.unwrap_or(false);
        }
        let found = grants.take_ask(process, repository, &rules, &refs, now);
        found.is_ok_and(|ask| ask.is_some())
    }

    /// Notes a yes for as long as this git process goes on. Where that fails, it is asked again.
    fn approved(&self, git: &str, verdict: &Verdict) {
        let (Some(state), [reach]) = (&self.state, verdict.reaches.as_slice()) else {
            return;
        };
        let refs: Vec<&str> = reach.refs.iter().map(String::as_str).collect();
        let rules: Vec<&str> = verdict.findings.iter().map(|f| f.rule).collect();
        let _ = Grants::new(state).asked(git, &reach.repository, &rules, &refs, Moment::now());
    }

    /// Whether a person allowed exactly this by its code; else it gets one.
    fn allowed(&self, verdict: &mut Verdict) -> bool {
        let Some(state) = &self.state else {
            return false;
        };
        let rules: Vec<&str> = verdict.findings.iter().map(|f| f.rule).collect();
        let text = self.hooked.to_string();
        let denial = Denial {
            session: None,
            dir: self.cwd.as_deref().unwrap_or(Path::new("/")),
            text: &text,
            rules: &rules,
        };
        let (grants, now) = (Grants::new(state), Moment::now());
        match grants.meet(&denial, self.host(), now, &mut |_| {}) {
            Met::Granted(_) => true,
            Met::Denied(kept) => {
                verdict.code = kept.map(|kept| kept.code.as_str().to_owned());
                false
            }
        }
    }

    fn host(&self) -> Option<&'static str> {
        match self.caller() {
            Caller::Agent { host, .. } => Some(host),
            _ => None,
        }
    }

    fn refusal(&self, verdict: &Verdict) -> String {
        let what = match self.given.hook {
            Hook::PrePush => "push, and nothing was pushed",
            _ => "commit, and nothing was committed",
        };
        let mut text = format!("leaseguard refused this {what}\n");
        for finding in &verdict.findings {
            text.push_str(&told(finding));
        }
        if let Some(code) = &verdict.code {
            text.push_str(&format!(
                "person: `leaseguard allow {code}` lets exactly this through once\n"
            ));
        }
        if *self.caller() == Caller::Unknown {
            text.push_str(
                "note: there is no terminal here, so it cannot be told who asks; \
                 a person can push from a terminal of their own\n",
            );
        }
        text
    }

    fn log(&self, call: &Call, verdict: &Verdict, stopped: bool, begin: Instant) {
        let Some(state) = &self.state else { return };
        let commands = verdict.log_commands.and_then(Commands::named);
        let settings = Settings {
            commands: commands.unwrap_or_default(),
            ..Settings::default()
        };
        let decision = if stopped {
            Decision::Deny
        } else {
            Decision::Allow
        };
        let entry = Entry {
            kind: "git-hook",
            host: self.host(),
            code: verdict.code.as_deref(),
            took: Some(begin.elapsed()),
            decision: Some(decision),
            ..Entry::of(call, verdict)
        };
        if let Err(trouble) = Log::new(state, settings).write(&entry, Moment::now()) {
            terminal::err(&format!("leaseguard: {trouble}\n"));
        }
    }
}

fn told(finding: &Finding) -> String {
    let paint = Paint(false);
    headline(finding, paint) + &reasons(finding, paint)
}

/// The only variable that is known here: where the programs of forges lie, whatever the caller says.
fn given_to_children(name: &str) -> Option<OsString> {
    const PROGRAMS: &str =
        "/usr/local/bin:/opt/homebrew/bin:/home/linuxbrew/.linuxbrew/bin:/usr/bin:/bin";
    (name == "PATH").then(|| PROGRAMS.into())
}

fn warning(findings: &[Finding]) -> String {
    let line = |f: &Finding| format!("leaseguard: warning: {}: {}\n", f.rule, f.effect);
    findings.iter().map(line).collect()
}

fn asking(findings: &[Finding]) -> String {
    let line = |f: &Finding| format!("leaseguard: {}: {}", f.rule, f.effect);
    findings.iter().map(line).collect::<Vec<_>>().join("\n")
}
