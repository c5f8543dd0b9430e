//! Which hosts of a fleet wait differently from the others.

mod bounds;
mod chance;

use isotherm_frame::{Histogram, Scheme};

use self::bounds::common_bounds;
use self::chance::Pool;

/// Which hosts differ.
#[derive(Clone, Debug, PartialEq)]
pub struct FleetComparison {
    /// How far each host is from all others, in the order given; `None` where it or all others waited nothing,
    /// where it is left out, and where nothing can be compared.
    pub distances: Vec<Option<FleetDistance>>,
    /// The places of hosts that cannot be compared with the others: their filled buckets lie across bounds
    /// that at least twice as many hosts have.
    pub left_out: Vec<usize>,
    /// Whether a bound that all hosts compared have in common divides their latencies.
    pub has_bounds: bool,
    /// How many hosts waited more than twice as long as the median host, if they waited more than half of
    /// all time together: otherwise 0.
    pub dominant: usize,
}

/// How far the time waited of one host is from that of the others together.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct FleetDistance {
    /// The largest difference between the shares of time waited below a latency, 0 to 1: the distance
    /// of Kolmogorov and Smirnov, of time instead of events.
    pub distance: f64,
    /// Where it is largest, nanoseconds.
    pub at_ns: u64,
    /// The share of the host's time waited at this latency and above, 0 to 1.
    pub own_above: f64,
    /// The same of the others.
    pub others_above: f64,
    /// What the distance of any host exceeds by chance in one of a hundred fleets at most, in which the events
    /// of all hosts are independent and of one distribution; 0 to 1.
    pub by_chance: f64,
}

impl FleetDistance {
    /// Whether it is more than chance.
    pub fn is_telling(&self) -> bool {
        self.distance > self.by_chance
    }

    /// Whether the host waits longer than the others where they differ most.
    pub fn is_slower(&self) -> bool {
        self.own_above > self.others_above
    }
}

/// How far each host is from all others. Among the others a host counts with at most twice the time that the
/// median host waited, so that one that is very slow hides no other. Hosts with different buckets are compared in the bounds that all have
/// in common, without those that would leave too few; the time of a bucket is its count times its
/// middle, for all hosts alike.
pub fn fleet_distances<'a>(hosts: impl Iterator<Item = &'a Histogram>) -> FleetComparison {
    let hosts: Vec<&Histogram> = hosts.collect();
    let is_usable = |host: &&Histogram| !host.is_empty() && !host.is_averages();
    let places: Vec<usize> = (0..hosts.len()).filter(|place| is_usable(&hosts[*place])).collect();
    let usable: Vec<&Histogram> = places.iter().map(|place| hosts[*place]).collect();
    let common = common_bounds(&usable);
    let left_out = places.iter().zip(&common.left_out).filter(|(_, left_out)| **left_out);
    let mut found = FleetComparison {
        distances: vec![None; hosts.len()],
        left_out: left_out.map(|(place, _)| *place).collect(),
        has_bounds: false,
        dominant: 0,
    };
    let Some(scheme) = common.scheme else { return found };
    let kept = places.iter().zip(&common.left_out).filter(|(_, left_out)| !**left_out);
    let counts = |place: usize| Some((place, hosts[place].rebin(&scheme).ok()?.counts()));
    let counts: Vec<(usize, Vec<u64>)> = kept.filter_map(|(place, _)| counts(*place)).collect();
    let compared: Vec<&[u64]> = counts.iter().map(|(_, own)| own.as_slice()).collect();
    let pool = Pool::of(&compared, &scheme);
    found.dominant = pool.dominant;
    found.has_bounds = !pool.divisions.is_empty();
    for (place, own) in &counts {
        found.distances[*place] = largest(own, &pool, &scheme);
    }
    found
}

