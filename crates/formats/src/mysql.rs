//! How long statements take, as `MariaDB` and `MySQL` count it: `QUERY_RESPONSE_TIME` and the
//! statement histograms of the performance schema.

mod buckets;
mod found;
mod meta;
mod response_time;
mod statements;
mod table;
mod text;

use std::io::BufRead;

use self::text::Tables;
use crate::{Context, DecodeError, LineReader, Meta, Sink, Source, Verdict};

pub use self::found::{Cells, Found};
pub use self::statements::Naming;
pub use self::table::Table;

/// Reads what clients of `MariaDB` and `MySQL` print.
pub(crate) struct MySql;

pub(crate) static SOURCE: MySql = MySql;

impl Source for MySql {
    fn meta(&self) -> &'static Meta {
        &meta::FILES
    }

    fn sniff(&self, head: &[u8]) -> Verdict {
        if text::is_ours(head) { Verdict::Yes } else { Verdict::No }
    }

    fn decode(
        &self,
        input: &mut (dyn BufRead + Send),
        context: &Context,
        sink: &mut dyn Sink,
    ) -> Result<(), DecodeError> {
        let mut tables = Tables::new(context);
        LineReader::new(input).each(|line| tables.line(line, sink))?;
        tables.finish(sink);
        Ok(())
    }
}
