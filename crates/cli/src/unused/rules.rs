//! Which options have no effect, when, and why.

use super::rule::{
    Unused, has_no_scheme, has_scheme, reads_recordings, reads_recordings_alone, watches_no_oracle,
};
use crate::analyze;
use crate::analyze_args::AnalyzeFormat;
use crate::args::Command;
use crate::calibrate_args::CalibrateFormat;
use crate::choices::{DocumentFormat, StatsFormat};
use crate::compare_args::Condition;
use crate::explain_args::ExplainFormat;
use crate::fit;
use crate::report;
use crate::report_args::ReportFormat;
use crate::sweep_args::SweepFormat;
use crate::top_args::TopFormat;

/// Of several that hold the first is said.
pub const RULES: &[Unused] = &[
    Unused {
        options: &["by"],
        applies: |command| !matches!(command, Command::Explain(_)) && reads_recordings(command),
        why: "a recording has its series already; give it to import or record",
    },
    Unused {
        options: &["as", "columns", "unit", "time-unit", "temporality", "where", "zone"],
        applies: reads_recordings,
        why: "a recording has its series, units and times already; give it where the text is read, \
              to import or record, and choose series with --series",
    },
    Unused {
        options: &["interval"],
        applies: |command| !matches!(command, Command::Import(_)) && reads_recordings(command),
        why: "a recording has its intervals already; give it to import or record",
    },
    Unused {
        options: &["read-threads"],
        applies: reads_recordings_alone,
        why: "one thread reads a recording; leave it out",
    },
    Unused {
        options: &["idle"],
        applies: watches_no_oracle,
        why: "only Oracle databases count idle waits; leave it out",
    },
    Unused {
        options: &["as", "columns", "unit", "time-unit", "temporality", "zone"],
        applies: |command| has_scheme(command, &["probe:", "disk:"]),
        why: "probe: and disk: measure by themselves, and read no text; leave it out",
    },
    Unused {
        options: &[
            "as",
            "columns",
            "unit",
            "time-unit",
            "temporality",
            "by",
            "where",
            "zone",
            "strict",
        ],
        applies: |command| matches!(command, Command::Lab(args) if args.measured.is_empty()),
        why: "no input is read; name one with --measured",
    },
    Unused {
        options: &["as", "columns", "unit", "time-unit", "temporality", "by", "where", "zone"],
        applies: |command| matches!(command, Command::Lab(args) if args.name.as_deref() == Some("user-calls")),
        why: "the calls of a SQL trace are counted, whatever their times; leave it out",
    },
    Unused {
        options: &["rate", "block", "size", "write"],
        applies: |command| has_no_scheme(command, &["probe:"]),
        why: "only probe: makes operations of its own; to load a disk or a database use `isotherm \
              stress`",
    },
    Unused {
        options: &["top", "width"],
        applies: |command| matches!(command, Command::Top(args) if args.format == TopFormat::Json),
        why: "JSON has all rows, and no columns of characters; leave it out",
    },
    Unused {
        options: &["keep-command"],
        applies: |command| {
            !matches!(command, Command::Stress(_)) && has_no_scheme(command, &["cmd:"])
        },
        why: "only cmd: runs a command; leave it out",
    },
    Unused {
        options: &["series", "follow", "durable", "interval", "by", "where", "columns", "strict"],
        applies: |command| matches!(command, Command::Live(args) if args.events),
        why: "--events prints a list and ends; leave one of them out",
    },
    Unused {
        options: &["durable"],
        applies: |command| matches!(command, Command::Live(args) if args.record.is_none() && args.keep.is_none()),
        why: "nothing is recorded; add --record FILE.heat",
    },
    Unused {
        options: &["speed", "ui", "color", "ascii", "theme", "palette", "utc"],
        applies: |command| matches!(command, Command::Demo(args) if args.output.is_some() || args.report.is_some()),
        why: "nothing is shown where a file is written; leave it out",
    },
    Unused { options: &["force"], applies: writes_no_file, why: NO_FILE },
    Unused { options: &["max-size"], applies: writes_no_page, why: NO_PAGE },
    Unused {
        options: &["format", "describe", "map", "width", "height"],
        applies: |command| matches!(command, Command::Compare(args) if args.output.is_some()),
        why: "-o writes a file in the form that its ending says; leave one of them out",
    },
    Unused {
        options: &["map", "width", "height"],
        applies: |command| {
            matches!(command, Command::Compare(args)
                if args.describe || args.quiet || args.format == StatsFormat::Json)
        },
        why: "it is about the maps in the terminal; leave out --format json, --describe or -q",
    },
    Unused {
        options: &["pass-when-unsure"],
        applies: |command| {
            matches!(command, Command::Compare(args)
                if !args.fail_if.iter().any(|one| matches!(one, Condition::Factor(_))))
        },
        why: "only factors can be unsure because of chance; add one, such as --fail-if 'p99>1.2x'",
    },
    Unused {
        options: &["ascii", "theme", "palette"],
        applies: prints_for_programs,
        why: "it is about what a terminal shows; leave it out, or choose the form for people",
    },
    Unused {
        options: &["describe"],
        applies: |command| matches!(command, Command::Stats(args) if args.format == StatsFormat::Json),
        why: "the sentences are part of the JSON; leave it out",
    },
    Unused {
        options: &["device"],
        applies: |command| {
            matches!(command, Command::Stats(args)
                if args.format == StatsFormat::Table && !args.description.describe)
        },
        why: "the table says nothing of devices; add --describe or --format json",
    },
    Unused {
        options: &["zone"],
        applies: |command| {
            matches!(command, Command::Trace(args)
                if args.record.is_none() && !args.stretch.is_given())
        },
        why: "a profile has no times; add --from, --to or --record",
    },
    Unused {
        options: &["width"],
        applies: |command| matches!(command, Command::Trace(args) if args.format == StatsFormat::Json),
        why: "JSON has no lines to be broken; leave it out",
    },
    Unused {
        options: &["width"],
        applies: |command| match command {
            Command::Fit(args) => args.format == StatsFormat::Json || args.output.is_some(),
            _ => analyzes_as(command, |form| {
                matches!(form, AnalyzeFormat::Csv | AnalyzeFormat::Json | AnalyzeFormat::Html)
            }),
        },
        why: "only what is printed as text and a single picture have a width; leave it out",
    },
    Unused {
        options: &["with-columns"],
        applies: |command| reports_as(command, |form| form != ReportFormat::Json),
        why: "only JSON lists the columns; add --format json",
    },
    Unused {
        options: &["theme"],
        applies: |command| {
            reports_as(command, |form| !matches!(form, ReportFormat::Svg | ReportFormat::Png))
        },
        why: "only images have one background; a page follows its reader, so leave it out",
    },
    Unused {
        options: &["rows", "columns-of-time", "latency", "max-rate", "max-waiting", "image-width"],
        applies: |command| {
            reports_as(command, |form| !matches!(form, ReportFormat::Svg | ReportFormat::Png))
        },
        why: "only images are drawn with these axes and colours; write one with -o FILE.png or -o FILE.svg",
    },
    Unused {
        options: &["dots"],
        applies: |command| reports_as(command, |form| form != ReportFormat::Png),
        why: "only PNG has dots; write one with -o FILE.png",
    },
    Unused {
        options: &["rows", "columns-of-time", "latency", "max-rate", "max-waiting", "height"],
        applies: |command| matches!(command, Command::Show(args) if args.description.describe),
        why: "sentences have no axes; leave out --describe",
    },
    Unused {
        options: &["latency-limit"],
        applies: |command| matches!(command, Command::Analyze(args) if !analyze::reads_sweeps(args)),
        why: "AWR reports hold no percentiles of a load; --latency-limit is for sweeps",
    },
    Unused {
        options: &["from", "to"],
        applies: |command| matches!(command, Command::Analyze(args) if analyze::reads_sweeps(args)),
        why: "the points of a sweep differ in their load, not in their time; it chooses AWR reports by \
              their snapshots",
    },
    Unused {
        options: &["image-width"],
        applies: |command| analyzes_as(command, |form| form != AnalyzeFormat::Svg),
        why: "only a picture has a width in pixels; write one with -o FILE.svg",
    },
    Unused {
        options: &["height"],
        applies: |command| analyzes_as(command, |form| form != AnalyzeFormat::Table),
        why: "only the curve in text has a height; leave it out",
    },
    Unused {
        options: &["title"],
        applies: |command| {
            analyzes_as(command, |form| !matches!(form, AnalyzeFormat::Html | AnalyzeFormat::Md))
        },
        why: "only pages have a title; write one with -o FILE.html or -o FILE.md",
    },
    Unused {
        options: &["from", "to"],
        applies: |command| matches!(command, Command::Fit(args) if !fit::has_time(args)),
        why: "points of a sweep or a table have a load and no time; --loads chooses among them",
    },
    Unused {
        options: &["columns"],
        applies: |command| matches!(command, Command::Fit(args) if !fit::has_columns(args)),
        why: "a sweep and a recording have no columns to choose from; leave it out",
    },
    Unused {
        options: &["latency-limit", "loads", "series", "seed", "strict"],
        applies: |command| matches!(command, Command::Fit(args) if args.input.is_empty()),
        why: "one observation is solved by both forms of OraPub, nothing is fitted; name an input",
    },
    Unused {
        options: &["model", "service-time", "arrival", "servers", "at-load"],
        applies: |command| matches!(command, Command::Fit(args) if args.example.is_some()),
        why: "the example has its own change; use --point with numbers of yours",
    },
    Unused {
        options: &["utc"],
        applies: |command| matches!(command, Command::Mark(args) if args.at.is_none()),
        why: "it says how --at is read, and there is no --at; leave it out",
    },
];

