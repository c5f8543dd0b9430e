//! Latency histograms of ZFS, as `zpool iostat -w` prints them.

mod block;
mod per_second;
mod pools;

use std::io::BufRead;

use isotherm_frame::Place;

use self::block::{Block, Columns, OTHERS, WAITS};
use self::per_second::PerSecond;
use self::pools::{Pools, Role};
use crate::grouping::Grouping;
use crate::lines::first_lines;
use crate::prints::Prints;
use crate::sink::reject;
use crate::stamp::StampReader;
use crate::{
    Context, Counting, DecodeError, Line, LineReader, Meta, Need, Note, ReadingOption, Sink, Source,
    Verdict,
};

/// Reads what `zpool iostat -w` prints.
pub(crate) struct Zpool;

pub(crate) static SOURCE: Zpool = Zpool;

static META: Meta = Meta {
    name: "zpool",
    address: "FILE or -",
    about: "ZFS: latency histograms of pools and their devices, as zpool iostat -w prints them, \
        once or repeatedly; with -p, and with or without -H and -v",
    needs: &[
        Need { what: "OpenZFS 0.7 or later, or FreeBSD 13 or later", how: "zpool iostat -wp POOL" },
        Need {
            what: "exact counts (counts with a K or M are rounded, and are rejected)",
            how: "zpool iostat -p",
        },
        Need {
            what: "totals, printed repeatedly",
            how: "a loop, without an interval argument to zpool: with an interval it prints counts \
                  per second",
        },
    ],
    command: "while sleep 5; do date +%s; zpool iostat -wpH tank; done | isotherm live -",
    overhead: "Not measured. ZFS keeps the counts in any case, and zpool reads them once for each \
               print.",
    loses: "The exact latency within a bucket: bucket bounds are powers of two of nanoseconds, and \
        the printed 1us means at most 1,023 ns. The exact total time. Counts are totals since the \
        pool was imported (export and import reset them, and so does a reboot); a single print is \
        one interval of unknown length. With an interval argument (zpool iostat -w 5), ZFS first \
        prints these totals, which are left out, and then counts per second, cut to whole numbers. \
        Then rates below one a second are lost, and counts are estimates: the printed rate times \
        the length of the interval, from the printed timestamps (-T u) or else --interval. \
        isotherm recognises counts per second because they fall from the first print to the second \
        (--temporality overrides this). With -y there are no totals: --temporality delta keeps the \
        first print. With -v a request is counted in its pool and in its devices: tables that add \
        up to the one before them are its devices and are left out, unless --where vdev=NAME asks \
        for one. zpool does not print which of them is a pool: if nothing adds up in a print, all \
        are read as pools. If two pools have a device of the same name and --where asks for it, \
        the second one is rejected: -g prints GUIDs instead of names.",
    counting: Counting::Varies(
        "Without an interval argument the counts are totals, reset by export and import of the \
        pool and by a reboot. With one they are counts per second, which nothing resets.",
    ),
    exact_time: false,
    example: "\
tank        total_wait     disk_wait    syncq_wait    asyncq_wait
latency      read  write   read  write   read  write   read  write  scrub   trim  rebuild
----------  -----  -----  -----  -----  -----  -----  -----  -----  -----  -----  -----
262us          41    102     41     98     39     12      0     60      0      0      0
",
    interpretation: "One of 37 rows. 41 reads took 131,072 to 262,143 nanoseconds in all \
        (total_wait), 41 reads took that time on the disk (disk_wait), and 39 synchronous reads \
        waited that long in their queue. Each request is counted in several of these columns. \
        isotherm reads total_wait, which includes the others; --where wait=disk_wait chooses \
        another column. With -v the pool is read: \
        --where vdev=sda reads a device.",
};

/// Why a table is of no use that has the name of another.
const TWICE: &str = "two devices of one name in one print: zpool iostat -g distinguishes them";

