//! What one observation predicts of other batches, and what fits all of them.

use isotherm_queueing::{Amount, Change, Model, SolvedForm, orapub_cpu};

use super::stretch::Stretch;

/// Numbers of servers that are tried for the fit.
const STEPS: u32 = 4_000;
/// Decades above the busiest batch in which they lie, in shares of it: from a millionth to a hundred.
const DECADES: (f64, f64) = (-6.0, 2.0);

/// The batches by OraPub's formulas.
#[derive(Clone, Debug)]
pub struct Models {
    /// One observation, solved: the CPU form and the I/O form; none where nothing queued.
    pub solved: Option<[SolvedForm; 2]>,
    /// The servers of the CPU form that fit all batches best, with the root mean square of ln(measured
    /// / fitted).
    pub fitted: Option<(f64, f64)>,
}

impl Models {
    /// Solves the first batch, and fits all.
    pub fn of(batches: &[Stretch]) -> Models {
        let solved = batches.first().and_then(|first| first.observation().solved().ok());
        Models { solved, fitted: fitted(batches) }
    }

    /// The response time of a batch by one observation of another: its own service time and rate, the
    /// servers of the other. Infinite where these servers could not do it.
    pub fn predicted(&self, form: Model, batch: &Stretch) -> Option<f64> {
        let solved = self.solved.as_ref()?.iter().find(|solved| solved.form == form)?;
        let change = Change {
            service: Some(Amount::To(batch.service_s())),
            load: Some(Amount::To(batch.rate())),
            servers: None,
        };
        solved.changed(&change).ok().map(|after| after.response)
    }

    /// The response time of a batch by the fit.
    pub fn fitted_at(&self, batch: &Stretch) -> Option<f64> {
        orapub_cpu(batch.service_s(), batch.rate(), self.fitted?.0)
    }
}

/// The servers that one batch alone implies, by the CPU form.
pub fn servers(batch: &Stretch) -> Option<f64> {
    batch.observation().solved().ok().map(|[cpu, _]| cpu.servers)
}

/// The servers of the CPU form with the least squares of ln R, among those that can do every batch.
fn fitted(batches: &[Stretch]) -> Option<(f64, f64)> {
    let busiest = batches.iter().map(Stretch::busy).fold(0.0, f64::max);
    let error = |servers: f64| {
        let squares = batches.iter().map(|batch| {
            let fitted = orapub_cpu(batch.service_s(), batch.rate(), servers);
            fitted.map_or(f64::INFINITY, |fitted| (batch.response_s() / fitted).ln().powi(2))
        });
        (squares.sum::<f64>() / batches.len() as f64).sqrt()
    };
    let step = |at: u32| {
        let (from, to) = DECADES;
        busiest * (1.0 + 10_f64.powf(from + (to - from) * f64::from(at) / f64::from(STEPS)))
    };
    let tried = (0..=STEPS).map(step).map(|servers| (servers, error(servers)));
    tried.filter(|(_, error)| error.is_finite()).min_by(|a, b| a.1.total_cmp(&b.1))
}

#[cfg(test)]
mod tests {
    use super::super::stretch::Work;
    use super::*;

    /// A batch with these times of a row, in milliseconds, and rows a millisecond.
    fn batch(batch: u64, (service, rate, response): (f64, f64, f64)) -> Stretch {
        let rows = 1_000_000;
        let work = Work {
            rows,
            elapsed_s: response * 1e-3 * rows as f64,
            cpu_s: service * 1e-3 * rows as f64,
            runnable_s: 0.0,
        };
        Stretch { batch, work, length_s: rows as f64 / (rate * 1e3) }
    }

    #[test]
    fn the_published_batches_come_out() {
        // OraPub: one row a commit predicts 0.153798 ms for four, and 0.1527 ms was measured.
        let published = [batch(1, (0.0914, 10.8445, 0.2270)), batch(4, (0.0613, 16.2470, 0.1527))];
        let models = Models::of(&published);
        let [cpu, io] = models.solved.unwrap();
        assert!((cpu.servers - 1.4235).abs() < 5e-5 && (io.servers - 1.6593).abs() < 5e-5);
        let predicted = models.predicted(Model::OrapubCpu, &published[1]).unwrap();
        assert!((predicted * 1e3 - 0.153798).abs() < 2e-5, "{predicted}");
        assert!((servers(&published[1]).unwrap() - 1.4270).abs() < 5e-5);
        // The fit lies between the servers of the two.
        let (fitted, error) = models.fitted.unwrap();
        assert!(fitted > 1.4235 && fitted < 1.4270 && error < 0.01, "{fitted} {error}");
        assert!((models.fitted_at(&published[0]).unwrap() * 1e3 - 0.2270).abs() < 2e-3);
    }

    #[test]
    fn what_the_servers_of_one_observation_cannot_do_never_ends() {
        // Half a server's work, nearly all of it waited for; then three times as much work.
        let batches = [batch(1, (0.1, 1.0, 4.0)), batch(32, (0.03, 10.0, 0.4))];
        let models = Models::of(&batches);
        assert_eq!(models.predicted(Model::OrapubCpu, &batches[1]), Some(f64::INFINITY));
        let (fitted, _) = models.fitted.unwrap();
        assert!(fitted > 0.3, "{fitted}");
    }

    #[test]
    fn where_nothing_queues_there_is_nothing_to_solve() {
        let models = Models::of(&[batch(1, (0.1, 1.0, 0.1))]);
        assert!(models.solved.is_none() && servers(&batch(1, (0.1, 1.0, 0.1))).is_none());
    }
}
