//! The published example of commit batches (Craig Shallahamer, OraPub): what it computes, computed
//! again, and where its printed numbers contradict each other. Times are milliseconds, rates are
//! commits per millisecond, as printed.

use crate::model::Model;
use crate::msolver::msolver;
use crate::orapub::orapub_cpu;

/// One situation of the example.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct PublishedCase {
    /// What it is.
    pub name: &'static str,
    /// Service time.
    pub service: f64,
    /// Arrival rate.
    pub arrival: f64,
    /// The response time that was observed, where one was.
    pub observed: Option<f64>,
    /// The response time that is printed as computed.
    pub printed: f64,
    /// The response time by the formula.
    pub computed: f64,
}

/// The example.
#[derive(Clone, Debug, PartialEq)]
pub struct Published {
    /// The queue time of the baseline, from which its servers follow.
    pub queue: f64,
    /// The effective servers that are printed, and used from then on.
    pub servers_printed: f64,
    /// The effective servers that the numbers give.
    pub servers: f64,
    /// The baseline, the same load with larger batches, and the higher load that was reached.
    pub cases: [PublishedCase; 3],
}

impl PublishedCase {
    /// How far what is printed is from what the formula gives, as a factor; `None` where they agree
    /// but for rounding.
    pub fn off_by(&self) -> Option<f64> {
        let factor = self.printed / self.computed;
        ((factor - 1.0).abs() > 1e-3).then_some(factor)
    }

    /// How far the computed response time is from the observed one, as a share.
    pub fn error(&self) -> Option<f64> {
        self.observed.map(|observed| self.computed / observed - 1.0)
    }
}

/// The example, computed again.
pub fn published() -> Published {
    const SERVERS: f64 = 1.4235;
    let (service, arrival, queue) = (0.0914, 10.8445, 0.1356);
    let case = |name, (service, arrival), observed, printed| PublishedCase {
        name,
        service,
        arrival,
        observed,
        printed,
        computed: orapub_cpu(service, arrival, SERVERS).unwrap_or(f64::INFINITY),
    };
    Published {
        queue,
        servers_printed: SERVERS,
        servers: msolver(Model::OrapubCpu, service, arrival, queue).unwrap_or(f64::NAN),
        cases: [
            case("one row a commit", (service, arrival), Some(0.2270), 0.2270),
            case("four rows a commit, same load", (0.0613, arrival), None, 0.926363),
            case("four rows a commit, higher load", (0.0613, 16.2470), Some(0.1527), 0.153798),
        ],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_comes_out_and_its_misprint_is_flagged() {
        let example = published();
        assert!((example.servers - 1.42348).abs() < 5e-6);
        let [base, same, higher] = example.cases;
        assert_eq!(base.off_by(), None);
        assert!((same.computed - 0.0926363).abs() < 5e-8);
        assert!((same.off_by().unwrap() - 10.0).abs() < 1e-4);
        assert!((higher.computed - 0.1537978).abs() < 5e-8);
        assert_eq!(higher.off_by(), None);
        assert!((higher.error().unwrap() - 0.0072).abs() < 5e-5);
        // What is printed would be slower than the baseline, although service became shorter.
        assert!(same.printed > base.printed && same.computed < base.computed);
    }
}
