//! What the operations of a job are, in words.

use isotherm_load::{Job, Medium, Mix, Pattern, engine_of};

/// Whether operations are a database's.
pub(super) fn is_database(job: &Job) -> bool {
    engine_of(&job.target).medium() == Medium::Database
}

/// What the work is, as far as it is not the usual one.
pub(super) fn work(job: &Job) -> Vec<String> {
    let work = &job.work;
    let mut words = Vec::new();
    words.push(match work.pattern {
        Pattern::Random => "random".to_owned(),
        Pattern::Sequential => "sequential".to_owned(),
    });
    if work.mix == Mix::Slob {
        words.push("updates in bursts (SLOB)".to_owned());
    }
    if let Some(hot) = work.hot {
        words.push(format!("1 in {} to the hottest {}%", hot.one_in, hot.size_pct));
    }
    if is_database(job) {
        words.push(format!("{} blocks an operation", job.database.work_unit));
    }
    words
}
