//! Prometheus over HTTP: pages of metrics scraped live, and the history that a server keeps.

mod address;
mod api;
mod fleet;
mod fleet_layouts;
mod fleet_question;
mod history;
mod intervals;
mod meta;
mod page;
mod scraper;
mod selector;

use isotherm_formats::Source;
use isotherm_formats::unread_options::check;
use isotherm_frame::Nanos;

use self::address::{Asked, HttpAddress};
pub use self::fleet::{Fleet, FleetCost, FleetCourse};
pub use self::fleet_question::{FleetError, FleetHistogram, FleetQuestion};
use self::history::History;
use self::page::{PageReader, ScrapeRoom};
use self::scraper::Scraper;
use crate::feed::{LiveOptions, OpenError, Outbox, Running};
use crate::http::HttpClient;
use crate::live::{Live, LiveAddress, LiveScheme, Start, Target};

const fn scheme(name: &'static str) -> LiveScheme {
    LiveScheme { name, needs: "a server", example: "prom+http://localhost:9100/metrics" }
}

/// `prom+http://...` and `prom+https://...`.
pub(crate) static LIVE: Live = Live {
    metas: &[&meta::SCRAPE],
    schemes: &[scheme("prom+http"), scheme("prom+https")],
    target: |scheme, rest| Ok(LiveAddress::new(HttpAddress::read(scheme == "prom+https", rest)?)),
    load_instead: |_| None,
};

impl Target for HttpAddress {
    fn open(&self, options: &LiveOptions, start: Start) -> Result<Running, OpenError> {
        let Start { mut outbox, choice } = start;
        let source: &'static dyn Source = match self.asked {
            Asked::Page(_) => &isotherm_formats::prometheus::SOURCE,
            Asked::History { .. } => &isotherm_formats::promquery::SOURCE,
        };
        check(source, &options.context, &mut outbox)?;
        let _ = choice.chosen.set(source);
        let stopped = outbox.stopped().clone();
        let worker = std::thread::Builder::new().name("isotherm-scrape".into());
        let client = HttpClient::new(&self.server);
        let client = client.map_err(|error| OpenError::Option(error.to_string()))?;
        let run = work(self, client, options, outbox);
        let worker = worker
            .spawn(run)
            .map_err(|source| OpenError::NotStarted { program: "a thread".into(), source })?;
        let thread = worker.thread().clone();
        Ok(Running {
            wake: Box::new(move || {
                stopped.set();
                thread.unpark();
            }),
            worker,
        })
    }

    fn has_end(&self) -> bool {
        matches!(self.asked, Asked::History { .. })
    }
}

/// What the thread does.
fn work(
    address: &HttpAddress,
    client: HttpClient,
    options: &LiveOptions,
    outbox: Outbox,
) -> Box<dyn FnOnce() + Send> {
    let unit = options.context.unit;
    match &address.asked {
        Asked::Page(path) => {
            let interval = options.interval.unwrap_or(Nanos::SECOND);
            let reader = PageReader::new(unit, ScrapeRoom::of_process());
            let scraper = Scraper::new(client, path.clone(), reader, outbox);
            Box::new(move || scraper.run(interval))
        }
        Asked::History(query) => {
            let history = History::new(client, query.clone(), unit, outbox);
            Box::new(move || history.run())
        }
    }
}
