//! Which tables of a print are of pools, and which of devices in them: `-v` prints a pool, then its
//! devices, depth first, and names do not tell them apart.

use std::collections::BTreeMap;

use isotherm_frame::{Histogram, Place, Series};

/// What a table is of.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Pool,
    /// A device in the pool before it.
    Device,
    /// A table without counts says nothing, nor does one in a print with a damaged one.
    Unknown,
}

/// A table of the print that is open.
#[derive(Debug)]
struct Table {
    name: String,
    counts: Vec<u64>,
    /// The histograms, which wait until its role is known.
    waiting: Histograms,
    /// Of another one with the name of one before.
    twice: Option<Twice>,
}

/// The histograms of a table.
type Histograms = Vec<(Series, Histogram)>;

/// The place of a table, and how many events it has.
type Twice = (Place, u64);

/// The tables of the print that is open, and what is known of their names.
#[derive(Debug, Default)]
pub(super) struct Pools {
    roles: BTreeMap<String, Role>,
    print: Vec<Table>,
    is_damaged: bool,
}

/// What a table had to say, by its role.
pub(super) struct Settled {
    pub(super) role: Role,
    pub(super) histograms: Histograms,
    /// Where it is, and its events, if another one of its name came before.
    pub(super) twice: Option<Twice>,
}

impl Pools {
    /// Tables of one print that are compared.
    const MOST: usize = 1_000;
    /// Names that are said.
    const SHOWN: usize = 5;

    /// The role of the next table, if it is known: the first table of a print is of a pool.
    pub(super) fn role(&self, name: &str) -> Option<Role> {
        let is_first = self.print.is_empty() && !self.is_damaged;
        self.roles.get(name).copied().or(is_first.then_some(Role::Pool))
    }

    /// Takes a table; what it has to say is given back, unless that has to wait for the end of the print.
    pub(super) fn take(&mut self, name: &str, histograms: Histograms, twice: Option<Twice>) -> Histograms {
        let role = self.role(name);
        let counts = histograms.iter().flat_map(|(_, counts)| counts.counts()).collect();
        let (now, waiting) = match role {
            Some(Role::Pool) if twice.is_none() => (histograms, Vec::new()),
            Some(_) => (Vec::new(), Vec::new()),
            None => (Vec::new(), histograms),
        };
        if let Some(role) = role {
            self.roles.insert(name.to_owned(), role);
        }
        let twice = twice.filter(|_| role != Some(Role::Device));
        self.print.push(Table { name: name.to_owned(), counts, waiting, twice });
        now
    }

    /// A table of this print cannot be read.
    pub(super) fn damaged(&mut self) {
        self.is_damaged = true;
    }

    /// The print is complete: what waited for that.
    pub(super) fn settle(&mut self) -> Vec<Settled> {
        let print = std::mem::take(&mut self.print);
        let unknown = std::mem::take(&mut self.is_damaged) || print.len() > Pools::MOST;
        let is_open = |table: &Table| !table.waiting.is_empty() || table.twice.is_some();
        if !print.iter().any(is_open) {
            return Vec::new();
        }
        let roles = if unknown { vec![Role::Unknown; print.len()] } else { roles(&print) };
        let waiting = print.into_iter().zip(roles).filter(|(table, _)| is_open(table));
        let settled = waiting.map(|(table, role)| {
            let Table { name, waiting: histograms, twice, .. } = table;
            if role != Role::Unknown && twice.is_none() {
                self.roles.insert(name, role);
            }
            Settled { role, histograms, twice: twice.filter(|_| role != Role::Device) }
        });
        settled.collect()
    }

