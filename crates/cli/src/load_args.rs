//! The options that say which load is to be made, for every command that makes some.

#![allow(clippy::doc_markdown, reason = "help texts are no Markdown")]

use clap::Args;
use isotherm_frame::Nanos;
use isotherm_load::{
    Arrival, FileMethod, HotSpot, Job, Mix, Pattern, Redo, Spacing, Think, Warmup, not_for,
};

use crate::amounts;
use crate::failure::Failure;
use crate::load_choices::{self, MethodArg, MixArg, PatternArg, RedoArg, SpacingArg};
use crate::redact::redacted;

/// Which load to make. What is not given stays as the job has it.
#[derive(Args, Debug, Clone, Default)]
pub struct LoadArgs {
    /// Closed loop: keep this many operations in flight [default: 1]
    #[arg(long, value_name = "N", visible_aliases = ["workers", "clients"], conflicts_with = "rate",
          value_parser = clap::value_parser!(u32).range(1..=MOST_IN_FLIGHT), help_heading = "Load")]
    pub in_flight: Option<u32>,
    /// Operations per second (open loop): 500, 2k, 300/min
    #[arg(long, value_name = "RATE", value_parser = amounts::rate, help_heading = "Load")]
    pub rate: Option<f64>,
    /// Open loop: how operations follow each other [default: poisson]
    // Said of --in-flight, too: what is required is not asked for where it would conflict.
    #[arg(
        long,
        value_enum,
        requires = "rate",
        conflicts_with = "in_flight",
        help_heading = "Load"
    )]
    pub spacing: Option<SpacingArg>,
    /// Open loop: at most this many operations in flight; the next ones wait, and their response
    /// times include that wait [default: 1024]
    #[arg(long, value_name = "N", requires = "rate", conflicts_with = "in_flight",
          value_parser = clap::value_parser!(u32).range(1..=MOST_IN_FLIGHT), help_heading = "Load")]
    pub slots: Option<u32>,
    /// Use this many threads; the engine chooses if not given
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=MOST_IN_FLIGHT),
          help_heading = "Load")]
    pub threads: Option<u32>,
    /// End after this time (measured after the warm-up) [default: 30s]
    #[arg(long = "for", value_name = "TIME", help_heading = "Load")]
    pub duration: Option<Nanos>,
    /// Stop after this many operations, if that is sooner
    #[arg(long, value_name = "N", value_parser = amounts::count, help_heading = "Load")]
    pub operations: Option<u64>,
    /// Warm up for this long before measuring; auto: until throughput is steady, at most a minute
    /// [default: 1s]
    #[arg(long, value_name = "TIME|auto", value_parser = load_choices::warmup, help_heading = "Load")]
    pub warmup: Option<Warmup>,
    /// Share of reads, in per cent; the rest are updates [default: 100]
    #[arg(long, value_name = "PCT", value_parser = amounts::per_cent, conflicts_with = "update",
          help_heading = "Work")]
    pub read: Option<f64>,
    /// Share of updates, in per cent (SLOB: UPDATE_PCT) [default: 0]
    #[arg(long, value_name = "PCT", value_parser = amounts::per_cent, alias = "write",
          help_heading = "Work")]
    pub update: Option<f64>,
    /// How reads and updates are mixed [default: independent]
    #[arg(long, value_enum, help_heading = "Work")]
    pub mix: Option<MixArg>,
    /// The order in which blocks are visited [default: random]
    #[arg(long, value_enum, conflicts_with = "sequential", help_heading = "Work")]
    pub pattern: Option<PatternArg>,
    /// Short for --pattern sequential
    #[arg(long, help_heading = "Work")]
    pub sequential: bool,
    /// Visit one part of the data more often: its size in per cent of all; one operation in N goes
    /// there (1-in-2 if not given); where it begins, in per cent (SLOB: DO_HOTSPOT)
    #[arg(long, value_name = "SIZE[,1-in-N[,OFFSET]]", value_parser = load_choices::hot, help_heading = "Work")]
    pub hot: Option<HotSpot>,
    /// Closed loop: pause after one operation in N (each if not given), for a random time from MIN
    /// to MAX (SLOB: THINK_TM_MIN, _MAX, _FREQUENCY)
    #[arg(long, value_name = "MIN..MAX[,1-in-N]", value_parser = load_choices::think, conflicts_with = "rate",
          help_heading = "Work")]
    pub think: Option<Think>,
    /// Seed of random numbers: the same seed visits the same places in the same order [default:
    /// 1]
    #[arg(long, value_name = "N", help_heading = "Work")]
    pub seed: Option<u64>,
    #[command(flatten)]
    pub file: FileArgs,
    #[command(flatten)]
    pub database: DatabaseArgs,
}

