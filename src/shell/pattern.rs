//! Shell patterns over known text: `*`, `?`, `[…]`.

/// A pattern that means `text` itself.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(
            c,
            '*' | '?' | '[' | ']' | '\\' | '(' | ')' | '|' | '!' | '+' | '@'
        ) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

#[derive(Debug)]
enum Item {
    Char(char),
    Any,
    Star,
    Set(Vec<(char, char)>, bool),
}

fn parse(pattern: &str) -> Vec<Item> {
    let mut items = Vec::new();
    let chars: Vec<char> = pattern.chars().collect();
    let mut at = 0;
    while let Some(&c) = chars.get(at) {
        at += 1;
        match c {
            '*' => {
                if !matches!(items.last(), Some(Item::Star)) {
                    items.push(Item::Star);
                }
            }
            '?' => items.push(Item::Any),
            '\\' => {
                if let Some(&next) = chars.get(at) {
                    items.push(Item::Char(next));
                    at += 1;
                } else {
                    items.push(Item::Char('\\'));
                }
            }
            '[' => match set(&chars, at) {
                Some((item, next)) => {
                    items.push(item);
                    at = next;
                }
                None => items.push(Item::Char('[')),
            },
            c => items.push(Item::Char(c)),
        }
    }
    items
}

fn set(chars: &[char], mut at: usize) -> Option<(Item, usize)> {
    let negated = matches!(chars.get(at), Some('!' | '^'));
    if negated {
        at += 1;
    }
    let mut ranges = Vec::new();
    let first = at;
    loop {
        let mut c = *chars.get(at)?;
        if c == ']' && at > first {
            return Some((Item::Set(ranges, negated), at + 1));
        }
        if c == '\\' {
            at += 1;
            c = *chars.get(at)?;
        }
        at += 1;
        if chars.get(at) == Some(&'-') && chars.get(at + 1).is_some_and(|&c| c != ']') {
            ranges.push((c, *chars.get(at + 1)?));
            at += 2;
        } else {
            ranges.push((c, c));
        }
    }
}

fn matches(items: &[Item], text: &[char]) -> bool {
    let (mut i, mut t) = (0, 0);
    let mut back: Option<(usize, usize)> = None;
    loop {
        let fits = match (items.get(i), text.get(t)) {
            (None, None) => return true,
            (Some(Item::Star), _) => {
                back = Some((i, t));
                i += 1;
                continue;
            }
            (Some(Item::Any), Some(_)) => true,
            (Some(Item::Char(c)), Some(x)) => c == x,
            (Some(Item::Set(ranges, negated)), Some(x)) => {
                ranges.iter().any(|(a, b)| (a..=b).contains(&x)) != *negated
            }
            _ => false,
        };
        if fits {
            i += 1;
            t += 1;
            continue;
        }
        match &mut back {
            Some((star, from)) if *from < text.len() => {
                *from += 1;
                t = *from;
                i = *star + 1;
            }
            _ => return false,
        }
    }
}

/// `${text#pattern}`, `##` when `longest`.
pub(super) fn without_prefix<'t>(text: &'t str, pattern: &str, longest: bool) -> &'t str {
    let items = parse(pattern);
    let chars: Vec<char> = text.chars().collect();
    let mut ends: Vec<usize> = (0..=chars.len()).collect();
    if longest {
        ends.reverse();
    }
    for end in ends {
        if matches(&items, chars.get(..end).unwrap_or(&[])) {
            let bytes: usize = chars.iter().take(end).map(|c| c.len_utf8()).sum();
            return text.get(bytes..).unwrap_or(text);
        }
    }
    text
}

/// `${text%pattern}`, `%%` when `longest`.
pub(super) fn without_suffix<'t>(text: &'t str, pattern: &str, longest: bool) -> &'t str {
    let items = parse(pattern);
    let chars: Vec<char> = text.chars().collect();
    let mut starts: Vec<usize> = (0..=chars.len()).collect();
    if !longest {
        starts.reverse();
    }
    for start in starts {
        if matches(&items, chars.get(start..).unwrap_or(&[])) {
            let bytes: usize = chars.iter().take(start).map(|c| c.len_utf8()).sum();
            return text.get(..bytes).unwrap_or(text);
        }
    }
    text
}

/// `${text/pattern/with}`; `how` is `/` for all, `#` or `%` for an anchored one, else the first.
pub(super) fn replaced(text: &str, pattern: &str, with: &str, how: u8) -> Option<String> {
    if with.contains('&') || text.len() > 256 {
        return None;
    }
    let items = parse(pattern);
    let chars: Vec<char> = text.chars().collect();
    let mut out = String::new();
    let mut at = 0;
    let mut done = pattern.is_empty() && how != b'#' && how != b'%';
    while at <= chars.len() {
        let end = (!done && (how != b'#' || at == 0))
            .then(|| {
                (at..=chars.len())
                    .rev()
                    .filter(|&end| how != b'%' || end == chars.len())
                    .find(|&end| matches(&items, chars.get(at..end).unwrap_or(&[])))
            })
            .flatten()
            .filter(|&end| end > at || how == b'#' || how == b'%');
        match end {
            Some(end) => {
                out.push_str(with);
                done = how != b'/';
                if end == at {
                    out.extend(chars.get(at));
                    at += 1;
                } else {
                    at = end;
                }
                if at == chars.len() {
                    break;
                }
            }
            None => {
                out.extend(chars.get(at));
                at += 1;
            }
        }
    }
    Some(out)
}
