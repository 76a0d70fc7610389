//! Points in time as RFC 3339 in UTC, and spans as people type them.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Milliseconds since 1970 in UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Moment(pub i64);

const SECOND: i64 = 1000;
const DAY: i64 = 86_400 * SECOND;

impl Moment {
    /// Now.
    pub fn now() -> Moment {
        Moment::of(SystemTime::now())
    }

    /// The moment of a system time.
    pub fn of(time: SystemTime) -> Moment {
        let millis = |d: Duration| i64::try_from(d.as_millis()).unwrap_or(i64::MAX);
        Moment(match time.duration_since(UNIX_EPOCH) {
            Ok(after) => millis(after),
            Err(before) => -millis(before.duration()),
        })
    }

    /// `span` later.
    pub fn plus(self, span: Duration) -> Moment {
        Moment(
            self.0
                .saturating_add(i64::try_from(span.as_millis()).unwrap_or(i64::MAX)),
        )
    }

    /// `span` earlier.
    pub fn minus(self, span: Duration) -> Moment {
        Moment(
            self.0
                .saturating_sub(i64::try_from(span.as_millis()).unwrap_or(i64::MAX)),
        )
    }

    /// How long ago `self` was at `now`; zero for the future.
    pub fn age(self, now: Moment) -> Duration {
        Duration::from_millis(u64::try_from(now.0.saturating_sub(self.0)).unwrap_or(0))
    }

    /// Reads RFC 3339 (`2026-11-29T18:23:58.5+01:00`) or a plain date.
    pub fn parse(text: &str) -> Option<Moment> {
        let mut rest = Digits(text.as_bytes());
        let year = rest.number(4)?;
        rest.byte(b"-")?;
        let month = rest.number(2)?;
        rest.byte(b"-")?;
        let day = rest.number(2)?;
        if !(1..=12).contains(&month) || day < 1 || day > days_in(year, month) {
            return None;
        }
        let date = days_from_civil(year, month, day).checked_mul(DAY)?;
        if rest.0.is_empty() {
            return Some(Moment(date));
        }
        rest.byte(b"Tt ")?;
        let hour = rest.number(2)?;
        rest.byte(b":")?;
        let minute = rest.number(2)?;
        rest.byte(b":")?;
        let second = rest.number(2)?;
        if hour > 23 || minute > 59 || second > 60 {
            return None;
        }
        let millis = rest.fraction()?;
        let offset = rest.offset()?;
        let clock = ((hour * 60 + minute) * 60 + second) * SECOND + millis;
        Some(Moment(date + clock - offset))
    }
}

impl Moment {
    /// Adds it to `out`, as it is shown.
    pub(crate) fn push(self, out: &mut String) {
        out.push_str(std::str::from_utf8(&self.shown()).unwrap_or_default());
    }

    fn shown(self) -> [u8; 24] {
        // Years beyond four digits are no RFC 3339; nothing here is that old or that far.
        let held = self.0.clamp(-62_135_596_800_000, 253_402_300_799_999);
        let (days, clock) = (held.div_euclid(DAY), held.rem_euclid(DAY));
        let (year, month, day) = civil_from_days(days);
        let (second, milli) = (clock / SECOND, clock % SECOND);
        let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
        let mut out = *b"0000-00-00T00:00:00.000Z";
        let parts = [
            (0..4, year),
            (5..7, month),
            (8..10, day),
            (11..13, hour),
            (14..16, minute),
            (17..19, second),
            (20..23, milli),
        ];
        for (place, value) in parts {
            let mut value = u32::try_from(value).unwrap_or_default();
            for digit in out.get_mut(place).unwrap_or_default().iter_mut().rev() {
                *digit = b"0123456789"
                    .get((value % 10) as usize)
                    .copied()
                    .unwrap_or_default();
                value /= 10;
            }
        }
        out
    }
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(std::str::from_utf8(&self.shown()).unwrap_or_default())
    }
}

impl Serialize for Moment {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Moment {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Moment, D::Error> {
        let text = String::deserialize(deserializer)?;
        Moment::parse(&text).ok_or_else(|| serde::de::Error::custom("not a time"))
    }
}

/// Reads `90s`, `10m`, `2h`, `1d`, `1w` and sums such as `1h30m`.
pub fn parse_span(text: &str) -> Option<Duration> {
    let mut total = Duration::ZERO;
    let mut rest = text;
    while !rest.is_empty() {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let (number, after) = rest.split_at_checked(digits)?;
        let unit = match after.as_bytes().first()? {
            b's' => 1,
            b'm' => 60,
            b'h' => 3600,
            b'd' => 86_400,
            b'w' => 604_800,
            _ => return None,
        };
        let seconds = number.parse::<u64>().ok()?.checked_mul(unit)?;
        total = total.checked_add(Duration::from_secs(seconds))?;
        rest = after.get(1..)?;
    }
    (!text.is_empty()).then_some(total)
}

/// A span as people say it: `9m`, `1h30m`, `2d`; seconds only below a minute.
pub fn shown_span(span: Duration) -> String {
    let seconds = span.as_secs();
    let (days, hours, minutes) = (seconds / 86_400, seconds / 3600 % 24, seconds / 60 % 60);
    let two = |a: u64, x: char, b: u64, y: char| {
        if b == 0 {
            format!("{a}{x}")
        } else {
            format!("{a}{x}{b}{y}")
        }
    };
    match (days, hours, minutes) {
        (0, 0, 0) => format!("{seconds}s"),
        (0, 0, m) => format!("{m}m"),
        (0, h, m) => two(h, 'h', m, 'm'),
        (d, h, _) => two(d, 'd', h, 'h'),
    }
}

struct Digits<'a>(&'a [u8]);

