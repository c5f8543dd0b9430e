//! Open systems: operations arrive at a rate of their own, whether or not earlier ones have ended,
//! and response time is what comes of it. Times in one unit, rates per that unit; response time is
//! `None` where there is more work than servers can do.

use crate::erlang::erlang_c;

/// Mean response time of M/M/c: random arrivals, exponential service, one queue for `servers` equal
/// servers (Erlang 1917); servers need not be whole.
pub fn mmc_response(service: f64, arrival: f64, servers: f64) -> Option<f64> {
    let offered = service * arrival;
    let free = servers - offered;
    (free > 0.0).then(|| service + erlang_c(servers, offered) * service / free)
}

/// Mean response time of M/D/1: random arrivals, constant service, one server (Pollaczek and
/// Khinchine).
pub fn md1_response(service: f64, arrival: f64) -> Option<f64> {
    let utilisation = service * arrival;
    (utilisation < 1.0).then(|| service + utilisation * service / (2.0 * (1.0 - utilisation)))
}

/// Mean response time of G/G/c by Allen and Cunneen's approximation (Allen 1990): the queue of
/// M/M/c times `variability`, the mean of the squared coefficients of variation of the times between
/// arrivals and of service (1 for M/M/c, one half for M/D/c).
pub fn ggc_response(service: f64, arrival: f64, servers: f64, variability: f64) -> Option<f64> {
    let queue = mmc_response(service, arrival, servers)? - service;
    Some(service + variability * queue)
}

/// Mean response time of a fixed delay followed by M/M/1.
pub fn delayed_response(delay: f64, service: f64, arrival: f64) -> Option<f64> {
    let utilisation = service * arrival;
    (utilisation < 1.0).then(|| delay + service / (1.0 - utilisation))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::orapub::orapub_cpu;

    fn close(found: Option<f64>, expected: f64) {
        let found = found.unwrap();
        assert!((found / expected - 1.0).abs() < 1e-9, "{found} {expected}");
    }

    #[test]
    fn the_textbook_cases_come_out() {
        close(mmc_response(1.0, 0.8, 1.0), 5.0);
        close(mmc_response(1.0, 1.6, 2.0), 1.0 / (1.0 - 0.64));
        close(md1_response(1.0, 0.8), 1.0 + 0.8 / 0.4);
        close(ggc_response(1.0, 0.8, 1.0, 0.5), 3.0);
        close(delayed_response(2.0, 1.0, 0.5), 4.0);
        assert_eq!(mmc_response(1.0, 2.0, 2.0), None);
        assert_eq!(md1_response(1.0, 1.0), None);
        assert_eq!(ggc_response(1.0, 3.0, 2.0, 0.5), None);
        assert_eq!(delayed_response(1.0, 1.0, 1.0), None);
    }

    #[test]
    fn orapub_is_exact_for_two_servers_and_too_low_beyond() {
        let share = |servers: f64, utilisation: f64| {
            let arrival = servers * utilisation;
            let exact = mmc_response(1.0, arrival, servers).unwrap();
            orapub_cpu(1.0, arrival, servers).unwrap() / exact - 1.0
        };
        assert!(share(1.0, 0.9).abs() < 1e-12 && share(2.0, 0.9).abs() < 1e-12);
        for (servers, utilisation, expected) in
            [(8.0, 0.8, -0.066), (16.0, 0.9, -0.104), (32.0, 0.95, -0.136), (64.0, 0.98, -0.159)]
        {
            let found = share(servers, utilisation);
            assert!((found - expected).abs() < 6e-4, "{servers}: {found}");
        }
    }
}