/// What tells columns apart.
const ATTRIBUTES: [&str; 3] = ["wait", "vdev", "op"];

struct Reader<'c> {
    prints: Prints<'c>,
    grouping: Grouping,
    /// What is waited for in the columns that are read.
    wait: &'static str,
    per_second: PerSecond,
    stamps: StampReader,
    /// The last line that is none of a table: with -H it is the name of what follows.
    text: String,
    /// What the first line of a header names: the pool or device, and what is waited for.
    heads: Option<(String, Vec<String>)>,
    open: Option<Block>,
    /// The pools and devices of this print, in order.
    names: Vec<String>,
    /// Tells pools from devices; `None` if the user chooses among all of them.
    pools: Option<Pools>,
}

impl Source for Zpool {
    fn meta(&self) -> &'static Meta {
        &META
    }

    fn sniff(&self, head: &[u8]) -> Verdict {
        let mut last_is_first_row = false;
        for line in first_lines(head) {
            let line = String::from_utf8_lossy(line);
            let is_second_row = line.starts_with("3\t") && last_is_first_row;
            if is_second_row || block::heads(&line).is_some() {
                return Verdict::Yes;
            }
            last_is_first_row = line.starts_with("1\t") && Columns::unnamed(&line).is_some();
        }
        Verdict::No
    }

    fn looks_at_attributes(&self) -> bool {
        true
    }

    fn tells_apart(&self) -> bool {
        false
    }

    fn ignores(&self) -> &'static [ReadingOption] {
        &[ReadingOption::Unit]
    }

    fn decode(
        &self,
        input: &mut (dyn BufRead + Send),
        context: &Context,
        sink: &mut dyn Sink,
    ) -> Result<(), DecodeError> {
        let waits: Vec<&'static str> = WAITS.into_iter().chain(OTHERS).collect();
        let asked = Grouping::new(context, "", &ATTRIBUTES, &[]);
        let chosen = asked.choice(ATTRIBUTES[0], &waits)?;
        let wait = chosen.unwrap_or(WAITS[0]);
        let mut reader = Reader {
            grouping: Grouping::new(context, wait, &ATTRIBUTES, &ATTRIBUTES[1..]),
            wait,
            prints: Prints::after_totals(context),
            per_second: PerSecond::new(context),
            stamps: StampReader::new(context),
            text: String::new(),
            heads: None,
            open: None,
            names: Vec::new(),
            pools: (!asked.asks_for(ATTRIBUTES[1])).then(Pools::default),
        };
        let mut lines = LineReader::new(input);
        while let Some(line) = lines.next_line()? {
            reader.line(line, sink);
        }
        reader.give(sink);
        reader.settle(sink);
        reader.unnamed(sink);
        reader.grouping.finish(sink);
        reader.say_pools(sink);
        let Reader { prints, mut per_second, .. } = reader;
        prints.finish(&mut per_second.on(sink));
        per_second.finish(sink);
        Ok(())
    }
}