/// How files and devices are loaded.
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
#[derive(Args, Debug, Clone, Default)]
#[command(next_help_heading = "Files and devices")]
pub struct FileArgs {
    /// Bytes per operation [default: 8k]
    #[arg(long, value_name = "BYTES", value_parser = amounts::bytes)]
    pub block: Option<u64>,
    /// Make the file if there is none, as large as --size says [default: 1G, at most half of what
    /// is free]
    #[arg(long)]
    pub create: bool,
    /// The working set: how much of the file or device to use, from its beginning; a file that does
    /// not exist is made that large [default: all of it]
    #[arg(long, value_name = "BYTES", value_parser = amounts::bytes)]
    pub size: Option<u64>,
    /// How operations are submitted [default: io_uring where the kernel lets us]
    #[arg(long, value_enum)]
    pub method: Option<MethodArg>,
    /// Use the page cache: open the file without O_DIRECT
    #[arg(long)]
    pub buffered: bool,
    /// Make each write wait until it is on stable storage (O_DSYNC), as writes of a database's log
    /// do
    #[arg(long)]
    pub dsync: bool,
    /// Operations submitted at once after the first ones of a batch
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=4_096))]
    pub chunk: Option<u32>,
    /// Use buffers in pages of 4 KiB, as programs without huge pages do: each block is then spread
    /// over several pages
    #[arg(long)]
    pub small_pages: bool,
    /// Write to a device, or to a file that isotherm did not make: its content is LOST
    #[arg(long)]
    pub i_mean_it: bool,
}

/// How databases are loaded.
#[derive(Args, Debug, Clone, Default)]
#[command(next_help_heading = "Databases (the data model of SLOB)")]
pub struct DatabaseArgs {
    /// Use this many schemas, each with its own table; sessions are spread over them [default: 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=4_096))]
    pub schemas: Option<u32>,
    /// Rows of each table, one a block, or its size: 80M, 10G (SLOB: SCALE) [default: 10000]
    #[arg(long, value_name = "ROWS", value_parser = amounts::scale)]
    pub scale: Option<u64>,
    /// Blocks that one operation visits (SLOB: WORK_UNIT) [default: 64]
    #[arg(long, value_name = "BLOCKS", value_parser = clap::value_parser!(u32).range(1..=1_024))]
    pub work_unit: Option<u32>,
    /// How much redo an update writes (SLOB: REDO_STRESS) [default: lite]
    #[arg(long, value_enum)]
    pub redo: Option<RedoArg>,
    /// oracle: run the loop inside the server, as SLOB does: without round trips, but also without
    /// a latency for each operation
    #[arg(long)]
    pub server_loop: bool,
}

/// The most operations in flight: each has a buffer, and perhaps a thread or a connection.
const MOST_IN_FLIGHT: i64 = 65_536;
/// SLOB refuses shares of updates between these.
const SLOB_REFUSES: (f64, f64) = (50.0, 100.0);

impl LoadArgs {
    /// The job of this target.
    pub fn job(&self, target: &str) -> Result<Job, Failure> {
        let target = redacted(target);
        let mut job = Job { target, ..Job::default() };
        self.apply(&mut job)?;
        Ok(job)
    }

    /// Changes in a job what is given here; an error if the job then makes no sense.
    pub fn apply(&self, job: &mut Job) -> Result<(), Failure> {
        self.fit(&job.target)?;
        self.arrive(job)?;
        self.limit(job)?;
        self.work(job)?;
        self.file.apply(job);
        self.database.apply(job);
        Ok(())
    }

    fn arrive(&self, job: &mut Job) -> Result<(), Failure> {
        if let Some(rate_hz) = self.rate {
            let spacing = match self.spacing {
                Some(SpacingArg::Fixed) => Spacing::Fixed,
                Some(SpacingArg::Poisson) | None => Spacing::Poisson,
            };
            job.arrival = Arrival::Open { rate_hz, spacing, slots: self.slots.unwrap_or(1_024) };
        } else if let Some(in_flight) = self.in_flight {
            let think = if let Arrival::Closed { think, .. } = job.arrival { think } else { None };
            job.arrival = Arrival::Closed { in_flight, think };
        }
        if self.think.is_some() {
            let Arrival::Closed { think, .. } = &mut job.arrival else {
                return Err(Failure::usage("--think is for closed loops: give --in-flight too"));
            };
            *think = self.think;
        }
        job.threads = self.threads.or(job.threads);
        Ok(())
    }

    fn limit(&self, job: &mut Job) -> Result<(), Failure> {
        if self.duration == Some(Nanos::ZERO) {
            return Err(Failure::usage("--for 0s: nothing would be measured"));
        }
        job.limit.time = self.duration.unwrap_or(job.limit.time);
        job.limit.operations = self.operations.or(job.limit.operations);
        job.warmup = self.warmup.unwrap_or(job.warmup);
        Ok(())
    }