fn largest(own: &[u64], pool: &Pool, scheme: &Scheme) -> Option<FleetDistance> {
    let (own_times, others_times) = pool.times(own);
    let sum = |times: &[f64]| times.iter().sum::<f64>();
    let (own_all, others_all) = (sum(&own_times), sum(&others_times));
    if own_all <= 0.0 || others_all <= 0.0 {
        return None;
    }
    let (mut own_below, mut others_below, mut from) = (0.0, 0.0, 0);
    let mut found: Option<(usize, f64, f64)> = None;
    for division in &pool.divisions {
        own_below += sum(&own_times[from..*division]) / own_all;
        others_below += sum(&others_times[from..*division]) / others_all;
        from = *division;
        let distance = |(_, own, others): (usize, f64, f64)| (own - others).abs();
        let this = (*division, own_below, others_below);
        if found.is_none_or(|known| distance(this) > distance(known)) {
            found = Some(this);
        }
    }
    let (division, own_below, others_below) = found?;
    let above = |below: f64| (1.0 - below).clamp(0.0, 1.0);
    let by_chance = pool.difference_by_chance(own, division, own_below > others_below);
    Some(FleetDistance {
        distance: (own_below - others_below).abs().min(1.0),
        at_ns: scheme.bounds()[division],
        own_above: above(own_below),
        others_above: above(others_below),
        by_chance: by_chance.min(1.0),
    })
}

/// The places of hosts: first those that differ by more than chance, the most different before, then the
/// others, also by distance, then those of which nothing is known.
pub fn fleet_ranking(distances: &[Option<FleetDistance>]) -> Vec<usize> {
    let mut places: Vec<usize> = (0..distances.len()).collect();
    let key = |place: &usize| {
        let known = distances[*place];
        (known.is_some_and(|one| one.is_telling()), known.map_or(-1.0, |one| one.distance))
    };
    places.sort_by(|one, other| {
        let (one, other) = (key(one), key(other));
        other.0.cmp(&one.0).then(other.1.total_cmp(&one.1))
    });
    places
}

#[cfg(test)]
mod tests {
    use isotherm_frame::{Nanos, Unit};

    use super::*;
    use crate::simulated::Chance;

    const MS: u64 = 1_000_000;

    /// Events of 0.4 ms, and slow ones of 8 ms.
    fn host(fast: u64, slow: u64) -> Histogram {
        let bounds = vec![0, 399_000, 401_000, 7_900_000, 8_100_000, Scheme::UNBOUNDED];
        let mut counts = Histogram::empty(Scheme::new(bounds).unwrap());
        (0..fast).for_each(|_| counts.record(Nanos::new(400_000)));
        (0..slow).for_each(|_| counts.record(Nanos::new(8 * MS)));
        let ns = fast * 400_000 + slow * 8 * MS;
        counts.with_sum(Some(Nanos::new(ns)))
    }

    #[test]
    fn the_distance_is_of_time_waited_not_of_events() {
        // Of the slow host's time 8 of 8.4 parts are slow; of the others' 0.4 of 0.8.
        let hosts = [host(1_000, 50), host(1_000, 50), host(100, 100)];
        let distances = fleet_distances(hosts.iter()).distances;
        let slow = distances[2].unwrap();
        let (own, others) = (800.0 / 840.0, 800.0 / 1_600.0);
        assert!((slow.own_above - own).abs() < 1e-9, "{slow:?}");
        assert!((slow.others_above - others).abs() < 1e-9, "{slow:?}");
        assert!((slow.distance - (own - others)).abs() < 1e-9, "{slow:?}");
        assert!(slow.is_slower());
        assert_eq!(slow.at_ns, 401_000);
        assert_eq!(fleet_ranking(&distances)[0], 2);
    }

