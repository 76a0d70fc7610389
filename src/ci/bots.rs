//! What review bots show of their work where no check tells it.

use super::answer::{Check, Pull, Voice};
use super::judge::{Court, seconds};
use super::{Line, Standing};
use crate::policy::{ReviewBot, Settle, Signal, glob_matches};
use crate::state::time::{Moment, shown_span};

/// Words for a reaction by which a bot says that it is done.
const DONE: &[&str] = &["thumbs_up", "confused", "hooray", "rocket"];

/// The bot that runs `check`.
pub(super) fn of_check<'a>(bots: &'a [ReviewBot], check: &Check) -> Option<&'a ReviewBot> {
    let names = [
        Some(&check.name),
        check.app.as_ref(),
        check.workflow.as_ref(),
    ];
    let names: Vec<String> = names
        .into_iter()
        .flatten()
        .map(|n| n.to_ascii_lowercase())
        .collect();
    bots.iter().find(|bot| {
        bot.checks.iter().any(|glob| {
            names
                .iter()
                .any(|n| glob_matches(&glob.to_ascii_lowercase(), n))
        })
    })
}

fn speaks_for(bot: &ReviewBot, login: &str) -> bool {
    let login = login.strip_suffix("[bot]").unwrap_or(login);
    let login = login.to_ascii_lowercase();
    bot.logins
        .iter()
        .any(|glob| glob_matches(&glob.to_ascii_lowercase(), &login))
}

/// What the bots of one pull request still do.
pub(super) fn lines(court: &Court<'_>, pull: &Pull, out: &mut Vec<Line>) {
    for bot in &court.bots {
        one(court, pull, bot, out);
    }
    // A bot that nobody has described: a review is requested from it all the same.
    for request in &pull.requests {
        if !court.bots.iter().any(|bot| speaks_for(bot, &request.by)) {
            let unknown = ReviewBot {
                name: request.by.clone(),
                ..ReviewBot::default()
            };
            requested(court, pull, &unknown, request, out);
        }
    }
    quiet(court, pull, out);
}

fn one(court: &Court<'_>, pull: &Pull, bot: &ReviewBot, out: &mut Vec<Line>) {
    let comment = pull.comments.iter().rfind(|c| speaks_for(bot, &c.by));
    let says = |texts: &[String]| {
        let text = comment.map(|c| c.text.to_lowercase()).unwrap_or_default();
        texts.iter().any(|t| text.contains(&t.to_lowercase()))
    };
    let watches = |signal| bot.signals.contains(&signal);
    let busy = watches(Signal::Comment) && says(&bot.busy);
    if !busy && says(&bot.ended) {
        settled(pull, bot, "says that it does not review now", out);
        return;
    }
    if bot.settle == Settle::ReviewAtHead && reviewed(pull, bot) {
        settled(pull, bot, "has reviewed this head", out);
        return;
    }
    if watches(Signal::Request)
        && let Some(request) = pull.requests.iter().find(|r| speaks_for(bot, &r.by))
    {
        requested(court, pull, bot, request, out);
        return;
    }
    let reacts = |words: &[&str]| {
        let mut own = pull.reactions.iter().filter(|r| speaks_for(bot, &r.by));
        own.any(|r| words.contains(&r.text.as_str()))
    };
    if watches(Signal::Reaction) && reacts(&["eyes"]) && !reacts(DONE) {
        let why = "has 👀 on it";
        works(court, pull, bot, None, why, Standing::Settled, out);
    } else if busy {
        let at = comment.and_then(|c| c.at);
        let why = "says that it works";
        works(court, pull, bot, at, why, Standing::Settled, out);
    }
}

fn reviewed(pull: &Pull, bot: &ReviewBot) -> bool {
    pull.reviews
        .iter()
        .any(|r| speaks_for(bot, &r.by) && r.head.as_deref() == Some(&pull.head))
}

fn requested(
    court: &Court<'_>,
    pull: &Pull,
    bot: &ReviewBot,
    request: &Voice,
    out: &mut Vec<Line>,
) {
    let why = "is asked for a review";
    works(court, pull, bot, request.at, why, Standing::Doubt, out);
}

/// In flight; where it takes longer than it may, it is what `late` says.
fn works(
    court: &Court<'_>,
    pull: &Pull,
    bot: &ReviewBot,
    at: Option<Moment>,
    why: &str,
    late: Standing,
    out: &mut Vec<Line>,
) {
    let since = at.or(court.subject.pushed);
    let age = since.or(court.subject.seen).map(|s| s.age(court.now));
    let over = age.filter(|age| *age > seconds(bot.max_wait));
    let (standing, why) = match over {
        Some(age) => (
            late,
            format!("{why} for {}: it may have gone", shown_span(age)),
        ),
        None => (Standing::Running, why.to_owned()),
    };
    out.push(Line {
        pull: Some(pull.number),
        what: bot.name.clone(),
        standing,
        why,
        since,
        review: true,
    });
}

fn settled(pull: &Pull, bot: &ReviewBot, why: &str, out: &mut Vec<Line>) {
    out.push(Line {
        pull: Some(pull.number),
        what: bot.name.clone(),
        standing: Standing::Settled,
        why: why.to_owned(),
        since: None,
        review: true,
    });
}

/// Bots that cannot be watched: nothing may have been written for a while after the checks ended.
fn quiet(court: &Court<'_>, pull: &Pull, out: &mut Vec<Line>) {
    let hidden = |voice: &&Voice, review: bool| match court
        .bots
        .iter()
        .find(|bot| speaks_for(bot, &voice.by))
    {
        Some(bot) => bot.signals.is_empty() && !reviewed(pull, bot),
        // Of bots that nobody has described only reviews count: many others comment.
        None => voice.bot && review,
    };
    let reviews = pull.reviews.iter().filter(|v| hidden(v, true));
    let comments = pull.comments.iter().filter(|v| hidden(v, false));
    let heard: Vec<&Voice> = reviews.chain(comments).collect();
    let Some(last) = heard.iter().max_by_key(|v| v.at) else {
        return;
    };
    let ended = pull.checks.iter().filter_map(|c| c.completed).max();
    let Some(at) = last.at.max(ended) else {
        return;
    };
    let age = at.age(court.now);
    if age < seconds(court.ci.quiet) {
        out.push(Line {
            pull: Some(pull.number),
            what: last.by.clone(),
            standing: Standing::Running,
            why: format!(
                "cannot be watched while it works; quiet for {} of {}",
                shown_span(age),
                shown_span(seconds(court.ci.quiet))
            ),
            since: None,
            review: true,
        });
    }
}