    fn work(&self, job: &mut Job) -> Result<(), Failure> {
        let work = &mut job.work;
        work.update_pct = self.update_pct().unwrap_or(work.update_pct);
        work.mix = match self.mix {
            Some(MixArg::Independent) => Mix::Independent,
            Some(MixArg::Slob) => Mix::Slob,
            None => work.mix,
        };
        work.pattern = match self.pattern {
            _ if self.sequential => Pattern::Sequential,
            Some(PatternArg::Sequential) => Pattern::Sequential,
            Some(PatternArg::Random) => Pattern::Random,
            None => work.pattern,
        };
        work.hot = self.hot.or(work.hot);
        work.seed = self.seed.unwrap_or(work.seed);
        let (from, to) = SLOB_REFUSES;
        if work.mix == Mix::Slob && work.update_pct > from && work.update_pct < to {
            return Err(Failure::usage(format!(
                "--update {}: with --mix slob it must be 0 to 50, or 100",
                work.update_pct
            )));
        }
        if work.hot.is_some() && work.pattern == Pattern::Sequential {
            return Err(Failure::usage("--hot is for --pattern random: in order there is none"));
        }
        Ok(())
    }

    /// The share of updates, if one is given.
    pub fn update_pct(&self) -> Option<f64> {
        self.update.or(self.read.map(|read| 100.0 - read))
    }

    /// Whether the options are about this kind of target.
    fn fit(&self, target: &str) -> Result<(), Failure> {
        let mut given = self.file.given().chain(self.database.given());
        let target = redacted(target);
        let foreign = |option: &str| not_for(&format!("--{option}"), option, &target);
        given.find_map(foreign).map_or(Ok(()), |why| Err(Failure::usage(why)))
    }
}

impl FileArgs {
    /// The options that are given.
    fn given(&self) -> impl Iterator<Item = &'static str> {
        let given = [
            (self.block.is_some(), "block"),
            (self.create, "create"),
            (self.size.is_some(), "size"),
            (self.method.is_some(), "method"),
            (self.buffered, "buffered"),
            (self.dsync, "dsync"),
            (self.chunk.is_some(), "chunk"),
            (self.small_pages, "small-pages"),
            (self.i_mean_it, "i-mean-it"),
        ];
        given.into_iter().filter(|(given, _)| *given).map(|(_, option)| option)
    }

    fn apply(&self, job: &mut Job) {
        let file = &mut job.file;
        file.block = self.block.unwrap_or(file.block);
        file.size = self.size.or(file.size);
        file.method = match self.method {
            Some(MethodArg::Auto) => FileMethod::Auto,
            Some(MethodArg::Uring) => FileMethod::Uring,
            Some(MethodArg::Sync) => FileMethod::Sync,
            None => file.method,
        };
        file.direct &= !self.buffered;
        file.dsync |= self.dsync;
        file.chunk = self.chunk.or(file.chunk);
        file.huge_pages &= !self.small_pages;
        file.i_mean_it |= self.i_mean_it;
        file.create |= self.create;
    }
}