const NO_FILE: &str = "no file is written that could exist already; name one";
const NO_PAGE: &str = "only a page in HTML is made to fit; name one that ends in .html";

fn writes_no_file(command: &Command) -> bool {
    match command {
        Command::Compare(args) => args.output.is_none(),
        Command::Analyze(args) => args.output.is_none(),
        Command::Fit(args) => args.output.is_none(),
        Command::Stress(args) => args.output.is_none(),
        Command::Export(args) => args.output.is_none(),
        Command::Calibrate(args) => args.output.is_empty(),
        Command::Demo(args) => args.report.is_none(),
        Command::Lab(args) => args.output.is_none(),
        _ => false,
    }
}

fn writes_no_page(command: &Command) -> bool {
    match command {
        Command::Compare(args) => !args.output.as_deref().is_some_and(is_page),
        Command::Report(_) => reports_as(command, |form| form != ReportFormat::Html),
        Command::Analyze(_) => analyzes_as(command, |form| form != AnalyzeFormat::Html),
        _ => false,
    }
}

fn is_page(output: &std::path::Path) -> bool {
    let is_other =
        |ending: &std::ffi::OsStr| ["md", "markdown", "xml"].iter().any(|one| ending == *one);
    !output.extension().is_some_and(is_other)
}

fn prints_for_programs(command: &Command) -> bool {
    match command {
        Command::Stats(args) => args.format == StatsFormat::Json,
        Command::Compare(args) => args.format == StatsFormat::Json || args.output.is_some(),
        Command::Explain(args) => args.format == ExplainFormat::Json,
        Command::Trace(args) => args.format == StatsFormat::Json,
        Command::Sweep(args) => args.format != SweepFormat::Table,
        Command::Fit(args) => args.format == StatsFormat::Json || args.output.is_some(),
        Command::Calibrate(args) => args.format == CalibrateFormat::Json,
        Command::Lab(args) => args.format == DocumentFormat::Json || args.list || args.explain,
        Command::Analyze(_) => analyzes_as(command, |form| {
            matches!(form, AnalyzeFormat::Csv | AnalyzeFormat::Json | AnalyzeFormat::Html)
        }),
        _ => false,
    }
}