impl Reader<'_> {
    fn line(&mut self, line: Line<'_>, sink: &mut dyn Sink) {
        let text = line.text();
        let text = text.trim_end();
        if text.is_empty() || text.starts_with("----") {
            return;
        }
        if let Some(heads) = block::heads(text) {
            self.give(sink);
            self.heads = Some(heads);
        } else if let Some((name, heads)) = self.heads.take() {
            match Columns::named(text, &heads) {
                Some(columns) => self.open = Some(self.block(line.place, &name, columns)),
                None => reject(sink, line.place, "not a header of zpool iostat -w", 0),
            }
        } else if let Some(open) = self.open.as_mut().filter(|_| block::is_row(text)) {
            open.take(text, line.ended);
            if open.is_complete() {
                self.give(sink);
            }
        } else {
            self.outside(line, text, sink);
        }
    }

    /// A line that is none of an open table.
    fn outside(&mut self, line: Line<'_>, text: &str, sink: &mut dyn Sink) {
        self.give(sink);
        if let Some(columns) = Columns::unnamed(text).filter(|_| text.starts_with("1\t")) {
            let name = std::mem::take(&mut self.text);
            let mut open = self.block(line.place, &name, columns);
            open.take(text, line.ended);
            self.open = Some(open);
        } else if let Some(stamp) = self.stamps.stamp_or_date(text, sink) {
            self.settle(sink);
            self.names.clear();
            self.prints.begin(stamp, &mut self.per_second.on(sink));
        } else {
            self.unnamed(sink);
            text.clone_into(&mut self.text);
        }
    }

    /// The table of a pool or device.
    fn block(&mut self, place: Place, name: &str, columns: Columns) -> Block {
        let (grouping, chosen) = (&mut self.grouping, self.wait);
        Block::new(place, name, columns, &mut |values| {
            // The parts of a request count it once more.
            (values[0] == chosen).then(|| grouping.series(&values.map(str::as_bytes))).flatten()
        })
    }

    /// What may have been the name of a table was none.
    fn unnamed(&mut self, sink: &mut dyn Sink) {
        if !std::mem::take(&mut self.text).is_empty() {
            sink.note(Note::Ignored);
        }
    }

    /// Whether no table of this print has the name. Each print begins with the same one.
    fn is_first_of_its_name(&mut self, name: &str, sink: &mut dyn Sink) -> bool {
        if self.names.first().is_some_and(|first| first == name) {
            self.settle(sink);
            self.names.clear();
        }
        let is_first = !self.names.iter().any(|known| known == name);
        self.names.push(name.to_owned());
        is_first
    }

    /// Tells the table that is complete, or cut.
    fn give(&mut self, sink: &mut dyn Sink) {
        let Some(open) = self.open.take() else { return };
        let name = open.name().to_owned();
        let is_first = self.is_first_of_its_name(&name, sink);
        let twice = (!is_first).then(|| (open.place(), open.events()));
        if let (Some((place, events)), None) = (twice, &self.pools) {
            return reject(sink, place, TWICE, events);
        }
        let mut sink = self.per_second.on(sink);
        match open.histograms() {
            Ok(histograms) => {
                let histograms = match &mut self.pools {
                    Some(pools) => pools.take(&name, histograms, twice),
                    None => histograms,
                };
                for (series, histogram) in histograms {
                    self.prints.histogram(&series, histogram, &mut sink);
                }
            }
            Err(damaged) => {
                reject(&mut sink, damaged.place, damaged.reason, damaged.events);
                let pools = self.pools.as_mut();
                let role = pools.and_then(|pools| { pools.damaged(); pools.role(&name) });
                for series in damaged.series.iter().filter(|_| role != Some(Role::Device)) {
                    self.prints.damaged(series, &mut sink);
                }
            }
        }
    }

    /// The print is complete: tells what had to wait for that.
    fn settle(&mut self, sink: &mut dyn Sink) {
        let Some(pools) = &mut self.pools else { return };
        let mut sink = self.per_second.on(sink);
        for settled in pools.settle() {
            if let Some((place, events)) = settled.twice {
                reject(&mut sink, place, TWICE, events);
                continue;
            }
            for (series, histogram) in settled.histograms {
                match settled.role {
                    Role::Pool => self.prints.histogram(&series, histogram, &mut sink),
                    Role::Unknown if !histogram.is_empty() => {
                        self.prints.damaged(&series, &mut sink);
                    }
                    Role::Unknown | Role::Device => {}
                }
            }
        }
    }

    /// Which tables were left out, and which may be counted twice.
    fn say_pools(&self, sink: &mut dyn Sink) {
        let Some((left_out, several)) = self.pools.as_ref().map(Pools::words) else { return };
        if let Some(words) = left_out {
            sink.note(Note::Assumed(words.into()));
        }
        if let Some(words) = several {
            sink.note(Note::Said(words.into()));
        }
    }
}
