//! `isotherm sql-buckets`: the query that makes heat maps of a table where it is.

use clap::{Args, ValueEnum};
use isotherm_frame::{Nanos, Unit};
use isotherm_recording::rows::{BucketQuery, Dialect, bucket_query};

use crate::failure::Failure;
use crate::screen;

/// Examples for the help.
pub const EXAMPLES: &str = "Examples:\n  isotherm sql-buckets --dialect duckdb \"'app.parquet'\" --time-column ts_us --time-unit us --latency-column latency_ms --unit ms\n  duckdb -csv -c \"$(isotherm sql-buckets --dialect duckdb requests)\" | isotherm merge - -o day.heat";

/// `sql-buckets`
#[derive(Args, Debug)]
pub struct SqlBucketsArgs {
    /// The engine that the query is for
    #[arg(long, value_enum)]
    dialect: DialectChoice,
    #[arg(
        value_name = "TABLE",
        default_value = "events",
        help = "Table, file (DuckDB) or subquery with a name"
    )]
    table: String,
    /// When an operation ended, as a number since 1970: a column or an expression
    #[arg(long = "time-column", value_name = "EXPRESSION", default_value = "end_ns")]
    time: String,
    /// The unit of the time column where it cannot be guessed: ns, us, ms or s
    #[arg(long, default_value = "ns")]
    time_unit: Unit,
    /// How long it took: a column or an expression
    #[arg(long = "latency-column", value_name = "EXPRESSION", default_value = "latency_ns")]
    latency: String,
    /// The unit of latencies where the input does not say: ns, us, ms or s
    #[arg(long, default_value = "ns")]
    unit: Unit,
    /// What tells series apart: a column or an expression
    #[arg(long = "series-column", value_name = "EXPRESSION", default_value = "'operations'")]
    name: String,
    /// Length of an interval
    #[arg(short, long, value_name = "TIME", value_parser = crate::amounts::time, default_value = "1s")]
    interval: Nanos,
}

/// An engine.
#[derive(Copy, Clone, Debug, ValueEnum)]
enum DialectChoice {
    #[value(help = "DuckDB")]
    Duckdb,
    #[value(help = "ClickHouse")]
    Clickhouse,
    /// Apache Spark
    Spark,
    #[value(help = "PostgreSQL")]
    Postgres,
}

/// Prints the query.
pub fn run(args: &SqlBucketsArgs) -> Result<(), Failure> {
    let dialect = match args.dialect {
        DialectChoice::Duckdb => Dialect::DuckDb,
        DialectChoice::Clickhouse => Dialect::ClickHouse,
        DialectChoice::Spark => Dialect::Spark,
        DialectChoice::Postgres => Dialect::Postgres,
    };
    if args.interval == Nanos::ZERO {
        return Err(Failure::usage("--interval 0: an interval must last"));
    }
    let (time_ns, latency_ns) =
        (in_ns(&args.time, args.time_unit), in_ns(&args.latency, args.unit));
    let query = bucket_query(
        dialect,
        &BucketQuery {
            table: &args.table,
            time_ns: &time_ns,
            latency_ns: &latency_ns,
            series: &args.name,
            interval: args.interval,
        },
    );
    screen::print(screen::for_programs(), &query)
}

/// An expression in nanoseconds; one with a fraction is rounded.
fn in_ns(expression: &str, unit: Unit) -> String {
    match unit.as_nanos().as_nanos() {
        1 => expression.to_owned(),
        ns => format!("round(({expression}) * {ns})"),
    }
}