/// Whether a report is written in a form of which this holds.
fn reports_as(command: &Command, holds: fn(ReportFormat) -> bool) -> bool {
    matches!(command, Command::Report(args) if report::form(args).is_ok_and(holds))
}

/// Whether an analysis is written in a form of which this holds.
fn analyzes_as(command: &Command, holds: fn(AnalyzeFormat) -> bool) -> bool {
    matches!(command, Command::Analyze(args) if args.form().is_ok_and(holds))
}

/// A use in which an option has no effect, one in which it has, and the option. `x.heat` is a
/// recording.
#[cfg(test)]
pub const EXAMPLES: &[(&str, &str)] = &[
    ("show x.heat --columns time,latency | show x.txt --columns time,latency", "columns"),
    ("stats x.heat --by event | stats x.heat x.trc --by event", "by"),
    ("show x.heat --by event | explain x.heat --by event", "by"),
    ("compare x.heat x.heat --unit ms | compare x.heat x.txt --unit ms", "unit"),
    ("import x.heat -o y.heat --as fio | import x.txt -o y.heat --as fio", "as"),
    ("report x.heat -i 1s | import x.heat -o y.heat -i 1s", "interval"),
    ("stats x.heat --read-threads 2 | stats x.heat x.heat --read-threads 2", "read-threads"),
    ("compare x.heat x.heat --read-threads 2 | show x.txt --read-threads 2", "read-threads"),
    ("live bpftrace:waits.bt --idle | live oracle://h/s --idle", "idle"),
    ("record disk: -o x --keep-command | record cmd:date -o x --keep-command", "keep-command"),
    ("record disk: -o x --idle | record cmd:date -o x --idle", "idle"),
    ("live disk: --columns latency | live - --columns latency", "columns"),
    ("record probe:. -o x --unit us | record cmd:date -o x --unit us", "unit"),
    ("lab buckets --unit us | lab buckets --measured x.txt --unit us", "unit"),
    ("lab locks --force | lab locks -o y.html --force", "force"),
    ("top oracle://h/s --once --format json --top 3 | top oracle://h/s --once --top 3", "top"),
    (
        "top oracle://h/s --once --io --format json --width 90 | top oracle://h/s --once --io --width 90",
        "width",
    ),
    ("lab locks --format json --ascii | lab locks --ascii", "ascii"),
    ("live disk: --rate 8 | live probe:. --rate 8", "rate"),
    ("serve x.heat --rate 5 | serve x.heat probe:. --rate 5", "rate"),
    ("push disk: --to h --block 4k | push probe:. --to h --block 4k", "block"),
    ("serve x.heat --unit us | serve x.heat cmd:date --unit us", "unit"),
    ("push x.heat --to h --columns latency | push - --to h --columns latency", "columns"),
    ("serve disk: probe:. --idle | serve disk: oracle://h/s --idle", "idle"),
    ("record - -o x --write | record probe:. -o x --write", "write"),
    ("live oracle://h/s --events --series a | live oracle://h/s --series a", "series"),
    ("live - --durable | live - --durable --record y.heat", "durable"),
    ("live - --durable | live - --durable --keep 1h", "durable"),
    ("demo -o y.heat --speed max | demo --speed max", "speed"),
    ("demo --report y.html --palette grey | demo --palette grey", "palette"),
    ("compare a b --force | compare a b -o y.html --force", "force"),
    ("analyze a.sweep --force | analyze a.sweep -o y.csv --force", "force"),
    ("export x.heat --format csv --force | export x.heat -o y.csv --force", "force"),
    ("compare a b --max-size 1M | compare a b -o y.html --max-size 1M", "max-size"),
    ("report a -o y.md --max-size 1M | report a --max-size 1M", "max-size"),
    ("analyze a.sweep --max-size 1M | analyze a.sweep -o y.html --max-size 1M", "max-size"),
    ("compare a b -o y.html --format json | compare a b --format json", "format"),
    ("compare a b -o y.html --describe | compare a b --describe", "describe"),
    ("compare a b --format json --map intensity | compare a b --map intensity", "map"),
    ("compare a b --describe --height 9 | compare a b --height 9", "height"),
    ("compare a b -q --height 9 | compare a b --height 9", "height"),
    ("compare a b -o y.md --max-size 1M | compare a b -o y.html --max-size 1M", "max-size"),
    (
        "compare a b --fail-if p99>1s --pass-when-unsure | compare a b --fail-if p99>2x --pass-when-unsure",
        "pass-when-unsure",
    ),
    ("stats a --format json --palette grey | stats a --palette grey", "palette"),
    ("analyze a.sweep --format csv --palette grey | analyze a.sweep --palette grey", "palette"),
    (
        "sweep sim: --vary in-flight=1 -o d --format csv --ascii | sweep sim: --vary in-flight=1 -o d --ascii",
        "ascii",
    ),
    ("explain a --format json --theme dark | explain a --theme dark", "theme"),
    ("trace a --format json --ascii | trace a --ascii", "ascii"),
    ("fit a.csv -o y.html --ascii | fit a.csv --ascii", "ascii"),
    ("stats a --format json --describe | stats a --describe", "describe"),
    ("stats a --device ssd | stats a --device ssd --format json", "device"),
    ("stats a --device ssd | stats a --device ssd --describe", "device"),
    ("trace a --zone Asia/Tokyo | trace a --zone Asia/Tokyo --from 9:00", "zone"),
    ("trace a --format json --width 80 | trace a --width 80", "width"),
    ("fit a.csv -o y.html --width 80 | fit a.csv --width 80", "width"),
    ("analyze a.sweep --format csv --width 80 | analyze a.sweep -o y.md --width 80", "width"),
    ("analyze a.sweep --image-width 80 | analyze a.sweep -o y.svg --image-width 80", "image-width"),
    ("report a --with-columns | report a --format json --with-columns", "with-columns"),
    ("report a --theme dark | report a -o y.png --theme dark", "theme"),
    ("report a --rows 10 | report a -o y.svg --rows 10", "rows"),
    ("report a --format json --max-rate 10 | report a -o y.png --max-rate 10", "max-rate"),
    ("report a -o y.svg --dots 2 | report a -o y.png --dots 2", "dots"),
    ("show a --describe --rows 10 | show a --rows 10", "rows"),
    ("show a --describe --height 10 | show a --height 10", "height"),
    (
        "analyze a.html --latency-limit p99<5ms | analyze a.jsonl --latency-limit p99<5ms",
        "latency-limit",
    ),
    ("analyze a.jsonl --from 1h | analyze a.html --from 1h", "from"),
    ("analyze a.jsonl --format svg --height 20 | analyze a.jsonl --height 20", "height"),
    ("analyze a.jsonl --title t | analyze a.jsonl --format html --title t", "title"),
    ("fit a.csv --to 1h | fit x.heat --to 1h", "to"),
    ("fit x.heat --columns n=N | fit a.csv --columns n=N", "columns"),
    ("fit --example commit-batch --model usl | fit a.csv --model usl", "model"),
    ("fit --example commit-batch --servers +1 | fit a.csv --servers +1", "servers"),
    (
        "fit --example commit-batch --at-load 9 | fit --point rate=5,service=1ms,queue=1ms --at-load 9",
        "at-load",
    ),
    ("lab user-calls --measured a.trc --unit us | lab averages --measured a.trc --unit us", "unit"),
    ("mark x.heat t --utc | mark x.heat t --utc --at 5m", "utc"),
];