impl Digits<'_> {
    fn number(&mut self, width: usize) -> Option<i64> {
        let (digits, rest) = self.0.split_at_checked(width)?;
        self.0 = rest;
        digits.iter().try_fold(0i64, |n, b| {
            b.is_ascii_digit().then(|| n * 10 + i64::from(b - b'0'))
        })
    }

    fn byte(&mut self, any: &[u8]) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        any.contains(first).then_some(*first)
    }

    fn fraction(&mut self) -> Option<i64> {
        let Some(rest) = self.0.strip_prefix(b".") else {
            return Some(0);
        };
        let count = rest.iter().take_while(|b| b.is_ascii_digit()).count();
        let mut millis = 0;
        for at in 0..3 {
            let digit = rest
                .get(at)
                .filter(|_| at < count)
                .map_or(0, |b| i64::from(b - b'0'));
            millis = millis * 10 + digit;
        }
        self.0 = rest.get(count..)?;
        (count > 0).then_some(millis)
    }

    fn offset(&mut self) -> Option<i64> {
        let sign = match self.byte(b"Zz+-")? {
            b'+' => 1,
            b'-' => -1,
            _ => return self.0.is_empty().then_some(0),
        };
        let hours = self.number(2)?;
        self.byte(b":")?;
        let minutes = self.number(2)?;
        let fits = hours <= 23 && minutes <= 59 && self.0.is_empty();
        fits.then_some(sign * (hours * 60 + minutes) * 60 * SECOND)
    }
}

fn days_in(year: i64, month: i64) -> i64 {
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days since 1970-01-01; years are counted from March, so that the leap day comes last.
fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

fn civil_from_days(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let (era, of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let shifted = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 {
        shifted + 3
    } else {
        shifted - 9
    };
    (year + era * 400 + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_moments_read_and_print_as_date_does() {
        for (millis, text) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (1_795_976_638_123, "2026-11-29T18:23:58.123Z"),
            (-1, "1969-12-31T23:59:59.999Z"),
            (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
        ] {
            assert_eq!(Moment(millis).to_string(), text);
            assert_eq!(Moment::parse(text), Some(Moment(millis)));
        }
        assert_eq!(Moment(i64::MAX).to_string(), "9999-12-31T23:59:59.999Z");
        assert_eq!(Moment(i64::MIN).to_string(), "0001-01-01T00:00:00.000Z");
    }

    #[test]
    fn every_day_of_four_centuries_comes_back() {
        for day in (-80_000..80_000).step_by(1) {
            let moment = Moment(day * DAY + 12_345);
            assert_eq!(Moment::parse(&moment.to_string()), Some(moment));
        }
    }

    #[test]
    fn offsets_and_short_forms_are_read_and_nonsense_is_not() {
        let noon = Moment::parse("2026-11-29T12:00:00Z");
        for text in [
            "2026-11-29T13:00:00+01:00",
            "2026-11-29t06:30:00-05:30",
            "2026-11-29 12:00:00.0z",
        ] {
            assert_eq!(Moment::parse(text), noon, "{text}");
        }
        assert_eq!(
            Moment::parse("2026-11-29"),
            noon.map(|n| n.minus(Duration::from_secs(43_200)))
        );
        for text in [
            "",
            "2026",
            "2026-13-01",
            "2026-02-29",
            "2026-00-10",
            "2026-11-31",
            "2026-11-29T12:00Z",
            "2026-11-29T24:00:00Z",
            "2026-11-29T12:00:00",
            "2026-11-29T12:00:00.Z",
            "20é6-11-29",
            "2026-11-29T12:00:00Zx",
            "2026-11-29T12:00:00+1:00",
            "-026-11-29",
            "10m",
        ] {
            assert_eq!(Moment::parse(text), None, "{text}");
        }
    }

    #[test]
    fn spans_need_a_unit_and_never_overflow() {
        let span = |s| parse_span(s).map(|d| d.as_secs());
        assert_eq!(span("90s"), Some(90));
        assert_eq!(span("1h30m"), Some(5400));
        assert_eq!(span("2w1d"), Some(1_296_000));
        for text in [
            "",
            "10",
            "m",
            "10x",
            "1h30",
            "-1h",
            "99999999999999999999d",
            "18446744073709551615w",
            "1 h",
            "é",
        ] {
            assert_eq!(span(text), None, "{text}");
        }
        let shown = |s| shown_span(Duration::from_secs(s));
        assert_eq!(
            [
                shown(0),
                shown(59),
                shown(600),
                shown(5400),
                shown(7200),
                shown(176_400)
            ],
            ["0s", "59s", "10m", "1h30m", "2h", "2d1h"]
        );
    }
}
