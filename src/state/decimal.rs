//! Numbers as decimal digits, without the machinery that pads and aligns.

/// Adds `number` to `out`.
pub(crate) fn push(out: &mut String, number: u64) {
    let mut digits = [0u8; 20];
    let mut left = number;
    let mut used = 0;
    for digit in digits.iter_mut().rev() {
        *digit = b'0' + u8::try_from(left % 10).unwrap_or_default();
        left /= 10;
        used += 1;
        if left == 0 {
            break;
        }
    }
    for digit in digits.get(20 - used..).unwrap_or_default() {
        out.push(char::from(*digit));
    }
}

#[cfg(test)]
mod tests {
    use super::push;

    #[test]
    fn numbers_read_as_they_are_always_written() {
        for number in [0, 7, 10, 4096, 99_999, u64::MAX] {
            let mut out = String::from("x");
            push(&mut out, number);
            assert_eq!(out, format!("x{number}"));
        }
    }
}
