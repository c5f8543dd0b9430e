//! Hosts by the bounds of their buckets.

use std::collections::{BTreeMap, BTreeSet};

use isotherm_formats::promquery::BoundCounts;

use super::selector::any_of;

/// Why the counts of a host with several layouts say nothing.
pub(super) const MIXED: &str = "its series have different bounds (le), or had, which cannot be \
    added up: choose some of them with labels (--metric 'NAME{job=\"x\"}'), or less time (--since)";

/// The bytes of hosts' names in a query: servers refuse long ones (`VictoriaMetrics` from 16 KiB on).
const QUERY: usize = 6_000;

/// Which hosts have the same bounds; nothing where all have.
#[derive(Debug, Default)]
pub(super) struct FleetLayouts {
    groups: Vec<Vec<String>>,
    mixed: BTreeSet<String>,
}

impl FleetLayouts {
    /// From how many samples of each host have each bound.
    pub(super) fn of(hosts: BTreeMap<String, BoundCounts>) -> FleetLayouts {
        let mut groups: BTreeMap<Vec<u64>, Vec<String>> = BTreeMap::new();
        let mut mixed = BTreeSet::new();
        for (host, counts) in hosts {
            if counts.are_of_one_layout() {
                groups.entry(counts.bounds()).or_default().push(host);
            } else {
                mixed.insert(host);
            }
        }
        let groups: Vec<Vec<String>> = groups.into_values().collect();
        // One layout in two spellings can be added up by the server.
        let is_one = groups.len() == 1 && mixed.is_empty();
        FleetLayouts { groups: if is_one { Vec::new() } else { groups }, mixed }
    }

    /// Whether the series of a host have different bounds.
    pub(super) fn is_mixed(&self, host: &str) -> bool {
        self.mixed.contains(host)
    }

    /// How many layouts there are.
    pub(super) fn number(&self) -> usize {
        self.groups.len().max(1)
    }

    /// What the label of hosts has to match so that the server can add them up, all but some, as an operator and a
    /// regular expression; empty for all.
    pub(super) fn choices(&self, but: &[&str]) -> Vec<String> {
        if self.groups.is_empty() && self.mixed.is_empty() {
            return vec![if but.is_empty() { String::new() } else { format!("!~{}", any_of(but)) }];
        }
        let but: BTreeSet<&str> = but.iter().copied().collect();
        let expressions = self.groups.iter().flat_map(|hosts| {
            parts(hosts.iter().map(String::as_str).filter(|host| !but.contains(host)))
        });
        expressions.map(|hosts| chosen(&hosts)).collect()
    }
}

/// What the label of some hosts matches.
pub(super) fn chosen(hosts: &[&str]) -> String {
    format!("=~{}", any_of(hosts))
}

/// The names in parts of limited length.
fn parts<'a>(hosts: impl Iterator<Item = &'a str>) -> Vec<Vec<&'a str>> {
    let (mut parts, mut length): (Vec<Vec<&str>>, usize) = (Vec::new(), 0);
    for host in hosts {
        if parts.is_empty() || length + host.len() > QUERY {
            parts.push(Vec::new());
            length = 0;
        }
        length += host.len() + 1;
        if let Some(last) = parts.last_mut() {
            last.push(host);
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_hosts_are_chosen_in_several_queries_and_each_once() {
        let hosts: Vec<String> = (0..1_000).map(|host| format!("web-{host:016}")).collect();
        let parts = parts(hosts.iter().map(String::as_str));
        assert_eq!(parts.concat(), hosts);
        assert!((4..=5).contains(&parts.len()), "{}", parts.len());
        assert_eq!(FleetLayouts::default().choices(&[]), [""]);
        assert_eq!(FleetLayouts::default().choices(&["a", "b"]), [r#"!~"a|b""#]);
        let groups = vec![vec!["a".to_owned(), "b".to_owned()], vec!["c".to_owned()]];
        let layouts = FleetLayouts { groups, mixed: BTreeSet::new() };
        assert_eq!(layouts.choices(&["c", "b"]), [r#"=~"a""#]);
    }
}
