//! What a part of a trace says, kept to be reported in its turn.

use isotherm_oracle::trace::{Damage, Names, Notice, Visitor, Wait, Wants};

use super::choice::Fate;
use super::reader::Reader;

/// The records of a part of a trace whose waits are told apart by their events alone.
pub(super) struct Records {
    events: Names,
    records: Vec<Record>,
}

enum Record {
    /// A wait: the number of its event, how long, and when it ended.
    Wait { event: u32, ela: u64, tim: u64 },
    /// A wait that does not say when it ended.
    TimelessWait { event: u32, ela: u64 },
    /// The time of another record.
    Tim(u64),
    Rare(Box<Rare>),
}

/// What there is little of.
enum Rare {
    Stamp(Vec<u8>),
    Label(Vec<u8>, Vec<u8>),
    Header(Vec<u8>, Vec<u8>),
    ContinuedFrom(Vec<u8>),
    Recreated,
    SizeLimited,
    Damage(Damage),
}

impl Records {
    pub(super) fn new() -> Records {
        // No more than lines in a part of a trace.
        Records { events: Names::new(usize::MAX), records: Vec::new() }
    }

    /// Tells the records to `reader`; lines count from the one after `lines`.
    pub(super) fn tell(&self, reader: &mut Reader<'_>, lines: u64) {
        let names: Vec<&[u8]> = self.events.iter().collect();
        let mut fates: Vec<Option<Fate>> = vec![None; names.len()];
        let mut fate_of = |reader: &mut Reader<'_>, event: u32| {
            let event = event as usize;
            let known = fates.get(event).copied().flatten();
            known.unwrap_or_else(|| {
                let fate = reader.fate(&named(names.get(event).copied().unwrap_or_default()));
                if let Some(known) = fates.get_mut(event) {
                    *known = Some(fate);
                }
                fate
            })
        };
        for record in &self.records {
            match record {
                Record::Wait { event, ela, tim } => {
                    let fate = fate_of(reader, *event);
                    reader.waited(fate, *ela, Some(*tim));
                }
                Record::TimelessWait { event, ela } => {
                    let fate = fate_of(reader, *event);
                    reader.waited(fate, *ela, None);
                }
                Record::Tim(tim) => reader.tim(Some(*tim)),
                Record::Rare(rare) => rare.tell(reader, lines),
            }
        }
    }

    fn rare(&mut self, rare: Rare) {
        self.records.push(Record::Rare(Box::new(rare)));
    }
}

/// A wait of which nothing but the event matters.
fn named(event: &[u8]) -> Wait<'_> {
    Wait { cursor: 0, event, ela: 0, parameters: b"", tim: None }
}

impl Rare {
    fn tell(&self, reader: &mut Reader<'_>, lines: u64) {
        match self {
            Rare::Stamp(stamp) => reader.stamp(stamp),
            Rare::Label(label, value) => reader.label(label, value),
            Rare::Header(key, value) => reader.header(key, value),
            Rare::ContinuedFrom(path) => reader.notice(Notice::ContinuedFrom(path)),
            Rare::Recreated => reader.notice(Notice::Recreated),
            Rare::SizeLimited => reader.notice(Notice::SizeLimited),
            Rare::Damage(damage) => reader.damage(Damage { line: damage.line + lines, ..*damage }),
        }
    }
}

impl Visitor for Records {
    const WANTS: Wants = Wants::ALL_BUT_STATS;

    #[inline]
    fn wait(&mut self, wait: &Wait<'_>) {
        let event = self.events.number(wait.event).and_then(|number| u32::try_from(number).ok());
        let (event, ela) = (event.unwrap_or(u32::MAX), wait.ela);
        self.records.push(match wait.tim {
            Some(tim) => Record::Wait { event, ela, tim },
            None => Record::TimelessWait { event, ela },
        });
    }

    fn tim(&mut self, tim: Option<u64>) {
        self.records.extend(tim.map(Record::Tim));
    }

    fn stamp(&mut self, stamp: &[u8]) {
        self.rare(Rare::Stamp(stamp.to_vec()));
    }

    fn label(&mut self, label: &[u8], value: &[u8]) {
        self.rare(Rare::Label(label.to_vec(), value.to_vec()));
    }

    fn header(&mut self, key: &[u8], value: &[u8]) {
        self.rare(Rare::Header(key.to_vec(), value.to_vec()));
    }

    fn notice(&mut self, notice: Notice<'_>) {
        self.rare(match notice {
            Notice::ContinuedFrom(path) => Rare::ContinuedFrom(path.to_vec()),
            Notice::Recreated => Rare::Recreated,
            Notice::SizeLimited => Rare::SizeLimited,
        });
    }

    fn damage(&mut self, damage: Damage) {
        self.rare(Rare::Damage(damage));
    }
}
