//! The name that was probably meant.

/// `; did you mean …` with the name nearest to `typed`; empty only where there are no names.
pub(super) fn nearest<'a>(typed: &str, names: impl Iterator<Item = &'a str>) -> String {
    // Nobody means a name by a text of a thousand letters.
    let typed: Vec<char> = typed.chars().take(64).collect();
    let best = names.min_by_key(|name| distance(&typed, name));
    best.map(|name| format!("; the nearest is `{name}`"))
        .unwrap_or_default()
}

/// How many letters have to be added, taken away or changed.
fn distance(a: &[char], b: &str) -> usize {
    let mut row: Vec<usize> = (0..=a.len()).collect();
    for (j, y) in b.chars().enumerate() {
        let mut corner = j;
        let mut left = j + 1;
        for (cell, x) in row.iter_mut().skip(1).zip(a) {
            let change = corner + usize::from(*x != y);
            corner = *cell;
            left = change.min(corner + 1).min(left + 1);
            *cell = left;
        }
        if let Some(first) = row.first_mut() {
            *first = j + 1;
        }
    }
    row.last().copied().unwrap_or_default()
}
