//! What web servers write for each request: Common and Combined Log Format, and what follows.

use isotherm_frame::Unit;

use super::candidate::Candidate;
use super::names::Kind;

/// The quoted request, the status and what is behind the size; `None` if a line is none of these.
fn parts(line: &str) -> Option<(&str, &str, &str)> {
    memchr::memchr(b'"', line.as_bytes())?;
    let (_, rest) = line.split_once("] \"")?;
    let (request, rest) = rest.split_once("\" ")?;
    let mut words = rest.splitn(3, ' ');
    let (status, size) = (words.next()?, words.next()?);
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let fits = status.len() == 3 && digits(status) && (size == "-" || digits(size));
    fits.then_some((request, status, words.next().unwrap_or_default()))
}

/// What follows the size of the answer.
pub(super) fn tail(line: &str) -> Option<&str> {
    parts(line).map(|(_, _, tail)| tail)
}

/// The bare numbers outside quotation marks. Three decimals are how nginx prints seconds, and nobody
/// else; anything else has no unit.
pub(super) fn numbers(tail: &str) -> impl Iterator<Item = Candidate<'_>> {
    let outside = tail.split('"').step_by(2);
    let words = outside.flat_map(str::split_whitespace);
    let is_number = |word: &&str| {
        word.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') && word.bytes().any(|b| b.is_ascii_digit())
    };
    let numbers = words.filter(is_number).enumerate();
    numbers.map(|(index, number)| {
        let seconds = number.split_once('.').is_some_and(|(_, decimals)| decimals.len() == 3);
        let kind = Kind::Latency(seconds.then_some(Unit::Seconds));
        Candidate { name: format!("number{}", index + 1).into(), number: number.into(), kind, ns: None }
    })
}

/// Whether a name is one that a number of an access log has here.
pub(super) fn is_number(name: &str) -> bool {
    name.strip_prefix("number").is_some_and(|index| index.parse::<u32>().is_ok())
}

/// The method, path or status of a request, or the host it came from.
pub(super) fn attribute<'l>(line: &'l str, name: &str) -> Option<&'l str> {
    let (request, status, _) = parts(line)?;
    let mut words = request.split(' ');
    match name {
        "method" => words.next(),
        "path" => words.nth(1),
        "status" => Some(status),
        "host" => line.split(' ').next(),
        _ => None,
    }
}
