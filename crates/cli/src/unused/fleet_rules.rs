//! Which options of `isotherm fleet` have no effect, when, and why.

use super::rule::Unused;
use crate::args::Command;

/// Of several that hold the first is said.
pub const FLEET_RULES: &[Unused] = &[
    Unused {
        options: &["since", "step", "top", "width", "color", "ascii", "theme", "palette", "utc"],
        applies: |command| matches!(command, Command::Fleet(args) if args.rules || args.dashboard),
        why: "rules and dashboards ask no server, and are no view; leave it out",
    },
    Unused {
        options: &["metric", "by", "unit", "step"],
        applies: |command| matches!(command, Command::Fleet(args) if args.directory().is_some()),
        why: "recordings have their series, units and intervals, and are named by their files; choose series \
              with --series",
    },
    Unused {
        options: &["series"],
        applies: |command| matches!(command, Command::Fleet(args) if args.directory().is_none()),
        why: "the series of a server are chosen with labels: --metric 'NAME{label=\"value\"}'",
    },
    Unused {
        options: &["by", "unit"],
        applies: |command| matches!(command, Command::Fleet(args) if args.rules),
        why: "rules add up all hosts, in the unit of the histogram; leave it out",
    },
    Unused {
        options: &["top", "width", "ascii", "theme", "palette"],
        applies: |command| matches!(command, Command::Fleet(args) if args.json),
        why: "JSON has all hosts, and no map; leave it out",
    },
];

/// As those of the other rules.
#[cfg(test)]
pub const FLEET_EXAMPLES: &[(&str, &str)] = &[
    (
        "fleet --rules --metric a_s --since 1d | fleet prom+http://h --metric a_s --since 1d",
        "since",
    ),
    ("fleet --dashboard --metric a_s --top 3 | fleet prom+http://h --metric a_s --top 3", "top"),
    ("fleet . --metric a_s | fleet prom+http://h --metric a_s", "metric"),
    ("fleet . --step 1m | fleet prom+http://h --metric a_s --step 1m", "step"),
    ("fleet prom+http://h --metric a_s --series x | fleet . --series x", "series"),
    ("fleet --rules --metric a_s --by x | fleet --dashboard --metric a_s --by x", "by"),
    ("fleet --rules --metric a --unit ms | fleet --dashboard --metric a --unit ms", "unit"),
    (
        "fleet prom+http://h --metric a_s --json --top 3 | fleet prom+http://h --metric a_s --top 3",
        "top",
    ),
];
