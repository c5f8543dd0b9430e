//! Lines of nothing but a number for the time and a number for the latency, at full speed.

use isotherm_frame::plausible::LEAST_FULL_COUNTER;
use isotherm_frame::{Nanos, Timestamp, Unit};

use super::layout::Layout;
use super::names::{TimeRole, Role};
use super::time::Form;

/// When an event ended, and how long it took.
pub(super) type Plain = (Timestamp, Nanos);

/// Reads such lines from a buffer, and stops at the first line that is anything else, which is
/// then read the general way.
#[derive(Copy, Clone, Debug)]
pub(super) struct Quick {
    /// The byte between the columns; a space or a tab if none.
    separator: Option<u8>,
    time: Scale,
    latency: Scale,
    offset: i64,
    /// Times from here on are read the general way, in nanoseconds.
    pub(super) before: i64,
    /// Whether the time is the beginning of the event.
    starts: bool,
}

/// Nanoseconds of one unit, a tenth of it, a hundredth of it and so on; 0 where that is no whole
/// number.
#[derive(Copy, Clone, Debug)]
struct Scale([u64; 10]);

impl Scale {
    fn of(unit: Unit) -> Scale {
        let unit = unit.as_nanos().as_nanos();
        let powers = std::array::from_fn(|power| 10_u64.pow(u32::try_from(power).unwrap_or(0)));
        Scale(powers.map(|power: u64| if unit.is_multiple_of(power) { unit / power } else { 0 }))
    }
}

impl Quick {
    /// `None` when the lines have other columns than a time and a latency.
    pub(super) fn new(layout: &Layout, offset: i64) -> Option<Quick> {
        let [Role::Time(_), Role::Latency(_)] = layout.roles[..] else { return None };
        let [(0, Form::Number(time))] = layout.times[..] else { return None };
        // There a point may separate thousands.
        if layout.decimal_comma {
            return None;
        }
        Some(Quick {
            separator: layout.separator.byte(),
            time: Scale::of(time),
            latency: Scale::of(layout.latency_unit),
            offset,
            before: i64::MAX,
            starts: layout.moment == TimeRole::Start,
        })
    }

    /// The same for times up to another moment, in nanoseconds.
    pub(super) fn up_to(self, before: i64) -> Quick {
        Quick { before, ..self }
    }

    /// Adds the events of the plain lines at the beginning of `text`, one for each and at most `most`;
    /// gives the length of these lines in bytes.
    pub(super) fn read(&self, text: &[u8], most: usize, events: &mut Vec<Plain>) -> usize {
        let mut rest = text;
        while events.len() < most
            && let Some((at, latency, after)) = self.line(rest)
        {
            events.push((at, latency));
            rest = after;
        }
        text.len() - rest.len()
    }

    /// One plain line, and what is after it.
    #[inline]
    fn line<'t>(&self, text: &'t [u8]) -> Option<(Timestamp, Nanos, &'t [u8])> {
        let (time, rest) = number(text, self.time)?;
        let rest = match (self.separator, rest) {
            (None, [b' ' | b'\t', rest @ ..]) => rest,
            (Some(separator), [first, rest @ ..]) if *first == separator => rest,
            _ => return None,
        };
        let rest = if let [b' ', rest @ ..] = rest { rest } else { rest };
        let (latency, rest) = number(rest, self.latency)?;
        let ([b'\n', rest @ ..] | [b'\r', b'\n', rest @ ..]) = rest else { return None };
        let at = i64::try_from(time).ok()?.checked_add(self.offset)?;
        if at >= self.before {
            return None;
        }
        let latency = Nanos::new(latency);
        let at = Timestamp::new(at);
        let end = if self.starts { at.plus(latency) } else { at };
        // Longer ones are read with their place: they may be no latencies.
        (latency < LEAST_FULL_COUNTER).then_some((end, latency, rest))
    }
}

/// A decimal number at the beginning of `text` in nanoseconds, and what is after it; `None` if it
/// is not plain, not whole nanoseconds, or does not fit.
#[inline]
fn number(text: &[u8], Scale(scale): Scale) -> Option<(u64, &[u8])> {
    let (whole, count, rest) = digits(text);
    // 18 digits always fit.
    if count == 0 || count > 18 {
        return None;
    }
    let whole = whole.checked_mul(scale[0])?;
    let [b'.', fraction @ ..] = rest else { return Some((whole, rest)) };
    let (fraction, count, rest) = digits(fraction);
    let part = *scale.get(count)?;
    if count == 0 || part == 0 {
        return None;
    }
    Some((whole.checked_add(fraction * part)?, rest))
}

/// The digits at the beginning of `text` as a number, how many they are, and what is after them.
/// The number is of no use when there are more than 18.
#[inline]
fn digits(text: &[u8]) -> (u64, usize, &[u8]) {
    let mut value = 0_u64;
    let mut rest = text;
    while let [byte @ b'0'..=b'9', after @ ..] = rest {
        value = value.wrapping_mul(10).wrapping_add(u64::from(byte - b'0'));
        rest = after;
    }
    (value, text.len() - rest.len(), rest)
}
