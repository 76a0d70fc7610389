//! `doctor`: finds what keeps leaseguard from being called or heard, and mends what is its own.

use super::home::Here;
use super::machine::machine;
use super::terminal::{self, Paint};
use super::{Exit, install};
use crate::doctor::{self, Finding, Machine, Severity, Site};
use crate::host::Host;
use crate::log::{Entry, Log, Settings};
use crate::setup::plan::{self, What};
use crate::setup::{Scope, Status, apply, found};
use crate::state::time::Moment;
use serde::Serialize;
use std::fmt::Write as _;
use std::path::PathBuf;

/// The arguments.
#[derive(clap::Args)]
pub(super) struct Args {
    /// The agent hosts, or `all`; without one, those that are found here
    #[arg(value_name = "HOST", value_parser = install::names())]
    hosts: Vec<String>,
    /// Mend what leaseguard may mend by itself: its own entries and its own program
    #[arg(long)]
    fix: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// The directory that it is about
    #[arg(long, value_name = "DIR")]
    cwd: Option<PathBuf>,
}

#[derive(Serialize)]
struct Report {
    v: u8,
    healthy: bool,
    hosts: Vec<Sick>,
    leaseguard: Vec<Finding>,
    mended: Vec<String>,
}

#[derive(Serialize)]
struct Sick {
    host: &'static str,
    title: &'static str,
    connected: bool,
    files: Vec<String>,
    findings: Vec<Finding>,
}

/// Runs the verb.
pub(super) fn run(args: &Args) -> Exit {
    let here = Here::of(args.cwd.as_deref());
    let machine = machine(args.cwd.as_deref(), &here, &here.policy());
    let named = install::named(&args.hosts);
    let mut hosts = named.clone();
    if hosts.is_empty() {
        let used = |host: &&'static Host| Site::of(&machine, host).is_some_and(|s| s.in_use());
        hosts = doctor::hosts().filter(used).collect();
    }
    let mut mended = Vec::new();
    if args.fix {
        for host in &hosts {
            mend(&machine, host, &mut mended);
        }
    }
    let sick = |host: &Host| {
        let host = doctor::hosts().find(|known| known.name == host.name)?;
        let site = Site::of(&machine, host)?;
        let mut findings = site.examine(false);
        // Whoever names a host wants it connected.
        let asked = named.iter().any(|named| named.name == host.name);
        for finding in &mut findings {
            if asked && finding.check == "entry/missing" {
                finding.severity = Severity::Broken;
            }
        }
        let files = site
            .entries
            .iter()
            .filter_map(|entry| site.files.get(entry.file));
        let mut files: Vec<String> = files.map(|file| machine.shown(&file.path)).collect();
        files.dedup();
        Some(Sick {
            host: host.name,
            title: site.setup.title,
            connected: site.connected(),
            files,
            findings,
        })
    };
    let hosts: Vec<Sick> = hosts.iter().filter_map(|host| sick(host)).collect();
    let own = doctor::examine_own(&machine);
    let all = || hosts.iter().flat_map(|h| &h.findings).chain(&own);
    let healthy =
        hosts.iter().any(|host| host.connected) && all().all(|f| f.severity == Severity::Note);
    let report = Report {
        v: 1,
        healthy,
        hosts,
        leaseguard: own,
        mended,
    };
    terminal::out(&if args.json {
        terminal::json_line(&report)
    } else {
        table(&report, Paint(terminal::colour()))
    });
    if healthy { Exit::Ok } else { Exit::Denied }
}

fn table(report: &Report, paint: Paint) -> String {
    let mut out = String::new();
    for line in &report.mended {
        let _ = writeln!(out, "mended  {line}");
    }
    for host in &report.hosts {
        let place = if host.files.is_empty() {
            String::new()
        } else {
            format!("  {}", host.files.join(" "))
        };
        block(
            &mut out,
            host.title,
            host.connected,
            &place,
            &host.findings,
            paint,
        );
    }
    block(&mut out, "leaseguard", true, "", &report.leaseguard, paint);
    if !report.hosts.iter().any(|host| host.connected) {
        let names: Vec<&str> = doctor::hosts().map(|host| host.name).collect();
        let _ = writeln!(
            out,
            "no agent host is connected, so nothing asks leaseguard\n  fix: leaseguard install HOST, with one of {}",
            names.join(" ")
        );
    }
    out
}

/// One host: how it is, and what was found.
fn block(
    out: &mut String,
    title: &str,
    connected: bool,
    place: &str,
    findings: &[Finding],
    paint: Paint,
) {
    let worst = findings.iter().map(|f| f.severity).max();
    let word = match worst {
        Some(Severity::Broken) => paint.red("broken"),
        Some(Severity::Weak) => paint.yellow("weak"),
        _ if !connected => "not connected".to_owned(),
        _ => paint.green("ok"),
    };
    let _ = writeln!(
        out,
        "{}  {word}{place}",
        paint.bold(&format!("{title:<18}"))
    );
    for finding in findings {
        let padded = format!("{:<6}", finding.severity.word());
        let word = match finding.severity {
            Severity::Broken => paint.red(&padded),
            Severity::Weak => paint.yellow(&padded),
            Severity::Note => padded,
        };
        let _ = writeln!(
            out,
            "  {word}  {} [{}]",
            plain(&finding.what),
            finding.check
        );
        let _ = writeln!(out, "          fix: {}", plain(&finding.fix));
    }
}

/// Without what would move a terminal's cursor.
fn plain(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect()
}

/// Mends our entries of one host, and lets our own program be executed.
fn mend(machine: &Machine, host: &'static Host, mended: &mut Vec<String>) {
    if let Some(site) = Site::of(machine, host) {
        mended.extend(site.unlock());
    }
    for scope in [Scope::User, Scope::Project] {
        for file in found(host, scope, &machine.around) {
            let Status::Outdated(why) = &file.state else {
                continue;
            };
            let place = machine.shown(&file.file);
            let line = match done(machine, host, scope) {
                Ok(()) => format!("`{place}`: {why}"),
                Err(trouble) => format!("nothing in `{place}`: {trouble}"),
            };
            log(machine, &line);
            mended.push(line);
            let steps = host.setup.map_or(&[][..], |setup| setup.steps);
            mended.extend(steps.iter().map(|step| format!("then {step}")));
        }
    }
}

fn done(machine: &Machine, host: &'static Host, scope: Scope) -> Result<(), String> {
    let state = machine
        .state
        .as_ref()
        .ok_or("there is no state directory")?;
    let plan = plan::install(host, scope, &machine.around)?;
    match apply::install(state, plan, &machine.around, false)?.what {
        What::Change(_) => Ok(()),
        What::Nothing(why) | What::Refused(why) => Err(why),
    }
}

fn log(machine: &Machine, line: &str) {
    if let Some(state) = &machine.state {
        let entry = Entry {
            kind: "doctor",
            effects: vec![line.into()],
            ..Entry::default()
        };
        // What cannot be logged is on the screen all the same.
        let _ = Log::new(state, Settings::default()).write(&entry, Moment::now());
    }
}
