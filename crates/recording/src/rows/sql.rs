//! Queries that make rows of a table that is in another engine already.
//!
//! The bucket of a latency is found with integers alone: a logarithm in floating point puts latencies that
//! lie on a bound into the wrong bucket.

use isotherm_frame::Nanos;

use super::ROW_COLUMNS;

/// The SQL of an engine.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Dialect {
    /// `DuckDB`.
    DuckDb,
    /// `ClickHouse`.
    ClickHouse,
    /// Apache Spark.
    Spark,
    /// `PostgreSQL`.
    Postgres,
}

/// What is asked for: expressions over the columns of a table.
#[derive(Clone, Debug)]
pub struct BucketQuery<'a> {
    /// The table, file or subquery.
    pub table: &'a str,
    /// When an operation ended, in nanoseconds since 1970.
    pub time_ns: &'a str,
    /// How long it took, in nanoseconds.
    pub latency_ns: &'a str,
    /// The name of its series.
    pub series: &'a str,
    /// The width of the intervals.
    pub interval: Nanos,
}

/// Latencies from here on are in the bucket without an upper bound.
const TOP_NS: u64 = 1 << 42;
/// Below it each nanosecond is a bucket; from it on an octave has eight.
const FIRST_NS: u64 = 16;

impl Dialect {
    /// The exponent of the greatest power of two that is not above `ns`.
    fn exponent(self) -> &'static str {
        match self {
            Dialect::DuckDb | Dialect::Spark => "length(bin(ns)) - 1",
            // Zeros fill its digits up to whole bytes.
            Dialect::ClickHouse => "toInt64(length(trimLeft(bin(ns), '0'))) - 1",
            Dialect::Postgres => "length(ltrim(cast(ns as bit(64))::text, '0')) - 1",
        }
    }

    fn shifted_right(self) -> &'static str {
        match self {
            Dialect::DuckDb | Dialect::Postgres => "ns >> (e - 3)",
            Dialect::Spark => "shiftright(ns, e - 3)",
            Dialect::ClickHouse => "bitShiftRight(ns, e - 3)",
        }
    }

    fn shifted_left(self, what: &str) -> String {
        match self {
            Dialect::DuckDb | Dialect::Postgres => format!("({what}) << (e - 3)"),
            Dialect::Spark => format!("shiftleft({what}, e - 3)"),
            Dialect::ClickHouse => format!("bitShiftLeft({what}, e - 3)"),
        }
    }

    fn whole(self, what: &str) -> String {
        match self {
            Dialect::ClickHouse => format!("toInt64({what})"),
            Dialect::DuckDb | Dialect::Spark | Dialect::Postgres => {
                format!("cast({what} as bigint)")
            }
        }
    }

    /// No number, with its type: the parts of the union must agree.
    fn none(self) -> &'static str {
        match self {
            Dialect::ClickHouse => "cast(null as Nullable(Int64))",
            Dialect::DuckDb | Dialect::Spark | Dialect::Postgres => "cast(null as bigint)",
        }
    }
}

/// The query whose result, as CSV with a header, is a table of rows. Latencies that are missing or
/// negative are counted as rejected.
pub fn bucket_query(dialect: Dialect, query: &BucketQuery<'_>) -> String {
    let BucketQuery { table, time_ns, latency_ns, series, interval } = *query;
    let width = interval.as_nanos();
    let (time, latency) = (dialect.whole(time_ns), dialect.whole(latency_ns));
    let (exponent, right) = (dialect.exponent(), dialect.shifted_right());
    let (lo, step) = (dialect.shifted_left(right), dialect.shifted_left(&dialect.whole("1")));
    let none = dialect.none();
    let [start, end, name, attributes, quality, sum, low, high, count, waited] = ROW_COLUMNS;
    let quality_of = |text: &str| format!("'{text}' as {quality}");
    let whole = |number: &str| dialect.whole(number);
    let key = format!("{start}, {start} + {width} as {end}, {name}, '' as {attributes}");
    let counted = quality_of("complete; counted where it ended");
    let bad = "ns is null or ns < 0 or at_ns is null or at_ns < 0";
    let tally = |number: &str, condition: &str| {
        format!(
            "union all\n\
             select {zero} as {start}, {zero} as {end}, '' as {name}, '' as {attributes}, {quality}, \
             {none} as {sum}, {none} as {low}, {none} as {high}, {counts} as {count}, {none} as {waited}\n\
             from operations where {condition} having count(*) > 0\n",
            quality = quality_of(number),
            zero = whole("0"),
            counts = whole("count(*)"),
        )
    };
    let (read, rejected) =
        (tally("tally.records", "ns >= 0 and at_ns >= 0"), tally("tally.rejected", bad));
    format!(
        "with operations as (\n  \
           select {time} as at_ns, {latency} as ns, {series} as {name} from {table}\n\
         ), good as (\n  \
           select at_ns - at_ns % {width} as {start}, {name}, ns, {exponent} as e\n  \
           from operations where ns >= 0 and at_ns >= 0\n\
         ), bucketed as (\n  \
           select {start}, {name}, ns,\n    \
             case when ns < {FIRST_NS} then ns when ns >= {TOP_NS} then {top}\n      \
               else {lo} end as {low},\n    \
             case when ns < {FIRST_NS} then ns + 1 when ns >= {TOP_NS} then {none}\n      \
               else ({lo}) + ({step}) end as {high}\n  \
           from good\n\
         )\n\
         select {key}, {counted}, {none} as {sum}, {low}, {high}, {counts} as {count}, {none} as {waited}\n\
         from bucketed group by {start}, {name}, {low}, {high}\n\
         union all\n\
         select {key}, {counted}, {sums} as {sum}, {none} as {low}, {none} as {high}, {zero} as {count}, {none} as {waited}\n\
         from bucketed group by {start}, {name}\n\
         {read}{rejected}",
        top = whole(&TOP_NS.to_string()),
        counts = whole("count(*)"),
        sums = whole("sum(ns)"),
        zero = whole("0"),
    )
}

#[cfg(test)]
mod tests {
    use isotherm_frame::Scheme;

    use super::*;

    /// The formula of the queries, in integers.
    fn bucket(ns: u64) -> (u64, Option<u64>) {
        if ns < FIRST_NS {
            return (ns, Some(ns + 1));
        }
        if ns >= TOP_NS {
            return (TOP_NS, None);
        }
        let step = ns.ilog2() - 3;
        let lo = (ns >> step) << step;
        (lo, Some(lo + (1 << step)))
    }

    #[test]
    fn the_formula_gives_the_buckets_that_events_are_counted_in() {
        let scheme = Scheme::log_linear();
        let near = (0..64).flat_map(|bits| {
            let power = 1_u64 << bits;
            (0..16).flat_map(move |part| {
                let bound = power.saturating_add((power / 16).saturating_mul(part));
                [bound.saturating_sub(1), bound, bound.saturating_add(1)]
            })
        });
        for ns in near.filter(|ns| i64::try_from(*ns).is_ok()) {
            let found = scheme.bucket(scheme.index_of(Nanos::new(ns)).unwrap());
            assert_eq!((found.lo.as_nanos(), found.hi.map(Nanos::as_nanos)), bucket(ns), "{ns}");
        }
    }
}