    /// What is said of the tables that were left out, and of those that were not.
    pub(super) fn words(&self) -> (Option<String>, Option<String>) {
        let of = |role: Role| {
            let names = self.roles.iter().filter(|(_, known)| **known == role);
            names.map(|(name, _)| name.as_str()).collect::<Vec<_>>()
        };
        let shown = |names: &[&str]| {
            let more = if names.len() > Pools::SHOWN { ", ..." } else { "" };
            format!("{}{more}", names[..names.len().min(Pools::SHOWN)].join(", "))
        };
        let (pools, devices) = (of(Role::Pool), of(Role::Device));
        let left_out = format!(
            "left out, as their requests are counted in their pool: {} (--where vdev=NAME reads one)",
            shown(&devices)
        );
        let several = format!(
            "several tables are read as pools: {}; zpool does not say what is a pool and what a device \
             (--where vdev=NAME reads one)",
            shown(&pools)
        );
        ((!devices.is_empty()).then_some(left_out), (pools.len() > 1).then_some(several))
    }
}

/// The role of each table of a print.
fn roles(print: &[Table]) -> Vec<Role> {
    let mut ends = vec![0; print.len()];
    for at in (0..print.len()).rev() {
        ends[at] = end_of_devices(print, at, &ends);
    }
    let mut roles: Vec<Role> = Vec::with_capacity(print.len());
    let mut end = 0;
    for (at, table) in print.iter().enumerate() {
        let is_device = at < end || is_kind_of_device(&table.name);
        if at >= end {
            end = ends[at];
        }
        roles.push(match is_device {
            _ if is_empty(&table.counts) => Role::Unknown,
            true => Role::Device,
            false => Role::Pool,
        });
    }
    roles
}

/// Names that a pool cannot have.
fn is_kind_of_device(name: &str) -> bool {
    ["mirror", "raidz", "draid", "spare"].iter().any(|kind| name.starts_with(kind))
}

fn is_empty(counts: &[u64]) -> bool {
    counts.iter().all(|count| *count == 0)
}

/// Where the devices of a table end: those that follow it and, without their own ones, add up to it. `ends`
/// has the same of the tables that follow.
fn end_of_devices(print: &[Table], at: usize, ends: &[usize]) -> usize {
    let whole = &print[at].counts;
    let mut search = Search { print, ends, whole, steps: 0 };
    let rest = Rest { counts: whole.clone(), excess: 0, devices: 0 };
    search.end(at + 1, &rest).unwrap_or(at + 1)
}

/// Looks for devices that add up to a table.
struct Search<'p> {
    print: &'p [Table],
    ends: &'p [usize],
    whole: &'p [u64],
    steps: usize,
}

/// What is left of a table without some devices.
struct Rest {
    counts: Vec<u64>,
    /// What the devices have more than the table, in single buckets.
    excess: u64,
    devices: u64,
}

impl Rest {
    fn without(&self, device: &[u64]) -> Rest {
        let pairs = || self.counts.iter().zip(device);
        let more = pairs().map(|(rest, count)| count.saturating_sub(*rest));
        Rest {
            counts: pairs().map(|(rest, count)| rest.saturating_sub(*count)).collect(),
            excess: more.fold(self.excess, u64::saturating_add),
            devices: self.devices + 1,
        }
    }
}

impl Search<'_> {
    /// What is tried before it is given up.
    const MOST: usize = 2_000;

    /// Where they end if the one at `next` is another one.
    fn end(&mut self, next: usize, rest: &Rest) -> Option<usize> {
        self.steps += 1;
        let table = self.print.get(next).filter(|_| self.steps <= Search::MOST)?;
        if !fits(&table.counts, &rest.counts, self.whole) {
            return None;
        }
        let rest = rest.without(&table.counts);
        let after = self.ends[next];
        if is_rounding(&rest, self.whole) {
            return Some(after);
        }
        // The one after may look like its part and be its twin, as the disks of a mirror are.
        let twin = (after != next + 1).then_some(next + 1);
        [Some(after), twin].into_iter().flatten().find_map(|next| self.end(next, &rest))
    }
}

/// Whether a device can be a part of what is left of `whole`. They are read one after the other, while
/// requests go on.
fn fits(device: &[u64], rest: &[u64], whole: &[u64]) -> bool {
    let most = rest.iter().zip(whole).map(|(rest, whole)| rest.saturating_add(whole / 50 + 2));
    !is_empty(whole) && device.len() == rest.len() && device.iter().zip(most).all(|(d, most)| *d <= most)
}

