//! The thread that scrapes.

use std::thread;
use std::time::Instant;

use isotherm_formats::{Note, Sink, printable};
use isotherm_frame::{Mark, Nanos};

use super::page::PageReader;
use crate::feed::{Ending, FeedError, Outbox};
use crate::held::Held;
use crate::http::HttpClient;
use crate::pace::{Pace, SteadyClock, beyond_interval};

/// What is accepted: text, in which classic histograms are.
const ACCEPT: &str = "text/plain;version=0.0.4,*/*;q=0.1";

/// Fetches a page again and again.
pub(super) struct Scraper {
    client: HttpClient,
    path: String,
    reader: PageReader,
    outbox: Outbox,
    clock: SteadyClock,
    /// Whether there ever was a page, and whether the last one is missing.
    answered: bool,
    away: bool,
}

impl Scraper {
    pub(super) fn new(
        client: HttpClient,
        path: String,
        reader: PageReader,
        outbox: Outbox,
    ) -> Scraper {
        let clock = SteadyClock::new();
        Scraper { client, path, reader, outbox, clock, answered: false, away: false }
    }

    /// Scrapes until it is stopped or there is no point in it.
    pub(super) fn run(mut self, interval: Nanos) {
        let rate_hz = 1e9 / interval.as_nanos().max(1) as f64;
        let mut pace = Pace::new(rate_hz, Instant::now());
        let mut failure = None;
        while failure.is_none() && !self.outbox.stopped().is_set() {
            let now = Instant::now();
            if now < pace.due() {
                thread::park_timeout(pace.due() - now);
                continue;
            }
            failure = self.scrape().err();
            if pace.advance(Instant::now()) {
                let said = beyond_interval("scraping", "scrapes", interval, "--interval ");
                self.outbox.note(Note::Said(said.into()));
            }
            self.outbox.flush();
        }
        let stopped = self.outbox.stopped().is_set();
        let failure = failure.filter(|_| !stopped).map(FeedError::Server);
        let status = if failure.is_some() { "no metrics" } else { "stopped" }.to_owned();
        self.outbox.end(Ending { error: failure, status, stderr_tail: Vec::new() });
    }

    /// Scrapes once. What is wrong at the first time is an error; later it may pass.
    fn scrape(&mut self) -> Result<(), String> {
        let asked = Instant::now();
        let fetched = self.fetch();
        let took = asked.elapsed();
        let at = self.clock.read(asked + took / 2);
        let taken = fetched.and_then(|page| self.reader.page(at, &page, &mut self.outbox));
        match taken {
            Ok(()) => {
                self.answered = true;
                if std::mem::take(&mut self.away) {
                    self.mark("the metrics are available again");
                }
                Ok(())
            }
            Err(why) if !self.answered => Err(why),
            Err(why) => {
                self.reader.miss();
                if !std::mem::replace(&mut self.away, true) {
                    self.mark("no metrics");
                    self.outbox.warn(format!("{why}; trying again"));
                }
                Ok(())
            }
        }
    }

    fn fetch(&self) -> Result<Held, String> {
        let answer = self.client.get_within(&self.path, ACCEPT, self.reader.text_room());
        let (status, body) = answer.map_err(|error| error.to_string())?;
        if status == 200 {
            return Ok(body);
        }
        let words = printable(&body, 80);
        Err(format!(
            "{}: the server answers {} to {}{}{words}{}",
            self.client.server(),
            status,
            // Parameters may hold a token.
            self.path.split('?').next().unwrap_or_default(),
            if words.is_empty() { "" } else { ": " },
            match HttpClient::hint(status) {
                "" => ": check the path, such as /metrics",
                hint => hint,
            },
        ))
    }

    fn mark(&mut self, text: &str) {
        let at = self.clock.read(Instant::now());
        self.outbox.note(Note::Mark(Mark { at, text: text.to_owned() }));
    }
}
