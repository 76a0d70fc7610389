//! `log`: what was decided and done on this machine.

use super::pause::trouble;
use super::{Exit, home, terminal};
use crate::log::{Counts, Filter, Follow, Reader, Record, Stats};
use crate::state::State;
use crate::state::time::Moment;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;

/// How often the log is looked at while it is followed.
const BEAT: Duration = Duration::from_millis(200);

/// The arguments.
#[derive(clap::Args)]
pub(super) struct Args {
    /// Not before: a span such as `2h`, or a time such as `2026-01-31T08:00:00Z`
    #[arg(long, value_name = "WHEN")]
    since: Option<String>,
    /// Only this rule, or a family such as `git/`
    #[arg(long, value_name = "ID")]
    rule: Option<String>,
    /// Only sessions whose id starts so
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// Print JSON, one object a line
    #[arg(long)]
    json: bool,
    /// Only what happened to claims
    #[arg(long)]
    leases: bool,
    /// Go on with what comes
    #[arg(long, conflicts_with = "stats")]
    follow: bool,
    /// Count by rule and session
    #[arg(long)]
    stats: bool,
}

/// Runs the verb.
pub(super) fn run(args: &Args) -> Exit {
    let now = Moment::now();
    let since = match args
        .since
        .as_deref()
        .map(|text| (text, Filter::since(text, now)))
    {
        Some((text, None)) => return trouble(&format!("`{text}` is neither a span nor a time")),
        Some((_, since)) => since,
        None => None,
    };
    let filter = Filter {
        since,
        rule: args.rule.clone(),
        session: args.session.clone(),
        leases: args.leases,
    };
    let state = match home::state() {
        Ok(state) => state,
        Err(why) => return trouble(&why),
    };
    let mut stats = Stats::default();
    let mut out = String::new();
    let mut take = |record: &Record| {
        if args.stats {
            stats.add(record);
        } else {
            line(record, args.json, now, &mut out);
        }
    };
    // Opened first, so that nothing falls between what is there and what comes.
    let follow = args.follow.then(|| Follow::from_now(&state));
    let seen = Reader::open(&state).and_then(|reader| reader.each(&filter, &mut take));
    let seen = match seen {
        Ok(seen) => seen,
        Err(why) => return trouble(&why.0),
    };
    if args.stats {
        out = if args.json {
            terminal::json_line(&stats)
        } else {
            counted(&stats)
        };
    }
    terminal::out(&out);
    if seen.garbage > 0 {
        terminal::err(&format!(
            "leaseguard: {} lines of the log cannot be read\n",
            seen.garbage
        ));
    }
    match follow {
        Some(follow) => watch(follow, &filter, args.json, &state),
        None => Exit::Ok,
    }
}

/// Prints what comes until nobody reads it any more.
fn watch(mut follow: Follow, filter: &Filter, json: bool, _: &State) -> Exit {
    loop {
        let mut out = String::new();
        for record in follow.poll(filter) {
            line(&record, json, Moment::now(), &mut out);
        }
        if !out.is_empty() && !terminal::out(&out) {
            return Exit::Ok;
        }
        std::thread::sleep(BEAT);
    }
}

fn line(record: &Record, json: bool, now: Moment, out: &mut String) {
    if json {
        out.push_str(&terminal::json_line(record));
    } else {
        let _ = writeln!(out, "{}", record.shown(now));
    }
}

fn counted(stats: &Stats) -> String {
    let mut out = format!("{} lines\n", stats.lines);
    table("rule", &stats.rules, &mut out);
    table("session", &stats.sessions, &mut out);
    for (name, count) in stats.acts.iter().chain(&stats.faults) {
        let _ = writeln!(out, "{count:>6}  {name}");
    }
    out
}

fn table(head: &str, rows: &BTreeMap<String, Counts>, out: &mut String) {
    if rows.is_empty() {
        return;
    }
    let _ = writeln!(out, "{:>6} {:>6} {:>6}  {head}", "deny", "ask", "allow");
    for (name, counts) in Stats::ranked(rows) {
        let name = if name.is_empty() { "-" } else { name };
        let _ = writeln!(
            out,
            "{:>6} {:>6} {:>6}  {name}",
            counts.deny, counts.ask, counts.allow
        );
    }
}
