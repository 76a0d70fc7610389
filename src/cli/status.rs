//! `status`: whether this place is protected, and what decides it, on one screen.

use super::Exit;
use super::home::{self, Here};
use super::machine::machine;
use super::terminal::{self, Paint};
use crate::doctor::{self, Finding, Machine, Severity, Site, githooks};
use crate::grant::Grants;
use crate::policy::{Layer, Mode, Places, Policy};
use crate::rules::KNOWN;
use crate::state::seen::Kind;
use crate::state::time::{Moment, shown_span};
use serde::Serialize;
use std::path::{Path, PathBuf};

/// How wide a line may be.
const WIDTH: usize = 80;

/// How many troubles of policies are told.
const TROUBLES: usize = 4;

/// The arguments.
#[derive(clap::Args, Default)]
pub(super) struct Args {
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// The directory that it is about
    #[arg(long, value_name = "DIR")]
    cwd: Option<PathBuf>,
}

#[derive(Serialize)]
struct View {
    v: u8,
    protected: bool,
    verdict: String,
    repository: Option<PathBuf>,
    hosts: Vec<HostView>,
    git_hooks: Option<githooks::GitHooks>,
    mode: &'static str,
    preset: &'static str,
    policies: Vec<String>,
    policy_troubles: Vec<String>,
    paused_seconds: Option<u64>,
    open: usize,
    rules_off: Vec<&'static str>,
    claim: Option<String>,
}

#[derive(Serialize)]
struct HostView {
    host: &'static str,
    title: &'static str,
    connected: bool,
    working: bool,
    file: Option<String>,
    last_call: Option<Moment>,
    last_event: Option<Moment>,
    why: Option<Finding>,
}

/// Runs the verb.
pub(super) fn run(args: &Args) -> Exit {
    let cwd = args.cwd.as_deref();
    let here = Here::of(cwd);
    let policy = here.policy();
    let machine = machine(cwd, &here, &policy);
    let sites = doctor::hosts().filter_map(|host| Site::of(&machine, host));
    let hosts: Vec<HostView> = sites.filter(Site::in_use).map(|site| host(&site)).collect();
    let (protected, verdict) = verdict(&machine, &hosts);
    let view = View {
        v: 1,
        protected,
        verdict,
        repository: here.top().map(Path::to_owned),
        hosts,
        git_hooks: machine.git_hooks.clone(),
        mode: match policy.mode() {
            Mode::Enforce => "enforce",
            Mode::Observe => "observe",
        },
        preset: policy.word("preset").unwrap_or("fleet"),
        policies: here.with(|places| layers(places, &machine, &policy)),
        policy_troubles: policy
            .troubles
            .iter()
            .chain(&policy.held)
            .cloned()
            .collect(),
        paused_seconds: machine.paused.map(|left| left.as_secs()),
        open: open(),
        rules_off: off(&policy),
        claim: super::session::claim(cwd),
    };
    terminal::out(&if args.json {
        terminal::json_line(&view)
    } else {
        screen(&view, Paint(terminal::colour()))
    });
    if protected { Exit::Ok } else { Exit::Denied }
}

/// Whether the process stands in a checkout, so that the bare command tells of it.
pub(super) fn is_here() -> bool {
    Here::of(None).top().is_some()
}

fn host(site: &Site<'_>) -> HostView {
    let findings = site.examine(true);
    let worst = findings
        .into_iter()
        .find(|f| f.severity == Severity::Broken);
    let file = site
        .entries
        .first()
        .and_then(|entry| site.files.get(entry.file));
    HostView {
        host: site.host.name,
        title: site.setup.title,
        connected: site.connected(),
        working: site.connected() && worst.is_none(),
        file: file.map(|file| site.machine.shown(&file.path)),
        last_call: site.seen(Kind::Call),
        last_event: site.seen(Kind::Event),
        why: worst,
    }
}

fn verdict(machine: &Machine, hosts: &[HostView]) -> (bool, String) {
    if let Some(left) = machine.paused {
        return (
            false,
            format!(
                "a pause lets everything through for {} more",
                shown_span(left)
            ),
        );
    }
    if machine.observes {
        return (false, "`mode = \"observe\"` stops nothing".to_owned());
    }
    let broken = hosts.iter().find(|host| host.connected && !host.working);
    if let Some((host, why)) = broken.and_then(|host| Some((host, host.why.as_ref()?))) {
        // Most findings name the host themselves.
        let told = why.what.strip_prefix(host.title).map(str::trim_start);
        return (
            false,
            format!("{}: {}", host.title, told.unwrap_or(&why.what)),
        );
    }
    let working: Vec<&str> = hosts
        .iter()
        .filter(|h| h.working)
        .map(|h| h.title)
        .collect();
    if working.is_empty() {
        return (false, "no agent host is connected".to_owned());
    }
    (
        true,
        format!(
            "{} ask{} before every tool call",
            working.join(", "),
            if working.len() == 1 { "s" } else { "" }
        ),
    )
}

