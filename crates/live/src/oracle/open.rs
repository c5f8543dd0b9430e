//! From an address to a feed.

use isotherm_frame::Nanos;

use crate::feed::{LiveOptions, OpenError, Outbox, Running, Stopped};

use crate::live::{Live, LiveAddress, LiveScheme, Start, Target};
use crate::wait_event::WaitEvent;

use super::connection::connection;
use super::events::wait_events;
use super::{
    AwrCollectError, AwrCollection, AwrTables, OracleAddress, PollRequest, history, instances,
    meta, start,
};

/// The schemes that lead to an Oracle database.
static SCHEMES: &[LiveScheme] = &[
    scheme("oracle", "oracle://scott@db1/SALES"),
    scheme("oracle+tcps", "oracle+tcps://scott@db1/SALES"),
    scheme("sqlplus", "sqlplus:/ as sysdba"),
    scheme("awr", "awr:oracle://scott@db1/SALES"),
];

/// What is missing after one of these is said by the reader of the address.
const fn scheme(name: &'static str, example: &'static str) -> LiveScheme {
    LiveScheme { name, needs: "", example }
}

/// `oracle://...`, `sqlplus:...` and `awr:...`.
pub(crate) static LIVE: Live = Live {
    metas: &[&meta::ORACLE, &meta::SQLPLUS, &meta::AWR],
    schemes: SCHEMES,
    target: |scheme, rest| Ok(LiveAddress::new(OracleAddress::read(scheme, rest)?)),
    load_instead: |_| None,
};

impl Target for OracleAddress {
    fn events(&self, warn: &mut dyn FnMut(String)) -> Option<Result<Vec<WaitEvent>, OpenError>> {
        Some(wait_events(self, warn))
    }

    fn open(&self, options: &LiveOptions, start: Start) -> Result<Running, OpenError> {
        begin(self, options, start.outbox)
    }

    fn has_end(&self) -> bool {
        self.history
    }
}

/// Starts to ask the database at `address` for what its options want, or to read its history.
fn begin(
    address: &OracleAddress,
    options: &LiveOptions,
    mut outbox: Outbox,
) -> Result<Running, OpenError> {
    let interval = address.options.interval.or(options.interval).unwrap_or(Nanos::SECOND);
    let wanted = PollRequest::of(&address.options).map_err(OpenError::Option)?;
    let pace = if address.history { history::PACE } else { interval };
    let stopped = outbox.stopped().clone();
    let connect = connection(address, pace, &stopped, &mut |text| outbox.warn(text))?;
    outbox.flush();
    if address.history {
        return history::start(connect, (wanted, &address.options), &options.context, outbox);
    }
    start(connect, wanted, interval, &options.context, outbox)
}

impl AwrCollection {
    /// Fails where an address says more than how to get in: the tables are those of every instance, with all
    /// events.
    pub fn check(address: &OracleAddress) -> Result<(), OpenError> {
        if instances(address)?.is_empty() {
            return Ok(());
        }
        let text = "the tables have the rows of all instances, with their numbers: leave inst= out";
        Err(OpenError::Option(text.into()))
    }

    /// Asks the database at `address`. A table is given once all of its rows are there.
    pub fn collect(
        &self,
        address: &OracleAddress,
        tables: &mut dyn AwrTables,
    ) -> Result<(), AwrCollectError> {
        let stopped = Stopped::default();
        let mut warn = |words| tables.say(words);
        let connect = connection(address, history::PACE, &stopped, &mut warn)?;
        self.over(connect, tables)
    }
}
