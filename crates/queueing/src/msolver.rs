//! The effective servers that one observation implies under an OraPub form.

use crate::model::Model;

/// Why effective servers cannot be known.
#[derive(Copy, Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoServers {
    /// A number is zero, negative or not finite.
    #[error("service time, arrival rate and queue time must be above zero")]
    NotPositive,
    /// The form has no servers to be solved for.
    #[error("only OraPub's forms are solved for servers: orapub-cpu and orapub-io")]
    OtherModel,
}

/// The effective servers M for which a form gives the response time that was observed: `service`
/// time, `arrival` rate and `queue` time (response minus service) in one unit of time. The I/O form
/// is solved as M = SL(S+Q)/Q, the CPU form by bisection above SL, where it is monotone.
pub fn msolver(form: Model, service: f64, arrival: f64, queue: f64) -> Result<f64, NoServers> {
    let usable = |value: f64| value.is_finite() && value > 0.0;
    if !(usable(service) && usable(arrival) && usable(queue)) {
        return Err(NoServers::NotPositive);
    }
    let busy = service * arrival;
    let io = busy * (service + queue) / queue;
    match form {
        Model::OrapubIo => Ok(io),
        Model::OrapubCpu => Ok(solve_cpu(busy, queue / (service + queue))),
        _ => Err(NoServers::OtherModel),
    }
}

/// The M above `busy` with (busy/M)^M = `share`, where `share` is Q/R.
fn solve_cpu(busy: f64, share: f64) -> f64 {
    let waits_more = |servers: f64| servers * (busy / servers).ln() > share.ln();
    let (mut few, mut many) = (busy, busy.max(1.0) * 2.0);
    while waits_more(many) && many < 1e12 {
        many *= 2.0;
    }
    for _ in 0..100 {
        let middle = f64::midpoint(few, many);
        if waits_more(middle) { few = middle } else { many = middle }
    }
    f64::midpoint(few, many)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::orapub::{orapub_cpu, orapub_io};

    #[test]
    fn the_published_numbers_come_out() {
        let servers = msolver(Model::OrapubCpu, 0.0914, 10.8445, 0.1356).unwrap();
        assert!((servers - 1.42348).abs() < 5e-6, "{servers}");
        let forward = |service, arrival| orapub_cpu(service, arrival, 1.4235).unwrap();
        assert!((forward(0.0914, 10.8445) - 0.226992).abs() < 5e-7);
        assert!((forward(0.0613, 16.2470) - 0.1537978).abs() < 5e-8);
        assert!((forward(0.0613, 10.8445) - 0.0926363).abs() < 5e-8);
        let io = msolver(Model::OrapubIo, 0.0914, 10.8445, 0.1356).unwrap();
        assert!((io - 1.6593).abs() < 5e-5, "{io}");
        let reads = msolver(Model::OrapubIo, 5.01, 0.0516, 115.35).unwrap();
        assert!((reads - 0.2697).abs() < 5e-5, "{reads}");
    }

    #[test]
    fn the_rounding_of_the_inputs_leaves_the_range_of_the_servers() {
        let solve = |s, l, q| msolver(Model::OrapubCpu, s, l, q).unwrap();
        let least = solve(0.09135, 10.84445, 0.13565);
        let most = solve(0.09145, 10.84455, 0.13555);
        assert!((least - 1.4226).abs() < 5e-5 && (most - 1.4243).abs() < 6e-5, "{least} {most}");
    }

    #[test]
    fn nonsense_is_refused() {
        let solve = |s, l, q| msolver(Model::OrapubCpu, s, l, q);
        assert_eq!(solve(0.0, 1.0, 1.0), Err(NoServers::NotPositive));
        assert_eq!(solve(1.0, f64::NAN, 1.0), Err(NoServers::NotPositive));
        assert_eq!(solve(1.0, 1.0, -1.0), Err(NoServers::NotPositive));
        assert_eq!(msolver(Model::Mmc, 1.0, 1.0, 1.0), Err(NoServers::OtherModel));
    }

    proptest! {
        #[test]
        fn what_is_solved_gives_the_response_back(
            service in 1e-4..10.0_f64, servers in 0.2..40.0_f64, utilisation in 0.05..0.99_f64,
        ) {
            let arrival = utilisation * servers / service;
            for (form, response) in [
                (Model::OrapubCpu, orapub_cpu(service, arrival, servers)),
                (Model::OrapubIo, orapub_io(service, arrival, servers)),
            ] {
                let queue = response.unwrap() - service;
                // Where hardly anything queues, rounding leaves nothing to be solved.
                prop_assume!(queue > service * 1e-9);
                let found = msolver(form, service, arrival, queue).unwrap();
                prop_assert!((found / servers - 1.0).abs() < 1e-5, "{form:?}: {found}");
            }
        }
    }
}