    #[test]
    fn very_slow_hosts_hide_no_other() {
        let bounds = vec![0, MS, 2 * MS, 4 * MS, 100 * MS, 200 * MS, Scheme::UNBOUNDED];
        let host = |counts: [u64; 6]| {
            Histogram::new(Scheme::new(bounds.clone()).unwrap(), counts.to_vec(), None).unwrap()
        };
        let (usual, slow) = (host([0, 900, 100, 0, 0, 0]), host([0, 500, 500, 0, 0, 0]));
        let very_slow = host([0, 0, 0, 0, 1_000, 0]);
        let mut hosts = vec![usual.clone(); 20];
        (hosts[3], hosts[7]) = (very_slow.clone(), slow.clone());
        let found = fleet_distances(hosts.iter());
        assert_eq!((&fleet_ranking(&found.distances)[..2], found.dominant), (&[3, 7][..], 1));
        // Times of the buckets: 1.5, 3 and 150 ms. 18 usual hosts wait 1,650 ms each, the slow one 2,250 ms and the
        // very slow one 150,000 ms, of which twice 1,650 count.
        let slow_one = found.distances[7].unwrap();
        let others = 1.0 - 18.0 * 1_350.0 / (18.0 * 1_650.0 + 3_300.0);
        assert!((slow_one.others_above - others).abs() < 1e-9, "{slow_one:?} {others}");
        assert!((slow_one.own_above - 1_500.0 / 2_250.0).abs() < 1e-9, "{slow_one:?}");
        // Two that are slow alike do not hide each other.
        hosts[12] = very_slow;
        let found = fleet_distances(hosts.iter());
        let mut first = fleet_ranking(&found.distances)[..3].to_vec();
        first[..2].sort_unstable();
        assert_eq!((first, found.dominant), (vec![3, 12, 7], 2));
        assert_eq!(fleet_distances([&usual, &usual, &slow].into_iter()).dominant, 0);
    }

    #[test]
    fn a_host_alone_or_without_events_has_no_distance() {
        assert_eq!(fleet_distances([host(5, 1)].iter()).distances, [None]);
        let empty = host(0, 0);
        let distances = fleet_distances([host(5, 1), empty, host(5, 1)].iter()).distances;
        assert_eq!(distances[1], None);
        assert!(distances[0].unwrap().distance.abs() < 1e-12);
        assert_eq!(fleet_ranking(&distances)[2], 1);
        assert!(fleet_distances(std::iter::empty()).distances.is_empty());
    }

    /// How many of the fleets have a host that is said to differ.
    fn told(fleets: usize, mut fleet: impl FnMut() -> Vec<Histogram>) -> usize {
        let differs = |hosts: &[Histogram]| {
            fleet_distances(hosts.iter()).distances.iter().flatten().any(FleetDistance::is_telling)
        };
        (0..fleets).filter(|_| differs(&fleet())).count()
    }

    /// Events of one lognormal distribution in buckets of powers of two, of so many hosts each.
    fn lognormal(random: &mut Chance, hosts: usize, events: usize, sigma: f64) -> Vec<Histogram> {
        let mut one = || {
            let mut counts = Histogram::empty(Scheme::powers_of_two(Unit::Micros));
            for _ in 0..events {
                let ns = 1e6 * (sigma * random.normal()).exp();
                counts.record(Nanos::from_secs_f64(ns / 1e9).unwrap());
            }
            counts
        };
        (0..hosts).map(|_| one()).collect()
    }

    #[test]
    fn hosts_that_do_not_differ_are_told_apart_in_one_fleet_of_a_hundred_at_most() {
        let mut random = Chance::new(17);
        let few_of_many = told(40, || {
            let slow = |random: &mut Chance| (0..400).filter(|_| random.uniform() < 0.05).count();
            (0..25).map(|_| slow(&mut random) as u64).map(|slow| host(400 - slow, slow)).collect()
        });
        assert_eq!(few_of_many, 0, "of 40 fleets");
        let spread = told(20, || lognormal(&mut random, 25, 4_000, 2.0));
        assert_eq!(spread, 0, "of 20 fleets");
    }

    #[test]
    fn rare_slow_events_are_no_difference() {
        let bounds = vec![0, 399_000, 401_000, 99 * MS, 101 * MS, Scheme::UNBOUNDED];
        let scheme = Scheme::new(bounds).unwrap();
        let host =
            |slow: u64| Histogram::new(scheme.clone(), vec![0, 100_000, 0, slow, 0], None).unwrap();
        let mut random = Chance::new(5);
        let told = told(60, || (0..25).map(|_| host(random.poisson(10.0))).collect());
        assert_eq!(told, 0, "of 60 fleets");
        // Five times as many are one.
        let mut hosts: Vec<Histogram> = (0..25).map(|_| host(random.poisson(10.0))).collect();
        hosts[9] = host(50);
        let distances = fleet_distances(hosts.iter()).distances;
        assert!(distances[9].unwrap().is_telling() && fleet_ranking(&distances)[0] == 9);
    }

