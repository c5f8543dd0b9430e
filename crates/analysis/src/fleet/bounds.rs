//! The bounds of buckets in which hosts can be compared.

use isotherm_frame::{Histogram, Scheme};

/// What hosts have in common.
#[derive(Debug)]
pub(super) struct CommonBounds {
    /// The bounds that no filled bucket of a host lies across; `None` where there are not two.
    pub(super) scheme: Option<Scheme>,
    /// For each host whether it is left out, because its filled buckets lie across bounds of others.
    pub(super) left_out: Vec<bool>,
}

/// A bound is kept at the price of the hosts with filled buckets across it where at least so many times
/// as many hosts have it.
const FOR_EACH_LEFT_OUT: i64 = 2;

/// The bounds of all hosts, and how many hosts have each or have a filled bucket across it.
struct Votes {
    bounds: Vec<u64>,
    have: Vec<i64>,
    across: Vec<i64>,
}

pub(super) fn common_bounds(hosts: &[&Histogram]) -> CommonBounds {
    let votes = Votes::of(hosts);
    let needed =
        |at: usize| votes.across[at] > 0 && votes.have[at] >= FOR_EACH_LEFT_OUT * votes.across[at];
    // How many bounds before each place are worth leaving out hosts.
    let mut before = vec![0_usize];
    for at in 0..votes.bounds.len() {
        before.push(before[at] + usize::from(needed(at)));
    }
    let coarsens =
        |host: &&Histogram| votes.inner(host).any(|(first, end)| before[end] > before[first]);
    let left_out: Vec<bool> = hosts.iter().map(coarsens).collect();
    let kept = hosts.iter().zip(&left_out).filter(|(_, left_out)| !**left_out);
    let across = votes.across(kept.map(|(host, _)| *host));
    let bounds = votes.bounds.iter().zip(across).filter(|(_, across)| *across == 0);
    CommonBounds { scheme: Scheme::new(bounds.map(|(bound, _)| *bound).collect()).ok(), left_out }
}

impl Votes {
    fn of(hosts: &[&Histogram]) -> Votes {
        let mut bounds: Vec<u64> =
            hosts.iter().flat_map(|host| host.scheme().bounds()).copied().collect();
        bounds.sort_unstable();
        bounds.dedup();
        let mut votes = Votes { have: vec![0; bounds.len()], across: Vec::new(), bounds };
        for bound in hosts.iter().flat_map(|host| host.scheme().bounds()) {
            let at = votes.place(*bound);
            votes.have[at] += 1;
        }
        votes.across = votes.across(hosts.iter().copied());
        votes
    }

    fn place(&self, bound: u64) -> usize {
        self.bounds.partition_point(|one| *one < bound)
    }

    /// For each filled bucket of a host the places of the bounds inside it, from the first to before the
    /// last number.
    fn inner(&self, host: &Histogram) -> impl Iterator<Item = (usize, usize)> {
        let bounds = host.scheme().bounds();
        host.counted()
            .map(|(index, _)| (self.place(bounds[index]) + 1, self.place(bounds[index + 1])))
    }

    /// How many of the hosts have a filled bucket across each bound.
    fn across<'a>(&self, hosts: impl Iterator<Item = &'a Histogram>) -> Vec<i64> {
        let mut changes = vec![0_i64; self.bounds.len() + 1];
        for (first, end) in hosts.flat_map(|host| self.inner(host)) {
            changes[first] += 1;
            changes[end] -= 1;
        }
        let sums = changes.iter().scan(0, |sum, change| {
            *sum += change;
            Some(*sum)
        });
        sums.take(self.bounds.len()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(bounds: &[u64], counts: &[u64]) -> Histogram {
        Histogram::new(Scheme::new(bounds.to_vec()).unwrap(), counts.to_vec(), None).unwrap()
    }

    #[test]
    fn one_coarse_host_does_not_take_the_bounds_of_the_others() {
        let fine = host(&[0, 1, 10, 100], &[5, 5, 5]);
        let coarse = host(&[0, 100], &[3]);
        let common = common_bounds(&[&fine, &fine, &coarse]);
        assert_eq!(common.left_out, [false, false, true]);
        assert_eq!(common.scheme.unwrap().bounds(), [0, 1, 10, 100]);
        // Of two hosts neither is the one too many.
        let common = common_bounds(&[&fine, &coarse]);
        assert_eq!(common.left_out, [false, false]);
        assert_eq!(common.scheme.unwrap().bounds(), [0, 100]);
    }

    #[test]
    fn hosts_with_two_layouts_are_compared_in_what_both_have() {
        let (one, two) = (host(&[0, 1, 5, 10], &[4, 4, 4]), host(&[0, 1, 3, 10], &[4, 4, 4]));
        let common = common_bounds(&[&one, &one, &one, &two, &two]);
        assert_eq!(common.left_out, [false; 5]);
        assert_eq!(common.scheme.unwrap().bounds(), [0, 1, 10]);
        // An empty bucket is across no bound.
        let empty = host(&[0, 1, 3, 10], &[4, 4, 0]);
        let common = common_bounds(&[&one, &empty]);
        assert_eq!(common.scheme.unwrap().bounds(), [0, 1, 5, 10]);
    }
}
