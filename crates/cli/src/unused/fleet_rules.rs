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
    ("fleet --rules --metric a_s --by x | fleet --dashboard --metric a_s --by x", "by"),
    ("fleet --rules --metric a --unit ms | fleet --dashboard --metric a --unit ms", "unit"),
    (
        "fleet prom+http://h --metric a_s --json --top 3 | fleet prom+http://h --metric a_s --top 3",
        "top",
    ),
];
