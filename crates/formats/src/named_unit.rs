//! The unit that a title or the head of an axis states: only what stands in the place of a unit is one.
//! `Tracing, one summary every 10 seconds` says nothing of the values below it.

use isotherm_frame::Unit;

/// The unit that a title states: as any line may, or as the last of a few words (`read latency ns`).
pub(crate) fn unit_of_title(title: &str) -> Option<Unit> {
    unit_of_line(title).or_else(|| last_of_few(title.trim().trim_end_matches([':', '='])))
}

/// The unit that a line above a title states: in brackets (`read latency (us)`), behind `in` or a comma
/// (`latency in microsec`, `wait, us`), or at the end of a name (`wait_usecs`).
pub(crate) fn unit_of_line(title: &str) -> Option<Unit> {
    let title = title.trim().trim_end_matches([':', '=']).trim_end();
    if let Some(stated) = in_brackets(title) {
        return Some(stated);
    }
    // Behind a comma more may be said: "latency in microsec, event#=146".
    title.split(',').find_map(behind_in).or_else(|| at_end(title))
}

/// The unit that the head of an axis states: `usecs`, `wait time, microsec`, `latency ns`.
pub(crate) fn unit_of_axis(axis: &str) -> Option<Unit> {
    let axis = axis.trim();
    if let Some(stated) = in_brackets(axis) {
        return Some(stated);
    }
    let mut words =
        axis.rsplit(|c: char| c.is_whitespace() || c == ',').filter(|word| !word.is_empty());
    let last = words.next()?;
    let is_length = words.next().is_some_and(|word| word.bytes().all(|byte| byte.is_ascii_digit()));
    unit(last).filter(|_| !is_length).or_else(|| at_end(axis))
}

/// Whether words speak of sizes or lengths of queues, which are no latencies: in brackets, or as the
/// last word.
pub(crate) fn names_sizes(words: &str) -> bool {
    const SIZES: [&str; 12] = [
        "bytes", "byte", "size", "sizes", "sectors", "sector", "len", "length", "depth", "pages",
        "kib", "mib",
    ];
    let words = words.trim().trim_end_matches([':', '=']).to_ascii_lowercase();
    let is_size = |text: &str| {
        let last = text.rsplit(|c: char| !c.is_ascii_alphanumeric()).find(|word| !word.is_empty());
        last.is_some_and(|word| SIZES.iter().any(|size| word.ends_with(size)))
    };
    match brackets(&words) {
        Some((before, inside)) => is_size(inside) || is_size(before),
        None => is_size(&words),
    }
}

/// A word of a unit of time. A lone `s` is too common a letter.
fn unit(word: &str) -> Option<Unit> {
    match word {
        "s" | "S" => None,
        "mus" => Some(Unit::Micros),
        _ => word.parse().ok(),
    }
}

/// What stands before the last brackets, and in them.
fn brackets(text: &str) -> Option<(&str, &str)> {
    let open = text.rfind(['(', '['])?;
    let inside = &text[open + 1..];
    let end = inside.find([')', ']'])?;
    Some((&text[..open], &inside[..end]))
}

/// `read (us)`, `read [in us]`, `time (s)`; not `after 5 (s)`.
fn in_brackets(text: &str) -> Option<Unit> {
    let (before, inside) = brackets(text)?;
    let inside = inside.trim();
    // `(in us)` and `(value=latency in microsec)`.
    let inside = match inside.rsplit_once("in ") {
        Some((before, stated)) if before.is_empty() || before.ends_with(' ') => stated,
        _ => inside,
    };
    // `event#=146 (in us)` is a key and no length.
    let is_number = |word: &str| word.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'.'));
    let is_length =
        before.ends_with(' ') && before.split_whitespace().next_back().is_some_and(is_number);
    // In brackets a lone s can be nothing else.
    inside.parse().ok().filter(|_| !is_length)
}

