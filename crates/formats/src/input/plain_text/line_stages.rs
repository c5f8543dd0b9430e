//! What is taken away from a text line by line.

use super::stage::{Margin, Stage};

/// Takes away what each line begins with.
pub(super) struct Margins {
    margin: Margin,
    /// The beginning of a line, up to where its margin is known.
    line: Vec<u8>,
    /// Whether the margin of the line is behind.
    within: bool,
}

impl Margins {
    /// A margin is shorter.
    const LONGEST: usize = 256;

    pub(super) fn new(margin: &Margin) -> Margins {
        Margins { margin: margin.clone(), line: Vec::new(), within: false }
    }

    /// The rest of the beginning of a line, without its margin.
    fn give(&mut self, into: &mut Vec<u8>) {
        let line = self.line.as_slice();
        let skipped = match &self.margin {
            Margin::Blanks(blanks) => {
                line.iter().zip(blanks).take_while(|(one, other)| one == other).count()
            }
            Margin::Quoted(depth) => {
                let mut skipped = 0;
                for _ in 0..*depth {
                    let rest = &line[skipped..];
                    let blanks = rest.len() - rest.trim_ascii_start().len();
                    skipped += match &rest[blanks..] {
                        [b'>', b' ', ..] => blanks + 2,
                        [b'>', ..] => blanks + 1,
                        _ => 0,
                    };
                }
                skipped
            }
        };
        into.extend_from_slice(&line[skipped..]);
        self.line.clear();
        self.within = true;
    }
}

impl Stage for Margins {
    fn pass(&mut self, bytes: &[u8], into: &mut Vec<u8>) {
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            let ends = part.ends_with(b"\n");
            if self.within {
                into.extend_from_slice(part);
            } else {
                self.line.extend_from_slice(part);
                if ends || self.line.len() >= Margins::LONGEST {
                    self.give(into);
                }
            }
            self.within &= !ends;
        }
    }

    fn end(&mut self, into: &mut Vec<u8>) {
        self.give(into);
    }
}

/// Joins the lines of a quoted cell. As many empty lines follow as were joined, so that the numbers of
/// the lines behind stay what they are.
#[derive(Default)]
pub(super) struct QuotedLineEnds {
    /// A record that may go on on the next line.
    record: Vec<u8>,
    quoted: bool,
    /// Line ends within quotation marks, by where in the record they are.
    joined: Vec<usize>,
    /// A quotation mark that nothing closes: the rest is read as lines.
    given_up: bool,
}

impl QuotedLineEnds {
    /// Longer than any statement in a table: the mark is no quotation.
    const LONGEST: usize = 256 << 10;

    fn give(&mut self, into: &mut Vec<u8>) {
        into.append(&mut self.record);
        into.extend(std::iter::repeat_n(b'\n', self.joined.len()));
        self.joined.clear();
    }

    fn give_up(&mut self, into: &mut Vec<u8>) {
        for at in self.joined.drain(..) {
            self.record[at] = b'\n';
        }
        into.append(&mut self.record);
        self.given_up = true;
    }
}

impl Stage for QuotedLineEnds {
    fn pass(&mut self, bytes: &[u8], into: &mut Vec<u8>) {
        for (at, byte) in bytes.iter().enumerate() {
            if self.given_up {
                into.extend_from_slice(&bytes[at..]);
                return;
            }
            match byte {
                b'"' => self.quoted = !self.quoted,
                b'\n' if self.quoted => {
                    self.joined.push(self.record.len());
                    self.record.push(b' ');
                    continue;
                }
                _ => {}
            }
            self.record.push(*byte);
            if *byte == b'\n' {
                self.give(into);
            } else if self.record.len() > QuotedLineEnds::LONGEST {
                self.give_up(into);
            }
        }
    }

    fn end(&mut self, into: &mut Vec<u8>) {
        if self.quoted {
            self.give_up(into);
        } else {
            self.give(into);
        }
    }
}

/// Empties the first lines that are not empty: the numbers of the lines behind stay what they are.
pub(super) struct Forewords {
    left: usize,
    /// Whether the line has more than blanks.
    filled: bool,
}

impl Forewords {
    pub(super) fn new(lines: usize) -> Forewords {
        Forewords { left: lines, filled: false }
    }
}

impl Stage for Forewords {
    fn pass(&mut self, bytes: &[u8], into: &mut Vec<u8>) {
        for (at, byte) in bytes.iter().enumerate() {
            if self.left == 0 {
                into.extend_from_slice(&bytes[at..]);
                return;
            }
            self.filled |= !byte.is_ascii_whitespace();
            if *byte == b'\n' {
                into.push(b'\n');
                self.left -= usize::from(std::mem::take(&mut self.filled));
            }
        }
    }
}
