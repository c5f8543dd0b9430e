//! DTrace's `quantize()`, `lquantize()` and `llquantize()` as it prints them.

use isotherm_frame::{Nanos, Unit};

use crate::drawn::{Dialect, Special};
use crate::{Counting, Meta, Need, bars};

static META: Meta = Meta {
    name: "dtrace",
    address: "FILE or -",
    about: "DTrace's quantize, lquantize and llquantize, with keys and any number of prints",
    needs: &[Need {
        what: "DTrace on the traced machine, as root",
        how: "it comes with Solaris, illumos, FreeBSD and macOS; on Oracle Linux: dnf install dtrace",
    }],
    command: "dtrace -n 'syscall::pread*:entry { self->t = timestamp; } \
        syscall::pread*:return /self->t/ { @[\"pread (ns)\"] = quantize(timestamp - self->t); \
        self->t = 0; } tick-1s { printa(@); }' | isotherm live -",
    overhead: "Two probe firings for each operation. Their cost depends on the machine and was not \
        measured; try it on a quiet system before you trace 100,000 operations a second. \
        Aggregations stay in the kernel, so printing costs almost nothing.",
    loses: "The exact latency within a bucket: the upper bound of a bucket of quantize() is twice \
        its lower bound. The exact total time. Negative latencies are rejected and counted. Drops \
        that DTrace reports are counted as lost. DTrace prints no unit: isotherm assumes \
        nanoseconds unless a key or a heading names another unit.",
    counting: Counting::Varies(
        "A print counts either everything so far or what happened since the print before: \
        isotherm reads totals if no count falls from print to print, and increments otherwise, \
        and says which (--temporality overrides this). Totals are reset by a restart of the \
        script; a script resets increments itself, with trunc() or clear().",
    ),
    exact_time: false,
    example: "\
  pread (ns)                                        \n\
\u{20}          value  ------------- Distribution ------------- count    \n\
\u{20}          65536 |                                         0        \n\
\u{20}         131072 |@@                                       10       \n\
\u{20}         262144 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@        189      \n\
\u{20}         524288 |@@@@@                                    30       \n\
\u{20}        1048576 |                                         0        \n",
    interpretation: "189 of 229 reads took 262,144 to 524,287 nanoseconds: the number before a bar \
        is where its bucket begins, and the empty rows above and below only mark the ends. If the \
        script prints repeatedly, the counts grow, unless the script clears them. isotherm detects \
        which is the case, and for growing counts shows the differences.",
};

pub(crate) static SOURCE: Dialect = Dialect {
    meta: &META,
    heads: bars::heads_dtrace,
    begins_head: bars::begins_head_dtrace,
    is_key,
    special,
    unit: Unit::Nanos,
    assumed: "the values have no unit: nanoseconds are assumed, as in DTrace's timestamp (--unit)",
};

fn special(line: &str) -> Option<Special> {
    if let Some(message) = line.strip_prefix("dtrace: ") {
        let drops = message.split_whitespace().any(|word| word == "drop" || word == "drops");
        let count = message.split(' ').next().and_then(|count| count.parse().ok());
        return Some(count.filter(|_| drops).map_or(Special::Ignored, Special::Lost));
    }
    if line == "^C" {
        return Some(Special::Boundary);
    }
    let mut words = line.split_whitespace();
    let (cpu, id, probe) = (words.next()?, words.next()?, words.next()?);
    if (cpu, id) == ("CPU", "ID") {
        return Some(Special::Ignored);
    }
    let numbers = [cpu, id].iter().all(|word| word.bytes().all(|byte| byte.is_ascii_digit()));
    let (_, name) = probe.rsplit_once(':').filter(|_| numbers)?;
    Some(match tick(name) {
        Some(length) => Special::Tick(length),
        None if name == "END" => Special::Boundary,
        None => Special::Ignored,
    })
}

/// Whether a line is a key of an aggregation as DTrace prints it, filled with blanks to fifty letters.
fn is_key(line: &str) -> bool {
    const WIDTH: usize = 50;
    let key = line.trim_start();
    key.ends_with(' ') && key.chars().count() >= WIDTH
}

/// The length of a timer such as `tick-10s`.
fn tick(probe: &str) -> Option<Nanos> {
    let length = probe.strip_prefix("tick-")?;
    let split = length.find(|c: char| !c.is_ascii_digit())?;
    let (count, unit) = length.split_at(split);
    let unit = match unit {
        "m" | "min" => Nanos::new(60 * Nanos::SECOND.as_nanos()),
        unit => unit.parse::<Unit>().ok()?.as_nanos(),
    };
    let count: u64 = count.parse().ok().filter(|&count| count > 0)?;
    count.checked_mul(unit.as_nanos()).map(Nanos::new)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_dtrace_itself_are_known() {
        let second = Nanos::SECOND.as_nanos();
        for (line, expected) in [
            ("dtrace: script 'x.d' matched 2 probes", Special::Ignored),
            ("dtrace: 12 aggregation drops on CPU 3", Special::Lost(12)),
            ("dtrace: 1 drop on CPU 0", Special::Lost(1)),
            ("CPU     ID                    FUNCTION:NAME", Special::Ignored),
            ("3  72639                        :tick-10s", Special::Tick(Nanos::new(10 * second))),
            ("0      2                             :END", Special::Boundary),
            ("1  5120                   pread:return", Special::Ignored),
            ("^C", Special::Boundary),
        ] {
            assert_eq!(special(line), Some(expected), "{line}");
        }
        for line in ["pread (ns)", "1 2 3", "read vda a:b", "dtrace", "146"] {
            assert_eq!(special(line), None, "{line}");
        }
        assert_eq!(tick("tick-5000"), None);
        assert_eq!(tick("tick-250msec"), Some(Nanos::from_millis(250)));
    }
}