    #[test]
    fn a_busy_host_among_idle_ones_is_no_difference() {
        let mut random = Chance::new(6);
        let told = told(60, || {
            let mut host = |events: f64| {
                let shares = [0.55, 0.3, 0.1, 0.04, 0.01];
                let counts = shares.map(|share| random.poisson(events * share)).to_vec();
                let bounds = vec![0, MS, 2 * MS, 8 * MS, 32 * MS, Scheme::UNBOUNDED];
                Histogram::new(Scheme::new(bounds).unwrap(), counts, None).unwrap()
            };
            let idle: Vec<Histogram> = (0..4).map(|_| host(500.0)).collect();
            [host(1e6)].into_iter().chain(idle).collect()
        });
        assert_eq!(told, 0, "of 60 fleets");
    }

    #[test]
    fn counts_without_end_are_no_panic() {
        let host = |count| {
            let scheme = Scheme::new(vec![0, MS, 2 * MS, Scheme::UNBOUNDED]).unwrap();
            Histogram::new(scheme, vec![count, count, count], None).unwrap()
        };
        let found = fleet_distances([host(u64::MAX), host(u64::MAX), host(1)].iter());
        assert!(found.distances.iter().flatten().all(|one| one.distance.is_finite()));
    }

    #[test]
    fn hosts_with_other_bounds_are_left_out_and_hide_nothing() {
        let bounds = vec![0, 100 * MS, 1_000 * MS, 10_000 * MS, Scheme::UNBOUNDED];
        let host = |counts: [u64; 4]| {
            Histogram::new(Scheme::new(bounds.clone()).unwrap(), counts.to_vec(), None).unwrap()
        };
        let scheme = Scheme::new(vec![0, Scheme::UNBOUNDED]).unwrap();
        let coarse = Histogram::new(scheme, vec![3], None).unwrap();
        let (quick, slow) = (host([1_000, 0, 0, 0]), host([500, 0, 500, 0]));
        let found = fleet_distances([&quick, &slow, &coarse].into_iter());
        assert_eq!((found.left_out, found.has_bounds), (vec![2], true));
        assert!(found.distances[1].unwrap().is_telling() && found.distances[2].is_none());
        // Two hosts without a common bound: nothing is said of either.
        let found = fleet_distances([&slow, &coarse].into_iter());
        assert_eq!((found.distances, found.has_bounds), (vec![None, None], false));
        assert!(!fleet_distances([&quick, &quick].into_iter()).has_bounds);
    }

    #[test]
    fn planted_hosts_rank_first_by_time_where_their_medians_are_those_of_the_others() {
        let mut random = Chance::new(4);
        let hosts: Vec<Histogram> = (0..300)
            .map(|place| {
                let slow_share = if place % 50 == 7 { 0.15 } else { 0.01 };
                let slow = (0..4_000).filter(|_| random.uniform() < slow_share).count() as u64;
                host(4_000 - slow, slow)
            })
            .collect();
        let distances = fleet_distances(hosts.iter()).distances;
        let telling = |place: &usize| distances[*place].is_some_and(|one| one.is_telling());
        let (planted, others): (Vec<usize>, Vec<usize>) =
            (0..300).filter(telling).partition(|place| place % 50 == 7);
        assert_eq!(planted.len(), 6);
        // All others together have more slow ones than one without: that is no chance, and may show.
        assert!(others.len() <= 2, "{others:?}");
        assert!(others.iter().all(|place| !distances[*place].unwrap().is_slower()), "{others:?}");
        let mut first = fleet_ranking(&distances)[..6].to_vec();
        first.sort_unstable();
        assert_eq!(first, [7, 57, 107, 157, 207, 257]);
    }
}
