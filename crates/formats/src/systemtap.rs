//! SystemTap's `@hist_log` and `@hist_linear` as it prints them.

use isotherm_frame::Unit;

use crate::drawn::{Dialect, Special};
use crate::{Counting, Meta, Need, bars};

static META: Meta = Meta {
    name: "systemtap",
    address: "FILE or -",
    about: "SystemTap's @hist_log and @hist_linear, with titles and any number of prints",
    needs: &[Need {
        what: "SystemTap and the kernel's debugging symbols on the traced machine, as root",
        how: "apt install systemtap linux-headers-$(uname -r) linux-image-$(uname -r)-dbgsym, or \
            dnf install systemtap && stap-prep",
    }],
    command: "stap -e 'global t, h; probe syscall.pread { t[tid()] = gettimeofday_us() } \
        probe syscall.pread.return { if (t[tid()]) h <<< gettimeofday_us() - t[tid()]; \
        delete t[tid()] } probe timer.s(1) { println(ctime()); println(\"pread (us)\"); \
        if (@count(h)) print(@hist_log(h)); delete h }' | isotherm live -",
    overhead: "Two probes for each operation, and a lookup of its start time. Their cost depends \
        on the machine and was not measured. SystemTap first compiles the script to a kernel \
        module, which takes seconds.",
    loses: "The exact latency within a bucket: the upper bound of a bucket of @hist_log is twice \
        its lower bound. The exact total time, unless the script prints count= and sum= after the \
        histogram. Negative latencies are rejected and counted. SystemTap prints no unit: isotherm \
        assumes microseconds unless a title names another unit.",
    counting: Counting::Varies(
        "A print counts either everything so far or what happened since the print before: \
        isotherm reads totals if no count falls from print to print, and increments otherwise, \
        and says which (--temporality overrides this). Totals are reset by a restart of the \
        script; a script resets increments itself, with delete.",
    ),
    exact_time: false,
    example: "\
pread (us)\n\
value |-------------------------------------------------- count\n\
\u{20}  32 |                                                     0\n\
\u{20}  64 |                                                     0\n\
\u{20} 128 |@@@@                                                30\n\
\u{20} 256 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@                     229\n\
\u{20} 512 |@                                                    9\n\
\u{20}1024 |                                                     0\n\
\u{20}2048 |                                                     0\n",
    interpretation: "229 of 268 reads took 256 to 511 microseconds: the number before a bar is \
        where its bucket begins. A row of only ~ stands for empty rows that were left out.",
};

pub(crate) static SOURCE: Dialect = Dialect {
    meta: &META,
    heads: bars::heads_systemtap,
    begins_head: bars::begins_head_systemtap,
    // Titles are whatever a script prints.
    is_key: |_| false,
    special,
    unit: Unit::Micros,
    assumed: "no title names the unit of the values: microseconds are assumed (--unit)",
};

fn special(line: &str) -> Option<Special> {
    if line == "~" {
        return Some(Special::Elision);
    }
    if line.starts_with("WARNING:") || line.starts_with("ERROR:") || line.starts_with("Pass ") {
        return Some(Special::Ignored);
    }
    let value = |name: &str| {
        let mut words = line.split_whitespace();
        words.find_map(|word| word.strip_prefix(name)?.parse::<u64>().ok())
    };
    Some(Special::Total(value("count=")?, value("sum=")?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_systemtap_itself_are_known() {
        assert_eq!(special("~"), Some(Special::Elision));
        assert_eq!(special("count=13 sum=500 min=-1 max=9"), Some(Special::Total(13, 500)));
        assert_eq!(special("WARNING: Number of errors: 0, skipped probes: 3"), Some(Special::Ignored));
        assert_eq!(special("count=13 sum=-500"), None);
        assert_eq!(special("read latency (us)"), None);
    }
}