impl DatabaseArgs {
    /// The options that are given.
    fn given(&self) -> impl Iterator<Item = &'static str> {
        let given = [
            (self.schemas.is_some(), "schemas"),
            (self.work_unit.is_some(), "work-unit"),
            (self.redo.is_some(), "redo"),
            (self.server_loop, "server-loop"),
            (self.scale.is_some(), "scale"),
        ];
        given.into_iter().filter(|(given, _)| *given).map(|(_, option)| option)
    }

    fn apply(&self, job: &mut Job) {
        let database = &mut job.database;
        database.schemas = self.schemas.unwrap_or(database.schemas);
        database.scale = self.scale.unwrap_or(database.scale);
        database.work_unit = self.work_unit.unwrap_or(database.work_unit);
        database.redo = match self.redo {
            Some(RedoArg::Lite) => Redo::Lite,
            Some(RedoArg::Heavy) => Redo::Heavy,
            None => database.redo,
        };
        database.server_loop |= self.server_loop;
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::failure::Code;
    use crate::load_choices::LONGEST_WARMUP;

    #[derive(Parser, Debug)]
    struct Line {
        target: String,
        #[command(flatten)]
        load: LoadArgs,
    }

    fn job(line: &str) -> Result<Job, String> {
        let words = std::iter::once("x").chain(line.split_whitespace());
        let line = Line::try_parse_from(words).map_err(|error| error.to_string())?;
        line.load.job(&line.target).map_err(|failure| {
            assert_eq!(failure.code, Code::Usage);
            failure.message
        })
    }

    #[test]
    fn without_options_the_job_is_the_usual_one() {
        let usual = Job { target: "x.dat".to_owned(), ..Job::default() };
        assert_eq!(job("x.dat"), Ok(usual));
    }

    #[test]
    fn a_closed_loop_on_a_file_is_read() {
        let found = job("file:x --in-flight 8 --read 70 --block 4k --size 1G --buffered \
                         --method sync --warmup auto --for 5m --operations 1M --seed 7 \
                         --hot 10%,1-in-4,50 --think 1ms..2ms,1-in-100 --mix slob")
        .unwrap();
        let think =
            Think { one_in: 100, least: Nanos::from_millis(1), most: Nanos::from_millis(2) };
        assert_eq!(found.arrival, Arrival::Closed { in_flight: 8, think: Some(think) });
        assert!((found.work.update_pct - 30.0).abs() < 1e-9);
        let hot = HotSpot { size_pct: 10.0, offset_pct: 50.0, one_in: 4 };
        assert_eq!((found.work.hot, found.work.seed, found.work.mix), (Some(hot), 7, Mix::Slob));
        assert_eq!((found.file.block, found.file.size), (4_096, Some(1 << 30)));
        assert_eq!((found.file.direct, found.file.method), (false, FileMethod::Sync));
        assert_eq!(found.warmup, Warmup::UntilSteady(LONGEST_WARMUP));
        assert_eq!(found.limit.time, Nanos::from_millis(300_000));
        assert_eq!(found.limit.operations, Some(1_000_000));
    }

    #[test]
    fn an_open_loop_has_a_rate_and_slots() {
        let found = job("sim:servers=1 --rate 2k --spacing fixed --slots 16 --warmup 0").unwrap();
        let arrival = Arrival::Open { rate_hz: 2e3, spacing: Spacing::Fixed, slots: 16 };
        assert_eq!(found.arrival, arrival);
        assert_eq!(found.warmup, Warmup::Time(Nanos::ZERO));
    }

    #[test]
    fn databases_have_the_parameters_of_slob() {
        let found = job("postgres://u:pw@h/db --clients 16 --schemas 4 --scale 80M \
                         --work-unit 32 --redo heavy --update 25")
        .unwrap();
        assert_eq!(found.target, "postgres://u:***@h/db");
        assert_eq!((found.database.schemas, found.database.scale), (4, 10_240));
        assert_eq!((found.database.work_unit, found.database.redo), (32, Redo::Heavy));
        assert!((found.work.update_pct - 25.0).abs() < 1e-9);
    }

    #[test]
    fn nonsense_is_refused_with_what_to_write() {
        for (line, part) in [
            ("x --in-flight 0", "1..=65536"),
            ("x --in-flight 4 --rate 100", "cannot be used with"),
            ("x --slots 4", "--rate"),
            ("x --in-flight 2 --slots 9", "cannot be used with"),
            ("x --spacing fixed", "--rate"),
            ("x --in-flight 2 --spacing fixed", "cannot be used with"),
            ("x --rate 0", "above 0"),
            ("x --read 50 --update 50", "cannot be used with"),
            ("x --update 101", "per cent"),
            ("x --mix slob --update 70", "0 to 50, or 100"),
            ("x --hot 60,1-in-2,50", "between 0 and 100"),
            ("x --hot 10,1-in-0", "one in how many"),
            ("x --hot 10 --sequential", "random"),
            ("x --think 5ms..1ms", "MIN..MAX"),
            ("x --think 5", "5"),
            ("x --think 1ms --rate 5", "cannot be used with"),
            ("x --for 0s", "nothing would be measured"),
            ("x --warmup soon", "or auto"),
            ("x --block 8q", "8k"),
            ("x --scale 10000", "--scale is for postgres://..."),
            ("sim:servers=1 --block 8k", "--block is for file:PATH"),
            (
                "redis://h --work-unit 8",
                "--work-unit is for postgres://... and oracle://..., not for",
            ),
            ("postgres://u:pw@h/d --size 1G", "--size is for file:PATH, not for 'postgres://"),
            ("postgres://u:pw@h/d --size 1G", "; use --scale"),
            ("postgres://u@h/d --server-loop", "--server-loop is for oracle://"),
        ] {
            let refusal = job(line).unwrap_err();
            assert!(refusal.contains(part), "{line}: {refusal}");
            assert!(!refusal.contains("pw@"), "{refusal}");
        }
        assert!(job("redis://h --scale 5000").is_ok());
    }

    #[test]
    fn only_what_is_given_changes_a_job() {
        let mut planned = job("x --in-flight 8 --think 1ms --update 10 --block 4k").unwrap();
        let given = LoadArgs { in_flight: Some(16), ..LoadArgs::default() };
        given.apply(&mut planned).unwrap();
        let wanted = job("x --in-flight 16 --think 1ms --update 10 --block 4k").unwrap();
        assert_eq!(planned, wanted);
    }
}
