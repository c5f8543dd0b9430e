//! What a model shows, in sentences.

use isotherm_frame::numbers::{grouped, quantity, waited};
use isotherm_frame::percent;
use schemars::JsonSchema;
use serde::Serialize;

use super::contention::{BETWEEN_NS, Contention, HELD_NS, HELD_PER_HEADER_NS};
use super::settings::AccessPattern;
use super::{BufferHeader, BufferList, CacheModel};

/// Whether sessions wait for latches, and what would help.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ModelVerdict {
    /// Sessions wait for latches less than one hundredth of their time.
    NoContention,
    /// More latches would halve the waiting.
    FewLatches,
    /// More chains would halve the waiting.
    LongChains,
    /// Neither would: the references go to a few blocks.
    HotBlocks,
}

/// Less waiting than this share of the time of sessions is none to speak of.
const NOTABLE: f64 = 0.01;

impl CacheModel {
    /// Whether sessions wait for latches, and what would help.
    pub fn verdict(&self) -> ModelVerdict {
        let wait = |one: &Contention| one.mean_wait_ns;
        let Some(own) = self.own_contention().filter(|own| own.session_share >= NOTABLE) else {
            return ModelVerdict::NoContention;
        };
        let helps =
            |other: Option<&Contention>| other.is_some_and(|other| wait(other) < wait(own) / 2.0);
        if helps(self.more_latches()) {
            ModelVerdict::FewLatches
        } else if helps(self.more_chains()) {
            ModelVerdict::LongChains
        } else {
            ModelVerdict::HotBlocks
        }
    }

    /// The next larger number of latches with the same chains.
    fn more_latches(&self) -> Option<&Contention> {
        let (chains, latches) = (self.settings.chains, self.settings.latches);
        self.contention.iter().find(|one| one.chains == chains && one.latches > latches)
    }

    /// The next larger number of chains with the same latches.
    fn more_chains(&self) -> Option<&Contention> {
        let (chains, latches) = (self.settings.chains, self.settings.latches);
        self.contention.iter().find(|one| one.chains > chains && one.latches == latches)
    }

    /// The verdict first, then what the cache held, then what was assumed.
    pub fn sentences(&self) -> Vec<String> {
        let mut sentences = self.contention_in_words();
        sentences.push(self.hits_in_words());
        sentences.extend(self.lists_in_words());
        sentences.push(format!(
            "Assumed, not measured: a latch is held for {} and {} more for each header that is looked \
             at; a session does something else for {} on average between two latches; 100 references a \
             second of the model's clock.",
            ns(HELD_NS as f64),
            ns(HELD_PER_HEADER_NS as f64),
            ns(BETWEEN_NS as f64)
        ));
        sentences
    }

    fn contention_in_words(&self) -> Vec<String> {
        let Some(own) = self.own_contention() else { return Vec::new() };
        let share = |one: &Contention| percent(one.session_share);
        let other = |one: &Contention, what: &str| format!("With {what} it is {}.", share(one));
        let latches = self.more_latches().map(|one| other(one, &latches(one.latches)));
        let chains = self.more_chains().map(|one| other(one, &chains(one.chains)));
        let now = format!(
            "sessions wait for latches {} of their time ({} sessions, {}, {}).",
            share(own),
            self.settings.sessions,
            self::chains(own.chains),
            self::latches(own.latches)
        );
        let busiest = format!(
            "{} of latch gets wait, {} on average of all gets. The busiest latch has {} of all gets and is \
             held {} of the time.",
            percent(own.waiting_share),
            ns(own.mean_wait_ns),
            percent(own.busiest_share),
            percent(own.busiest_held)
        );
        let verdict = match self.verdict() {
            ModelVerdict::NoContention => format!("No contention: {now}"),
            ModelVerdict::FewLatches => {
                format!("Too few latches: {now} {}", latches.unwrap_or_default())
            }
            ModelVerdict::LongChains => {
                format!("Chains are too long: {now} {}", chains.unwrap_or_default())
            }
            ModelVerdict::HotBlocks => {
                let others: Vec<String> = latches.into_iter().chain(chains).collect();
                format!(
                    "Hot blocks: {now} {} Fewer references to the hottest blocks would help.",
                    others.join(" ")
                )
            }
        };
        vec![verdict, busiest]
    }

    fn hits_in_words(&self) -> String {
        let pattern = match self.settings.pattern {
            AccessPattern::Hot => "hot blocks",
            AccessPattern::Scan => "full scans",
            AccessPattern::Random => "random blocks",
            AccessPattern::Mixed => "hot blocks, scans and random blocks",
            AccessPattern::Trace => "the blocks of the trace",
        };
        format!(
            "{} of {} references to {pattern} found their block among {} buffers for {} blocks.",
            percent(self.hit_ratio()),
            grouped(self.counts.references),
            grouped(u64::from(self.settings.buffers)),
            grouped(u64::from(self.settings.blocks))
        )
    }

    fn lists_in_words(&self) -> Vec<String> {
        let Some(last) = self.last() else { return Vec::new() };
        let lengths: Vec<usize> = last.chains.iter().map(Vec::len).collect();
        let used: Vec<&BufferHeader> =
            last.headers.iter().filter(|header| header.block.is_some()).collect();
        let of_used = |holds: &dyn Fn(&BufferHeader) -> bool| {
            let count = used.iter().filter(|header| holds(header)).count();
            percent(count as f64 / used.len().max(1) as f64)
        };
        let counts = &self.counts;
        vec![
            format!(
                "At the end {} of the buffers are dirty, {} are clones, {} are on the write list; {} are \
                 in the hot half of the LRU list.",
                of_used(&|header| header.is_dirty),
                of_used(&|header| header.is_clone),
                of_used(&|header| header.list == BufferList::Write),
                of_used(&|header| header.list == BufferList::Hot)
            ),
            format!(
                "A chain has {} headers on average and {} at most; a reference looked at {} of them.",
                quantity(used.len() as f64 / lengths.len().max(1) as f64),
                lengths.iter().max().copied().unwrap_or(0),
                quantity(counts.examined as f64 / counts.references.max(1) as f64)
            ),
            format!(
                "{} buffers were written, {} moved to the hot end, {} clones made; {} references found \
                 no clean buffer until others were written.",
                grouped(counts.written),
                grouped(counts.promoted),
                grouped(counts.clones),
                grouped(counts.free_waits)
            ),
        ]
    }
}

fn latches(count: u32) -> String {
    if count == 1 { "1 latch".to_owned() } else { format!("{} latches", grouped(count.into())) }
}

fn chains(count: u32) -> String {
    if count == 1 { "1 chain".to_owned() } else { format!("{} chains", grouped(count.into())) }
}

fn ns(ns: f64) -> String {
    waited(ns / 1e9)
}
