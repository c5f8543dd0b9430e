//! A calibration of what is really there.

use std::sync::atomic::Ordering;

use isotherm_frame::{Event, Nanos};
use isotherm_load::{Hooks, Job, LoadError, System, clock};

use super::bench::{Bench, Order};
use crate::progress::RunProgress;
use crate::{Progress, Run, Setting, execute_on};

/// A file or a device, open for as long as loads visit the same places.
pub struct Live<'a> {
    /// The job it is opened with first: its size and block say how much of it is used, or made.
    subject: Setting<'a>,
    bytes: u64,
    spent: Nanos,
    /// None while another is opened: a system may allow itself only once.
    open: Option<(Shape, Box<dyn System>)>,
    tell: &'a mut dyn FnMut(Progress),
}

/// What a system is opened for.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
struct Shape {
    size: Option<u64>,
    block: u64,
    writes: bool,
    dsync: bool,
}

impl Shape {
    fn of(job: &Job) -> Shape {
        let writes = job.work.update_pct > 0.0;
        Shape { size: job.file.size, block: job.file.block, writes, dsync: job.file.dsync }
    }
}

impl<'a> Live<'a> {
    /// Opens it; makes the file if there is none.
    pub fn open(
        subject: Setting<'a>,
        tell: &'a mut dyn FnMut(Progress),
    ) -> Result<Live<'a>, LoadError> {
        let job = subject.job;
        let system = opened(subject, job, tell)?;
        // A simulated system has places without a size.
        let place = if system.place_bytes() > 0 { system.place_bytes() } else { job.file.block };
        let bytes = system.places().saturating_mul(place);
        Ok(Live { subject, bytes, spent: Nanos::ZERO, open: Some((Shape::of(job), system)), tell })
    }
}

impl Live<'_> {
    /// The system, opened anew if it is open for something else.
    fn system(&mut self, job: &Job) -> Result<Box<dyn System>, LoadError> {
        match self.open.take() {
            Some((shape, system)) if shape == Shape::of(job) => Ok(system),
            other => {
                drop(other);
                opened(self.subject, job, self.tell)
            }
        }
    }
}

fn opened(
    subject: Setting,
    job: &Job,
    tell: &mut dyn FnMut(Progress),
) -> Result<Box<dyn System>, LoadError> {
    let progress = &mut |progress| tell(Progress::Preparing(progress));
    let system =
        isotherm_load::open(subject.address, job, &mut Hooks { progress, stop: subject.stop })?;
    let notes = system.notes().into_iter().map(Event::Message);
    tell(Progress::Events(notes.collect()));
    Ok(system)
}

impl Bench for Live<'_> {
    fn bytes(&self) -> u64 {
        self.bytes
    }

    fn spent(&self) -> Nanos {
        self.spent
    }

    fn stopped(&self) -> bool {
        self.subject.stop.load(Ordering::Relaxed)
    }

    fn run(&mut self, order: &Order) -> Result<Run, LoadError> {
        let began = clock::now_ns();
        (self.tell)(Progress::Started {
            phase: Some(order.phase),
            label: &order.label,
            elapsed: self.spent,
        });
        let Setting { address, device, stop, .. } = self.subject;
        let system = self.system(&order.job)?;
        let setting = Setting { address, job: &order.job, device, stop };
        let mut run = execute_on(system.as_ref(), &setting, &mut RunProgress(self.tell))?;
        self.open = Some((Shape::of(&order.job), system));
        run.label.clone_from(&order.label);
        (self.tell)(Progress::Finished(&run));
        let took = Nanos::new(clock::now_ns().saturating_sub(began));
        self.spent = self.spent.checked_add(took).unwrap_or(self.spent);
        Ok(run)
    }
}
