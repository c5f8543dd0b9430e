//! Closed systems: so many operations are always in flight, and throughput is what comes of it.
//! Response time is N/X, always (Little's law).

/// The parts of a closed system whose operations spend a fixed time elsewhere and queue for equal
/// servers of exponential service. Times are seconds.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Station {
    /// Time of an operation outside of the queue: think time, network, client.
    pub delay: f64,
    /// Mean service time.
    pub service: f64,
    /// Servers, whole or not: a station that works off `min(j, servers) / service` a second when
    /// `j` operations are there.
    pub servers: f64,
}

/// The smooth bound X = \[(N/R0)^-k + Xmax^-k\]^(-1/k): follows N/R0 at light load and Xmax at
/// heavy load; the larger `sharpness` k, the sharper it turns at N* = Xmax R0.
pub fn smooth_bound(in_flight: f64, least_response: f64, most: f64, sharpness: f64) -> f64 {
    let light = in_flight / least_response;
    let (less, more) = if light < most { (light, most) } else { (most, light) };
    less * (1.0 + (less / more).powf(sharpness)).powf(-1.0 / sharpness)
}

/// The asymptotic bound X <= min(N/S, M/S) (Denning and Buzen 1978), which a closed system reaches
/// whose operations do nothing but queue for `servers` equal servers: exactly the closed M/M/c
/// without think time.
pub fn asymptotic_bound(in_flight: f64, service: f64, servers: f64) -> f64 {
    in_flight.min(servers) / service
}

/// The Universal Scalability Law X = gN / (1 + a(N-1) + bN(N-1)) (Gunther 2007).
pub fn usl(in_flight: f64, speed: f64, contention: f64, coherency: f64) -> f64 {
    let others = in_flight - 1.0;
    speed * in_flight / (1.0 + contention * others + coherency * in_flight * others)
}

/// Where throughput by the Universal Scalability Law is highest, sqrt((1-a)/b); `None` where it
/// does not fall.
pub fn usl_peak(contention: f64, coherency: f64) -> Option<f64> {
    let peak = ((1.0 - contention) / coherency).sqrt();
    (coherency > 0.0 && peak.is_finite()).then_some(peak)
}

impl Station {
    /// Throughput with a whole number in flight, from the exact distribution of how many queue: the
    /// product form of a delay and a station whose rate depends on its load (the machine-repair
    /// model). With one server it is what mean value analysis gives (Reiser and Lavenberg 1980).
    pub fn throughput(&self, in_flight: u32) -> f64 {
        const LARGE: f64 = 1e200;
        const NEGLIGIBLE: f64 = 1e-18;
        let ratio = self.delay / self.service;
        let mut working = f64::from(in_flight).min(self.servers);
        // Weights of having so many elsewhere, beginning with none: all are at the station.
        let (mut weight, mut all, mut busy) = (1.0, 1.0, working);
        for elsewhere in 1..=in_flight {
            let growth = ratio * working / f64::from(elsewhere);
            weight *= growth;
            working = f64::from(in_flight - elsewhere).min(self.servers);
            all += weight;
            busy += weight * working;
            if weight > LARGE {
                (weight, all, busy) = (1.0, all / weight, busy / weight);
            }
            // From here on weights only fall.
            if growth < 0.5 && weight < all * NEGLIGIBLE {
                break;
            }
        }
        busy / all / self.service
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Throughput by mean value analysis (Reiser and Lavenberg 1980) of a delay and one server, at
    /// every whole number in flight up to `most`: entry n is X(n).
    fn mean_values(delay: f64, service: f64, most: usize) -> Vec<f64> {
        let mut all = vec![0.0];
        let mut waiting = 0.0;
        for n in 1..=most {
            let response = service * (1.0 + waiting);
            let throughput = n as f64 / (delay + response);
            waiting = throughput * response;
            all.push(throughput);
        }
        all
    }

    #[test]
    fn the_smooth_bound_turns_at_its_knee() {
        // At N* = 10 throughput is 2^(-1/k) of either bound.
        let at_knee = smooth_bound(10.0, 0.01, 1_000.0, 2.0);
        assert!((at_knee - 1_000.0 / 2.0_f64.sqrt()).abs() < 1e-9);
        assert!((smooth_bound(1.0, 0.01, 1_000.0, 20.0) - 100.0).abs() < 1e-9);
        assert!((smooth_bound(1e6, 0.01, 1_000.0, 3.0) - 1_000.0).abs() < 1e-6);
    }

    #[test]
    fn the_scalability_law_peaks_where_it_says() {
        let (a, b) = (0.02, 1e-4);
        let peak = usl_peak(a, b).unwrap();
        assert!((peak - 98.994_949).abs() < 1e-5);
        let at = |n| usl(n, 1_000.0, a, b);
        assert!(at(peak) > at(peak * 1.01) && at(peak) > at(peak * 0.99));
        assert_eq!(usl_peak(0.02, 0.0), None);
        // Without a coherency penalty it tends to g/a.
        assert!((usl(1e9, 1_000.0, 0.02, 0.0) / 50_000.0 - 1.0).abs() < 1e-6);
    }

    #[test]
    fn mean_values_of_two_are_as_computed_by_hand() {
        // Delay 1, service 1: X(1) = 1/2, queue 1/2, R(2) = 1.5, X(2) = 2/2.5; queue 1.2,
        // R(3) = 2.2, X(3) = 3/3.2.
        let found = mean_values(1.0, 1.0, 3);
        for (found, expected) in found.iter().zip([0.0, 0.5, 0.8, 0.9375]) {
            assert!((found - expected).abs() < 1e-12, "{found} {expected}");
        }
    }

    #[test]
    fn a_station_without_delay_reaches_the_asymptotic_bound() {
        let station = Station { delay: 1e-9, service: 0.001, servers: 4.0 };
        for n in [1, 2, 3, 4, 5, 16, 256] {
            let expected = asymptotic_bound(f64::from(n), 0.001, 4.0);
            assert!((station.throughput(n) / expected - 1.0).abs() < 1e-5, "{n}");
        }
    }

    proptest! {
        #[test]
        fn one_server_is_as_mean_values_say(
            delay in 1e-3..10.0_f64, service in 1e-3..10.0_f64, n in 1..600_u32,
        ) {
            let station = Station { delay, service, servers: 1.0 };
            let expected = mean_values(delay, service, n as usize)[n as usize];
            prop_assert!((station.throughput(n) / expected - 1.0).abs() < 1e-9);
        }

        #[test]
        fn throughput_stays_below_its_bounds_and_grows(
            delay in 1e-3..10.0_f64, service in 1e-3..10.0_f64, servers in 1.0..20.0_f64,
        ) {
            let station = Station { delay, service, servers };
            let mut last = 0.0;
            for n in [1, 2, 4, 8, 64, 512] {
                let found = station.throughput(n);
                let bound = (f64::from(n) / (delay + service)).min(servers / service);
                prop_assert!(found <= bound * (1.0 + 1e-9) && found >= last * (1.0 - 1e-9));
                last = found;
            }
        }
    }
}
