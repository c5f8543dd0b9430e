//! Sources that are watched while load is made. None of them can end it.

use std::time::Duration;

use isotherm_frame::{BinnerLimits, Frame, Nanos, Series};
use isotherm_sources::{Address, Feed, Item, LiveOptions};

use crate::intake::{Aside, Happening, Intake};

/// One source.
pub struct Beside {
    name: String,
    feed: Feed,
    intake: Intake,
    interval: Nanos,
    over: bool,
}

/// How long the last words of a source are waited for.
const LAST_WORDS: Duration = Duration::from_millis(500);

impl Beside {
    /// Opens a source; words if it cannot be.
    pub fn open(source: &str, interval: Nanos) -> Result<Beside, String> {
        let name = crate::redact::redacted(source);
        let told = |why: String| format!("{name} is not watched: {why}");
        let address: Address = source.parse().map_err(|error| told(format!("{error}")))?;
        let options = LiveOptions { interval: Some(interval), ..LiveOptions::default() };
        let feed = Feed::open(&address, &options).map_err(|error| told(error.to_string()))?;
        let intake = Intake::new(interval, BinnerLimits::default());
        Ok(Beside { name, feed, intake, interval, over: false })
    }

    /// What happened since the last call, without waiting.
    pub fn take(&mut self, happened: &mut Vec<Happening>) {
        while let Ok(batch) = self.feed.receiver().try_recv() {
            self.batch(batch, happened);
        }
        self.intake.finish_behind(self.interval);
        self.pass_on(happened);
    }

    /// Ends the source, and gives its last words.
    pub fn end(&mut self, happened: &mut Vec<Happening>) {
        self.take(happened);
        // That it ends from now on is our own doing.
        self.over = true;
        self.feed.stop();
        while let Ok(batch) = self.feed.receiver().recv_timeout(LAST_WORDS) {
            self.batch(batch, happened);
        }
        self.intake.finish();
        self.pass_on(happened);
    }

    fn batch(&mut self, batch: Vec<Item>, happened: &mut Vec<Happening>) {
        for item in batch {
            match self.intake.item(item) {
                Some(Aside::Warning(text)) => happened.push(self.said(&text)),
                Some(Aside::Ended(ending)) if !self.over => {
                    self.over = true;
                    let why = ending.error.map_or(ending.status, |error| error.to_string());
                    happened.push(self.said(&format!("ended: {why}")));
                }
                Some(Aside::Ended(_)) | None => {}
            }
        }
    }

    fn said(&self, text: &str) -> Happening {
        Happening::Said(format!("{}: {text}", self.name))
    }

    fn pass_on(&mut self, happened: &mut Vec<Happening>) {
        for happening in self.intake.take() {
            happened.push(match happening {
                Happening::Frame(frame) => Happening::Frame(self.told_apart(frame)),
                Happening::Said(text) => self.said(&text),
                other => other,
            });
        }
    }

    /// The frame with its series named as one of this source: the load may have one of that name.
    fn told_apart(&self, mut frame: Frame) -> Frame {
        let own = [("alongside", self.name.as_str())];
        let attributes = frame.series.attributes().chain(own);
        frame.series = Series::with_attributes(frame.series.name(), attributes);
        frame
    }
}