/// `latency in microsec`
fn behind_in(part: &str) -> Option<Unit> {
    let (_, stated) = part.trim().rsplit_once(" in ")?;
    unit(stated.trim())
}

/// `read latency ns`; not `every 10 ms` and not `for some seconds`.
fn last_of_few(title: &str) -> Option<Unit> {
    const FEW: usize = 4;
    let words: Vec<&str> = title.split_whitespace().collect();
    let [.., before, last] = words[..] else { return None };
    let is_length = before.ends_with(|c: char| c.is_ascii_digit());
    let is_prose = last.to_ascii_lowercase().starts_with("sec");
    unit(last).filter(|_| words.len() <= FEW && !is_length && !is_prose)
}

/// `wait, us`, `wait_usecs` and `usecs`; not the end of a sentence, a path or a key.
fn at_end(text: &str) -> Option<Unit> {
    if let Some((_, last)) = text.rsplit_once(',')
        && let Some(stated) = unit(last.trim())
    {
        // `read, us` may be two keys as well, of which the second is a country: rarer than a unit.
        return Some(stated);
    }
    if text.contains(char::is_whitespace) || text.contains('/') {
        return None;
    }
    match text.rsplit_once('_') {
        Some((_, last)) => unit(last),
        // Keys may be called us or ms: alone only the long words are units.
        None => unit(text).filter(|_| text.len() > 3),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_stand_in_brackets_behind_in_or_at_the_end_of_a_name() {
        for (title, stated) in [
            ("read latency (us)", Unit::Micros),
            ("  pread [ns]:", Unit::Nanos),
            ("waits of 10 ms and more (us)", Unit::Micros),
            ("time to first byte (s)", Unit::Seconds),
            ("latency in microsec, event#=146", Unit::Micros),
            ("wait, us", Unit::Micros),
            ("wait_usecs", Unit::Micros),
            ("lquantize_us", Unit::Micros),
            ("nsecs", Unit::Nanos),
            ("x us", Unit::Micros),
            ("event#=146 (latency in millisec)", Unit::Millis),
            ("Latency histogram (value=latency in microsec) for event#=146", Unit::Micros),
            ("read latency ns", Unit::Nanos),
            ("read (us) of all disks", Unit::Micros),
        ] {
            assert_eq!(unit_of_title(title), Some(stated), "{title}");
        }
    }

    #[test]
    fn prose_keys_and_lengths_state_none() {
        for title in [
            "Tracing, one summary every 10 seconds",
            "Tracing for 5 seconds ...",
            "every 10 ms",
            "printed after 5 (s)",
            "  us",
            "ms",
            "/data/lat_ms/file",
            "disk ms sda",
            "s bash",
            "pread",
            "at most 100 usecs are shown",
            "Tracing for some seconds",
            "press Ctrl-C after a few ms",
            "sampled for 30 seconds:",
        ] {
            assert_eq!(unit_of_title(title), None, "{title}");
        }
    }

    #[test]
    fn heads_of_axes_end_in_their_unit() {
        for (axis, stated) in [
            ("usecs", Some(Unit::Micros)),
            ("wait time, microsec", Some(Unit::Micros)),
            ("kcbgtcr latency, ns", Some(Unit::Nanos)),
            ("latency (ms)", Some(Unit::Millis)),
            ("mus", Some(Unit::Micros)),
            ("value", None),
            ("ms of the last 10 reads", None),
            ("every 10 ms", None),
        ] {
            assert_eq!(unit_of_axis(axis), stated, "{axis}");
        }
    }

    #[test]
    fn sizes_are_no_latencies() {
        for words in
            ["read (bytes)", "bytes", "write size", "io_size", "queue depth", "sent (KiB)", "qlen"]
        {
            assert!(names_sizes(words), "{words}");
        }
        for words in ["read (us)", "bytewise", "pread", "size of what (us) x", ""] {
            assert!(!names_sizes(words), "{words}");
        }
    }
}
