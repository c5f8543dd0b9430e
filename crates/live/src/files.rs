//! What files and recordings say about themselves, beside the decoders of what is in them.

use isotherm_formats::{Counting, Meta, Need};

/// What is named by a path.
pub(crate) static FILES: &[&Meta] = &[&INPUT, &RECORDING];

static INPUT: Meta = Meta {
    name: "input",
    address: "FILE or -",
    about: "A file, a pipe or standard input in any of the formats that isotherm reads, recognised \
            by its content",
    needs: &[Need {
        what: "the format or the columns, if isotherm does not recognise the content",
        how: "--as NAME, or --columns NAME,... --unit UNIT",
    }],
    command: "tool-that-prints-latencies | isotherm live -",
    overhead: "None on the measured machine. If isotherm reads a pipe more slowly than its writer \
               writes, the writer waits.",
    loses: "Whatever the format cannot show. A pipe is decoded as it is written, and prints \
            without a timestamp get the time at which they arrive. A file is read as fast as \
            possible, and prints without a timestamp are placed one interval after the other.",
    counting: Counting::Varies(
        "As the page of the recognised format says: totals, increments or single events, and \
        what resets them.",
    ),
    exact_time: false,
    example: "\
$ isotherm stats saved.txt
isotherm: the input has no times: one print per interval is assumed (--interval)
isotherm: counts never fell from print to print: read as totals since the start (--temporality \
delta if each print is one interval)
series  events  ev/s    waited  waiting     mean       p50       p90       p99       p99.9         max
@usecs     881   294  ≈0.0838s  ≈0.0279  ≈95.1µs  64–128µs  64–128µs  64–128µs  2.05–4.1ms  2.05–4.1ms

input  4 records  881 events  0 rejected  0 lost  0 resets  0 gaps  1 other line  3s, intervals assumed
",
    interpretation: "isotherm recognised the file as output of bpftrace and first reports its \
                     assumptions. The first of the four prints is the baseline, so there are three \
                     intervals, with 881 reads. Percentiles are ranges because only the buckets \
                     are known.",
};

static RECORDING: Meta = Meta {
    name: "recording",
    address: "FILE.heat",
    about: "A recording by isotherm record or isotherm live --record, to be replayed, summarised \
            or exported",
    needs: &[],
    command: "isotherm record probe:. -o run.heat --for 10m",
    overhead: "None on the measured machine. The recording below takes 52 KiB.",
    loses: "Single latencies: a recording holds the counts of each interval. Everything else is as \
            the source reported it, including exact times.",
    counting: Counting::Intervals(
        "within one interval of the recording: what the source counted was subtracted when it \
        was recorded",
    ),
    exact_time: false,
    example: "\
$ isotherm record probe:. -o run.heat --for 10s
isotherm: stopped; 641 events in 11 frames in run.heat
$ isotherm stats run.heat
series                            events  ev/s  waited  waiting   mean        p50        p90        \
p99      p99.9        max
probe{direct=yes,op=read,path=.}     641  64.1  0.113s   0.0113  177µs  164–180µs  213–229µs  \
262–295µs  852–918µs  852–918µs

input  641 records  641 events  0 rejected  0 lost  0 resets  0 gaps  2026-11-21 09:21:25–\
09:21:35 UTC, 10s
",
    interpretation: "In ten seconds the probe timed 641 reads; half of them took at most 0.18 ms, \
                     and one in a thousand took 0.9 ms. The mean has no ≈ because the probe's \
                     times are exact.",
};
