//! What the time between calls was: round trips or think time, by the lengths of the waits.

use isotherm_frame::Nanos;

use super::between::CLIENT;
use super::{Event, Profile};

/// What the time between calls was, as far as the lengths of its waits tell.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum ClientTime {
    /// Short waits that are nearly all of the same length: the way to the client and back.
    RoundTrips,
    /// The same, and longer waits that hold more than a tenth of the time: so many nanoseconds, about, are
    /// in waits longer than `beyond_ns`.
    RoundTripsAndPauses {
        /// Where longer waits begin.
        beyond_ns: u64,
        /// The time in them.
        pauses_ns: u64,
    },
    /// Waits of which most of the time is in ones of at least a second: a person, or a program with other
    /// things to do.
    Pauses,
    /// Neither.
    Unclear,
}

impl ClientTime {
    /// Fewer waits tell nothing of their kind.
    pub const LEAST: u64 = 20;
    /// Nine of ten round trips take less than so many times as long as the tenth of them that is shortest.
    const NARROW: u64 = 3;
    /// No round trip takes longer, even around the world.
    const LONGEST_TRIP: Nanos = Nanos::from_millis(500);
    /// A wait of so many times the median is no round trip.
    const PAUSE: u64 = 4;
    /// A pause by itself.
    const SECOND: Nanos = Nanos::SECOND;

    fn of(event: &Event) -> ClientTime {
        let at = |q: f64| event.quantile(q).unwrap_or_default();
        let ((low, _), (_, median), (_, high)) = (at(0.1), at(0.5), at(0.9));
        let narrow = event.count >= ClientTime::LEAST
            && high <= low.saturating_mul(ClientTime::NARROW)
            && median <= ClientTime::LONGEST_TRIP.as_nanos();
        let beyond_ns = median.saturating_mul(ClientTime::PAUSE);
        let longer = |least: u64| {
            let latencies = event.latencies();
            let begins = |at: usize| latencies.scheme().bucket(at).lo.as_nanos();
            let times = latencies.bucket_times_ns().filter(|(at, _)| begins(*at) >= least);
            times.fold(0_u64, |sum, (_, ns)| sum.saturating_add(ns))
        };
        let seconds = longer(ClientTime::SECOND.as_nanos());
        match longer(beyond_ns) {
            pauses_ns if narrow && pauses_ns <= event.total_ns / 10 => ClientTime::RoundTrips,
            pauses_ns if narrow => ClientTime::RoundTripsAndPauses { beyond_ns, pauses_ns },
            _ if seconds > event.total_ns / 2 => ClientTime::Pauses,
            _ => ClientTime::Unclear,
        }
    }
}

impl Profile {
    /// The waits for the client, if there were any.
    pub fn client_event(&self) -> Option<&Event> {
        self.events.named(CLIENT).filter(|event| event.count > 0)
    }

    /// What the time between calls was; `None` without any.
    pub fn client_time(&self) -> Option<ClientTime> {
        self.client_event().map(ClientTime::of)
    }

    /// All time of the trace: as its clock has it, or that of calls and waits where that cannot be known.
    pub fn elapsed_ns(&self) -> u64 {
        let known_ns = self.spent.response_ns().saturating_add(self.spent.idle_ns());
        match self.untraced_ns() {
            Some(0..) => self.inputs.traced_ns,
            _ => known_ns,
        }
    }

    /// The share of all time that is between calls, if it is more than half of it.
    pub fn dominant_client_share(&self) -> Option<f64> {
        let (client_ns, elapsed_ns) = (self.between.all().total_ns, self.elapsed_ns());
        let share = client_ns as f64 / elapsed_ns as f64;
        (elapsed_ns > 0 && share > 0.5).then_some(share)
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::super::{Limits, Profiler};
    use super::*;
    use crate::trace::scan_slice;

    /// A statement whose fetches each wait so many microseconds for the client.
    fn profile(waits_us: impl IntoIterator<Item = u64>) -> Profile {
        let mut text = "\
PARSING IN CURSOR #1 len=8 dep=0 uid=1 oct=3 lid=1 tim=1000 hv=1 ad='a' sqlid='abc'
select 1
END OF STMT
EXEC #1:c=50,e=100,p=0,cr=1,cu=0,mis=0,r=0,dep=0,og=1,plh=0,tim=1000
WAIT #1: nam='SQL*Net message from client' ela= 10 driver id=1 #bytes=1 p3=0 obj#=3 tim=1010
"
        .to_owned();
        let mut tim = 1_010;
        for ela in waits_us {
            tim += 100;
            let _ = writeln!(
                text,
                "FETCH #1:c=90,e=100,p=0,cr=1,cu=0,mis=0,r=1,dep=0,og=1,plh=0,tim={tim}"
            );
            tim += ela;
            let _ = writeln!(
                text,
                "WAIT #1: nam='SQL*Net message from client' ela= {ela} driver id=1 #bytes=1 p3=0 obj#=3 tim={tim}"
            );
        }
        let mut profiler = Profiler::new("x.trc", Limits::default(), 8_192);
        scan_slice(text.as_bytes(), &mut profiler);
        profiler.finish()
    }

    #[test]
    fn waits_for_the_client_are_of_the_call_before() {
        let profile = profile((0..200).map(|at| 14_000 + at));
        let behind = profile.between.by_time();
        let found: Vec<_> =
            behind.iter().map(|(_, call, waits)| (*call, waits.count, waits.total_ns)).collect();
        // 200 x 14,000 + 0 + 1 + ... + 199 us.
        assert_eq!(found, [("fetch", 200, 2_819_900_000), ("exec", 1, 10_000)]);
        assert_eq!((behind[0].2.min_ns, behind[0].2.max_ns), (14_000_000, 14_199_000));
        let sum: u64 = behind.iter().map(|(_, _, waits)| waits.total_ns).sum();
        assert_eq!(sum, profile.client_event().unwrap().total_ns);
        // 2,819,910 of 2,819,910 + 201 x 100 us.
        let share = profile.dominant_client_share().unwrap();
        assert!((share - 2_819_910.0 / 2_840_010.0).abs() < 1e-9, "{share}");
    }

    #[test]
    fn the_lengths_of_waits_tell_trips_from_pauses() {
        let kind = |waits: Vec<u64>| profile(waits).client_time().unwrap();
        let trips = || (0..200).map(|at| 14_000 + 20 * at);
        assert_eq!(kind(trips().collect()), ClientTime::RoundTrips);
        assert_eq!(kind((0..500).map(|at| 300 + at % 200).collect()), ClientTime::RoundTrips);
        // A person who reads for half a minute now and then.
        let both = kind(trips().chain([30_000_000, 41_000_000]).collect());
        let ClientTime::RoundTripsAndPauses { beyond_ns, pauses_ns } = both else {
            panic!("{both:?}")
        };
        assert!((50_000_000..80_000_000).contains(&beyond_ns), "{beyond_ns}");
        assert!((pauses_ns as f64 / 71e9 - 1.0).abs() < 0.05, "{pauses_ns}");
        assert_eq!(kind(vec![900_000, 4_000_000, 2_500_000, 61_000_000]), ClientTime::Pauses);
        assert_eq!(kind((1..100).map(|at| 500 * at * at / 10).collect()), ClientTime::Unclear);
        // Three waits alike are no distribution.
        assert_eq!(kind(vec![14_000, 14_100, 14_200]), ClientTime::Unclear);
    }
}
