//! Globs over names: `*` stands for any bytes, everything else for itself.

/// Whether `text` matches `glob`, in which `*` stands for any bytes.
pub fn glob_matches(glob: &str, text: &str) -> bool {
    let (glob, text) = (glob.as_bytes(), text.as_bytes());
    let (mut g, mut t, mut star) = (0, 0, None);
    while t < text.len() {
        if glob.get(g) == Some(&b'*') {
            star = Some((g, t));
            g += 1;
        } else if glob.get(g) == text.get(t) {
            g += 1;
            t += 1;
        } else if let Some((at, from)) = star {
            g = at + 1;
            t = from + 1;
            star = Some((at, from + 1));
        } else {
            return false;
        }
    }
    glob.iter().skip(g).all(|b| *b == b'*')
}

/// Whether some text matches both globs.
pub(super) fn globs_meet(a: &[u8], b: &[u8]) -> bool {
    let mut row: Vec<bool> = vec![false; b.len() + 1];
    for i in (0..=a.len()).rev() {
        let mut next = vec![false; b.len() + 1];
        for j in (0..=b.len()).rev() {
            let (x, y) = (a.get(i), b.get(j));
            next[j] = match (x, y) {
                (None, None) => true,
                (Some(b'*'), _) if row[j] || (y.is_some() && next[j + 1]) => true,
                (_, Some(b'*')) if next[j + 1] || (x.is_some() && row[j]) => true,
                (Some(x), Some(y)) => x == y && row[j + 1],
                _ => false,
            };
        }
        row = next;
    }
    row[0]
}
