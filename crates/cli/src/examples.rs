//! What stands below the help of commands: how they are used.

/// Below the help of `demo`.
pub const DEMO: &str = "Examples:
  isotherm demo                                 five minutes in half a minute, explained
  isotherm demo --speed 3                       with more time to read
  isotherm demo --ui stream | less -R           one line for each second
  isotherm demo --report demo.html              the report of the story
  isotherm demo -o demo.heat                    a recording to try every other command on
  isotherm stats demo.heat --describe

Three disks and the commits of a database, simulated: nothing is measured. The numbers are drawn
from a fixed seed and are the same on every machine.";

/// Below the help of `live`.
pub const LIVE: &str = "Examples:
  isotherm live probe:.                         probe the disk under this directory
  isotherm live disk:vda --record run.heat      watch a disk through bpftrace and record it
  isotherm live cmd:'biolatency 1' --ui stream  one line per interval, for logs
  tail -f app.log | isotherm live - --columns time,latency,endpoint --unit ms
  isotherm live latencies.log --follow          a file that another program writes
  isotherm live probe:. --table                 every bucket as a table, as ehm.sql prints them

On a terminal both maps are drawn and keys are listed under ?; anywhere else one line is printed
for each interval. Ctrl-C ends it and finishes the recording.";

/// Below the help of `record`.
pub const RECORD: &str = "Examples:
  isotherm record probe:/data -o run.heat --for 10m
  isotherm record disk: -o run.heat --durable";

/// Below the help of `replay`.
pub const REPLAY: &str = "Examples:
  isotherm replay run.heat                      at the speed it happened
  isotherm replay run.heat --speed 10
  isotherm replay run.heat --speed max --from 10m --to 12m --ui stream";

/// Below the help of `show`.
pub const SHOW: &str = "Examples:
  isotherm show run.heat
  isotherm show latencies.txt --columns time,latency --unit us
  isotherm show biolatency.txt --width 120
  isotherm show monday.gz tuesday.gz            several inputs, compressed or not
  isotherm show traces/                         every file of a directory that can be read";

/// Below the help of `stats`.
pub const STATS: &str = "Examples:
  isotherm stats run.heat
  isotherm stats run.heat --describe             what there is to see, in words
  isotherm stats disk.heat --describe --device hdd
  isotherm stats run.heat --format json
  isotherm stats run.heat --series read --fail-if 'p99>20ms'

Percentiles are ranges as wide as the source's buckets. --fail-if exits with 99 when the condition
holds for any series, when the buckets are too coarse to rule it out, or when there is no event.";

/// Below the help of `mark`.
pub const MARK: &str = "Examples:\n  isotherm mark run.heat \"deploy v2\"\n  isotherm mark run.heat \"backup\" --at 2026-11-21T02:00:00Z";

/// Below the help of `export`.
pub const EXPORT: &str = "Examples:\n  isotherm export run.heat --format csv > run.csv\n  isotherm export run.heat --from 05:11 --to 05:12 -o run.jsonl\n  isotherm export run.heat --format pylatencymap | latencymap";

/// Below the help of `import`.
pub const IMPORT: &str = "Examples:\n  isotherm import run.jsonl -o run.heat\n  isotherm import biolatency.txt -o run.heat\n  isotherm import day.log -o incident.heat --from 09:00 --to 09:30";

/// Below the help of `merge`.
pub const MERGE: &str = "Examples:\n  isotherm merge host1.heat host2.heat -o all.heat\n  isotherm frames traces/ | isotherm merge - -o day.heat\n  isotherm merge spark-output/ -o day.heat";

/// Below the help of `frames`.
pub const FRAMES: &str = "Examples:\n  isotherm frames traces/ -j 4 -o day.csv\n  isotherm frames day.trc@..40G -o 1.csv\n  isotherm frames app.log -i 10s --by path | gzip > app.csv.gz\n  duckdb -c \"select series, sum(count) from 'day.csv' group by series\"";

/// Below the help of `bpftrace`.
pub const BPFTRACE: &str = "Examples:
  isotherm bpftrace list
  isotherm bpftrace oracle-waits --pid $(pgrep -f ora_lgwr) > waits.bt
  sudo isotherm live bpftrace:waits.bt
  isotherm bpftrace pg-path > path.bt";

/// Below the help of `completions`.
pub const COMPLETIONS: &str = "Examples:
  isotherm completions bash > ~/.local/share/bash-completion/completions/isotherm
  isotherm completions zsh > ~/.zfunc/_isotherm";