/// Whether what is left is what requests between two readings make, or what was cut off counts per second:
/// less than one for each device and bucket.
fn is_rounding(rest: &Rest, whole: &[u64]) -> bool {
    let sum = |counts: &[u64]| counts.iter().fold(0_u64, |all, count| all.saturating_add(*count));
    let filled = whole.iter().fold(0_u64, |filled, count| filled + u64::from(*count > 0));
    let cut_off = filled.saturating_mul(rest.devices - 1).min(sum(whole) / 8);
    sum(&rest.counts).saturating_add(rest.excess) <= cut_off.max(sum(whole) / 50)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(tables: &[(&str, [u64; 3])]) -> Vec<Role> {
        let table = |(name, counts): &(&str, [u64; 3])| Table {
            name: (*name).to_owned(),
            counts: counts.to_vec(),
            waiting: Vec::new(),
            twice: None,
        };
        roles(&tables.iter().map(table).collect::<Vec<_>>())
    }

    #[test]
    fn devices_add_up_to_their_pool() {
        use Role::{Device, Pool};
        let nested = [
            ("tank", [900, 500, 40]),
            ("mirror-0", [600, 100, 40]),
            ("sda", [300, 60, 40]),
            ("sdb", [300, 40, 0]),
            ("sdc", [300, 400, 0]),
            ("bak", [200, 0, 10]),
            ("sdd", [200, 0, 10]),
        ];
        assert_eq!(of(&nested), [Pool, Device, Device, Device, Device, Pool, Device]);
        let x = [100, 200, 5];
        let twins = [("tank", [200, 400, 10]), ("a", x), ("b", x), ("bak", [0, 0, 700])];
        assert_eq!(of(&twins), [Pool, Device, Device, Pool]);
        // Requests went on while the counts were read.
        assert_eq!(of(&[("tank", [900, 0, 0]), ("sda", [600, 0, 0]), ("sdb", [301, 0, 0])])[1..], [Device; 2]);
    }

    #[test]
    fn behind_a_damaged_table_nobody_knows_what_is_a_pool() {
        let counts = |events: u64| {
            let scheme = isotherm_frame::Scheme::new(vec![0, 10, 20]).unwrap();
            Histogram::new(scheme, vec![events, 0], None).unwrap()
        };
        let histograms = |name: &str, events: u64| vec![(Series::named(name), counts(events))];
        let mut pools = Pools::default();
        pools.damaged();
        assert_eq!(pools.take("sda", histograms("sda", 5), None), []);
        let settled = pools.settle();
        assert_eq!((settled.len(), settled[0].role), (1, Role::Unknown));
        // The next print is whole.
        assert_eq!(pools.take("tank", histograms("tank", 9), None).len(), 1);
        assert_eq!(pools.take("sda", histograms("sda", 9), None), []);
        assert_eq!(pools.settle()[0].role, Role::Device);
        assert_eq!(pools.role("sda"), Some(Role::Device));
    }

    #[test]
    fn tables_that_add_up_to_none_are_pools() {
        use Role::{Device, Pool, Unknown};
        assert_eq!(of(&[("tank", [900, 500, 40]), ("bak", [500, 0, 0])]), [Pool, Pool]);
        assert_eq!(of(&[("tank", [900, 500, 40]), ("bak", [0, 0, 7_000])]), [Pool, Pool]);
        assert_eq!(of(&[("tank", [900, 500, 40]), ("bak", [0; 3])]), [Pool, Unknown]);
        assert_eq!(of(&[("tank", [0; 3]), ("bak", [500, 0, 0])]), [Unknown, Pool]);
        // Few counts fit by chance.
        assert_eq!(of(&[("tank", [5, 4, 2]), ("a", [4, 1, 0]), ("b", [2, 3, 3])]), [Pool; 3]);
        assert_eq!(of(&[("tank", [900, 0, 0]), ("raidz1-0", [500, 0, 0])]), [Pool, Device]);
    }
}
