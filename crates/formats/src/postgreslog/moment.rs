//! When an entry was written.

use isotherm_frame::{Clock, Nanos, Timestamp, Unit};

use crate::calendar;
use crate::logs::SyslogTimes;
use crate::number;
use crate::zone::LocalClock;
use crate::{Context, Note, Sink};

/// Reads the times of entries, most of which are of the same second as the one before.
pub(super) struct MomentReader {
    local: LocalClock,
    /// The text of a time up to its second, and of its zone.
    last: Vec<u8>,
    second: Option<i64>,
    /// Times of syslog, which have no year.
    syslog: SyslogTimes,
    reported: bool,
}

/// A time in a text: `2026-11-21 05:15:14.312 UTC`.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
struct Written<'t> {
    second: &'t [u8],
    fraction: &'t [u8],
    zone: &'t [u8],
}

impl MomentReader {
    pub(super) fn new(context: &Context) -> MomentReader {
        let local = LocalClock::new(context.zone.as_ref());
        let syslog = SyslogTimes::new(context);
        MomentReader { local, last: Vec::new(), second: None, syslog, reported: false }
    }

    /// The first time in a text.
    pub(super) fn read(&mut self, text: &[u8], sink: &mut dyn Sink) -> Option<Timestamp> {
        let at = match written(text) {
            Some(written) => self.place(written, sink)?,
            None => match since_1970(text) {
                Some(at) => at,
                None => return self.syslog.read(text, sink),
            },
        };
        if !self.reported {
            self.reported = true;
            sink.note(Note::Clock(Clock::Epoch));
        }
        Some(at)
    }

    fn place(&mut self, written: Written<'_>, sink: &mut dyn Sink) -> Option<Timestamp> {
        let Written { second, fraction, zone } = written;
        let same = self.last.strip_prefix(second).is_some_and(|rest| rest == zone);
        if !same {
            self.last.clear();
            self.last.extend_from_slice(second);
            self.last.extend_from_slice(zone);
            let text = format!("{} {}", String::from_utf8_lossy(second), String::from_utf8_lossy(zone));
            let date = calendar::date(&text);
            self.second = date.and_then(|date| self.local.place_date(&date, sink));
        }
        let mut part = [b'0'; 9];
        part.iter_mut().zip(fraction).for_each(|(digit, given)| *digit = *given);
        let part = part.iter().fold(0, |sum, digit| sum * 10 + u64::from(digit - b'0'));
        Some(Timestamp::new(self.second?).plus(Nanos::new(part)))
    }
}

/// The first date with a time in a text.
fn written(text: &[u8]) -> Option<Written<'_>> {
    /// `2026-11-21 05:15:14`, and as syslog writes it `2026-11-21T05:15:14`.
    const FORM: &[u8] = b"dddd-dd-ddtdd:dd:dd";
    let fits = |window: &[u8]| {
        let fits = |(byte, form): (&u8, &u8)| match form {
            b'd' => byte.is_ascii_digit(),
            b't' => matches!(byte, b' ' | b'T'),
            form => byte == form,
        };
        window.iter().zip(FORM).all(fits)
    };
    let start = text.windows(FORM.len()).position(fits)?;
    let (second, rest) = text[start..].split_at(FORM.len());
    let digits = |text: &[u8]| text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (fraction, rest) = match rest {
        [b'.', rest @ ..] => rest.split_at(digits(rest)),
        _ => (&rest[..0], rest),
    };
    let is_iso = second.contains(&b'T');
    let zone = rest.strip_prefix(b" ").or(is_iso.then_some(rest)).unwrap_or(&rest[..0]);
    let letters = zone.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    let offset = match zone.first() {
        Some(b'+' | b'-') => {
            let hours = 1 + digits(&zone[1..]);
            let minutes = zone[hours..].strip_prefix(b":").map_or(0, digits);
            if minutes == 2 { hours + 3 } else { hours }
        }
        _ => letters,
    };
    Some(Written { second, fraction, zone: &zone[..offset] })
}

/// `1795238114.387`, as `%n` writes it.
fn since_1970(text: &[u8]) -> Option<Timestamp> {
    let number = |byte: &u8| byte.is_ascii_digit() || *byte == b'.';
    let words = text.split(|byte| !number(byte));
    let mut seconds = words.filter(|word| word.len() >= 12 && word.get(10) == Some(&b'.'));
    let ns = number::nanos(seconds.next()?, Unit::Seconds).ok()?;
    Some(Timestamp::new(0).plus(Nanos::new(ns)))
}

#[cfg(test)]
mod tests {
    use isotherm_frame::Account;

    use super::*;

    #[test]
    fn times_stand_anywhere_before_the_message() {
        let mut account = Account::default();
        let mut moments = MomentReader::new(&Context::default());
        let mut at = |text: &str| {
            moments.read(text.as_bytes(), &mut account).map(|at| at.as_nanos() / 1_000_000)
        };
        let expected = Some(1_795_238_114_312);
        assert_eq!(at("2026-11-21 05:15:14.312 UTC [7] "), expected);
        assert_eq!(at("2026-11-21 06:15:14.312 CET [7] "), expected);
        assert_eq!(at("2026-11-21 10:45:14.312 +05:30 [7]"), expected);
        assert_eq!(at("<2026-11-21 02:15:14.312 -03>"), expected);
        let rds = at("2026-11-21 05:15:14 UTC:10.0.0.1(5000):u@d:[7]:");
        assert_eq!(rds, Some(1_795_238_114_000));
        assert_eq!(at("[7] 1795238114.312 "), expected);
        assert_eq!(at("2026-11-21T05:15:14.312+00:00 db1 postgres[90]: [7-1] "), expected);
        assert_eq!(at("2026-11-21T07:15:14.312456+02:00 db1 postgres[90]: [7-1] "), expected);
        assert_eq!(at("<134>1 2026-11-21T05:15:14.312Z db1 postgres 90 - - [7-1] "), expected);
        assert_eq!(at("[7] u@d "), None);
    }
}