/// The policies that hold here, with their files.
fn layers(places: &Places<'_>, machine: &Machine, policy: &Policy) -> Vec<String> {
    let broken = |path: &Path| {
        let path = path.display().to_string();
        policy
            .troubles
            .iter()
            .any(|trouble| trouble.contains(&path))
    };
    let files = [
        (Layer::User, places.user_file),
        (Layer::Project, places.project_file),
        (Layer::Managed, places.managed_file),
    ];
    let there = files.into_iter().filter_map(|(layer, path)| {
        let path = path.filter(|path| path.exists())?;
        let word = match layer {
            Layer::User => "user",
            Layer::Managed => "managed",
            _ => "project",
        };
        let state = if broken(path) { " (BROKEN)" } else { "" };
        Some(format!("{word} {}{state}", machine.shown(path)))
    });
    std::iter::once("built-in".to_owned())
        .chain(there)
        .collect()
}

/// How many denials a person could still allow.
fn open() -> usize {
    let state = home::state().ok();
    let open = state.and_then(|state| Grants::new(&state).open(Moment::now()).ok());
    open.map_or(0, |open| open.len())
}

/// The rules that say nothing here.
fn off(policy: &Policy) -> Vec<&'static str> {
    let silent = KNOWN.iter().filter(|rule| {
        let setting = policy.wish(rule.id).shown(rule.id, rule.decision);
        setting == "off" || setting == "allow"
    });
    silent.map(|rule| rule.id).collect()
}

fn screen(view: &View, paint: Paint) -> String {
    let mut lines = Vec::new();
    let head = if view.protected {
        paint.green("protected")
    } else {
        paint.red("not protected")
    };
    let room = WIDTH.saturating_sub(if view.protected { 11 } else { 15 });
    lines.push(format!("{head}: {}", cut(&view.verdict, room)));
    lines.extend(view.hosts.iter().map(|host| host_line(host, paint)));
    if view.hosts.is_empty() {
        lines.push(line(
            "hosts",
            "none found; `leaseguard install HOST` connects one",
            paint,
        ));
    }
    lines.push(git_line(view, paint));
    lines.push(line(
        "mode",
        &format!("{}, preset {}", view.mode, view.preset),
        paint,
    ));
    lines.push(line("policy", &view.policies.join(", "), paint));
    for trouble in view.policy_troubles.iter().take(TROUBLES) {
        lines.push(format!(
            "  {} {}",
            paint.red("!"),
            cut(trouble, WIDTH.saturating_sub(4))
        ));
    }
    if let Some(claim) = &view.claim {
        lines.push(line("claim", claim, paint));
    }
    lines.extend(pause_line(view, paint));
    lines.extend(open_line(view, paint));
    if !view.rules_off.is_empty() {
        lines.push(line("rules off", &view.rules_off.join(" "), paint));
    }
    if !view.protected {
        lines.push(line("next", "leaseguard doctor", paint));
    }
    lines.join("\n") + "\n"
}

fn line(label: &str, text: &str, paint: Paint) -> String {
    let label = format!("{label:<10}");
    format!(
        "{} {}",
        paint.bold(&label),
        cut(text, WIDTH.saturating_sub(11))
    )
}

fn host_line(host: &HostView, paint: Paint) -> String {
    let now = Moment::now();
    let ago = |moment: Moment| format!("{} ago", shown_span(moment.age(now)));
    let state = match (host.connected, host.working) {
        (true, true) => "connected",
        (true, false) => "BROKEN",
        (false, _) => "not connected",
    };
    let seen = match (host.connected, host.last_call, host.last_event) {
        (_, Some(call), _) => format!("last call {}", ago(call)),
        (_, None, Some(event)) => format!("session {}, no call yet", ago(event)),
        (true, None, None) => "never called yet".to_owned(),
        (false, ..) => format!("`leaseguard install {}`", host.host),
    };
    let file = host.file.as_deref().unwrap_or_default();
    let text = format!("{:<19} {state}  {seen}  {file}", host.title);
    line("host", text.trim_end(), paint)
}

fn git_line(view: &View, paint: Paint) -> String {
    let Some(hooks) = &view.git_hooks else {
        return line("git hooks", "no repository here", paint);
    };
    let mut text = if hooks.ours.is_empty() {
        "not installed".to_owned()
    } else {
        format!("active: {}", hooks.ours.join(" "))
    };
    if !hooks.asleep.is_empty() {
        text.push_str(&format!("; NOT REACHED: {}", hooks.asleep.join(" ")));
    }
    if !hooks.config.is_empty() {
        text.push_str("; in config");
    }
    if hooks.blind.is_some() {
        text.push_str(", which an old git passes over");
    }
    if !hooks.managers.is_empty() {
        text.push_str(&format!("; managed by {}", hooks.managers.join(", ")));
    }
    if !hooks.foreign.is_empty() {
        text.push_str(&format!("; others: {}", hooks.foreign.join(" ")));
    }
    line("git hooks", &text, paint)
}

fn pause_line(view: &View, paint: Paint) -> Option<String> {
    let left = shown_span(std::time::Duration::from_secs(view.paused_seconds?));
    let text = format!("{left} left; `leaseguard pause --end` ends it");
    Some(line("paused", &text, paint))
}

fn open_line(view: &View, paint: Paint) -> Option<String> {
    let text = format!(
        "{} stopped that a person could allow: `leaseguard allow`",
        view.open
    );
    (view.open > 0).then(|| line("open", &text, paint))
}

/// `text` on one line of at most `room` characters.
fn cut(text: &str, room: usize) -> String {
    let plain = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    let plain: String = plain.collect();
    if plain.chars().count() <= room {
        return plain;
    }
    let kept: String = plain.chars().take(room.saturating_sub(1)).collect();
    kept + "…"
}
