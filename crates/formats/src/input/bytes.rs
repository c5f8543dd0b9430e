//! Inputs that are read to their end: files, and pipes whose writer has finished.

use std::fs::File;
use std::io::{self, BufReader, Cursor, Read};
use std::path::{Path, PathBuf};

use crate::unread_options::check;
use crate::{Context, HEAD, Note, SOURCES, Sink, Source};

use super::compressed::Damage;
use super::endless::{NotOnlyZeros, SEARCHED};
use super::error::ReadError;
use super::gate::Gate;
use super::opening::{choose, open_file, stdin, without_compression};
use super::plain_text::{IS_UTF16, LastLine, PlainText};
use super::plausible_sink::{CountedInput, PlausibleSink};

/// Decodes bytes of which the beginning may have been looked at.
pub fn decode_bytes(
    mut bytes: Bytes,
    context: &Context,
    as_source: Option<&'static dyn Source>,
    sink: &mut dyn Sink,
) -> Result<(), ReadError> {
    /// Bytes read at once, unless a decoder has room for more: then they are not copied.
    const BUFFER: usize = 128 << 10;
    let notes = bytes.make_plain(as_source, context)?;
    let head = bytes.head(HEAD)?;
    let source = choose(&bytes.path, &head, as_source, SOURCES)?;
    let gate = Gate::new(source, &head, as_source.is_some());
    for note in notes {
        sink.note(note);
    }
    check(source, context, sink)?;
    let (damage, is_endless) = (bytes.damage.clone(), bytes.is_endless);
    let (input, cut) = LastLine::of(source, bytes);
    let (mut input, last) = CountedInput::new(BufReader::with_capacity(BUFFER, input));
    if is_endless {
        input.search_only(SEARCHED);
    }
    let mut plausible = PlausibleSink::new(source, sink, last);
    let decoded = source.decode(&mut input, context, &mut plausible);
    // What waits for the end of the input is given also where that breaks off.
    plausible.finish();
    decoded?;
    gate.check(&plausible)?;
    let said =
        damage.message().map(str::to_owned).or_else(|| cut.get().map(|&said| said.to_owned()));
    if let Some(said) = said {
        sink.note(Note::Said(said.into()));
    }
    Ok(())
}

/// The bytes of a file or of standard input, without their compression, as they are read.
pub struct Bytes {
    reader: Box<dyn Read + Send>,
    damage: Damage,
    /// What to call them.
    path: PathBuf,
    /// Whether they may never end: those of a device or a pipe.
    is_endless: bool,
}

/// A text that begins with the mark of UTF-16, as UTF-8; `None` of any other.
fn in_utf8(bytes: &[u8]) -> Option<String> {
    let (is_little, text) = match bytes {
        [0xff, 0xfe, text @ ..] => (true, text),
        [0xfe, 0xff, text @ ..] => (false, text),
        _ => return None,
    };
    let unit = |pair: &[u8; 2]| {
        if is_little { u16::from_le_bytes(*pair) } else { u16::from_be_bytes(*pair) }
    };
    let read = char::decode_utf16(text.as_chunks::<2>().0.iter().map(unit));
    Some(read.map(|read| read.unwrap_or(char::REPLACEMENT_CHARACTER)).collect())
}

impl Bytes {
    /// Opens a file.
    pub fn file(path: &Path) -> Result<Bytes, ReadError> {
        Bytes::opened(open_file(path)?, path)
    }

    /// Opens standard input.
    pub fn stdin() -> Result<Bytes, ReadError> {
        let path = Path::new("-");
        Bytes::opened(stdin().map_err(|error| ReadError::unreadable(path, error))?, path)
    }

    fn opened(file: File, path: &Path) -> Result<Bytes, ReadError> {
        let is_endless = !file.metadata().is_ok_and(|found| found.is_file());
        let (mut reader, damage) = without_compression(file, path)?;
        if is_endless {
            reader = Box::new(NotOnlyZeros::new(reader));
        }
        Ok(Bytes { reader, damage, path: path.to_owned(), is_endless })
    }

    /// Bytes that are made of those of others, which are files, called `path`.
    pub(crate) fn made_of(reader: Box<dyn Read + Send>, path: &Path) -> Bytes {
        let (damage, path) = (Damage::default(), path.to_owned());
        Bytes { reader, damage, path, is_endless: false }
    }

    /// What the input is called: its path, or `-`.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Takes away what is no part of a text, and gives what there is to say of that.
    pub fn make_plain(
        &mut self,
        as_source: Option<&'static dyn Source>,
        context: &Context,
    ) -> Result<Vec<Note>, ReadError> {
        let reader = std::mem::replace(&mut self.reader, Box::new(io::empty()));
        let text = PlainText::new(reader).and_then(|text| text.fit(as_source, context));
        let text = text.map_err(|error| ReadError::unreadable(&self.path, error))?;
        let (reader, notes) = text.into_parts();
        self.reader = reader;
        Ok(notes)
    }

    /// The first bytes, at most so many, which are read again afterwards: those of a pipe come only
    /// once.
    pub fn head(&mut self, most: usize) -> Result<Vec<u8>, ReadError> {
        let mut head = Vec::new();
        let most = u64::try_from(most).unwrap_or(u64::MAX);
        let read = self.reader.by_ref().take(most).read_to_end(&mut head);
        read.map_err(|error| ReadError::unreadable(&self.path, error))?;
        let rest = std::mem::replace(&mut self.reader, Box::new(io::empty()));
        self.reader = Box::new(Cursor::new(head.clone()).chain(rest));
        Ok(head)
    }

    /// All of it, and what to tell the user if the compression was damaged. More than `most` bytes are an
    /// error.
    pub fn whole(self, most: u64) -> Result<(Vec<u8>, Option<String>), ReadError> {
        let Bytes { reader, damage, path, .. } = self;
        let mut bytes = Vec::new();
        let read = reader.take(most.saturating_add(1)).read_to_end(&mut bytes);
        read.map_err(|error| ReadError::unreadable(&path, error))?;
        if bytes.len() as u64 > most {
            let why = format!("it is larger than {most} bytes");
            let error = io::Error::new(io::ErrorKind::FileTooLarge, why);
            return Err(ReadError::unreadable(&path, error));
        }
        let damage = damage.message().map(str::to_owned);
        Ok(match in_utf8(&bytes) {
            Some(text) => (text.into_bytes(), damage.or_else(|| Some(IS_UTF16.to_owned()))),
            None => (bytes, damage),
        })
    }

    /// What to tell the user if the compression was damaged, known once all is read.
    pub fn message(&self) -> Option<&str> {
        self.damage.message()
    }
}

impl Read for Bytes {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.reader.read(buffer)
    }
}

#[cfg(test)]
mod tests {
    use isotherm_frame::Account;

    use super::*;
    use crate::Message;

    /// An input that cannot be read any further.
    struct Broken;

    impl Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("the disk is gone"))
        }
    }

    /// How many events were given, and what was rejected.
    #[derive(Default)]
    struct Given(u64, Account);

    impl Sink for Given {
        fn take(&mut self, message: Message) {
            self.0 += u64::from(message.into_reading(&mut self.1).is_some());
        }
    }

    #[test]
    fn what_waits_for_the_end_of_an_input_is_given_where_it_breaks_off() {
        // A second of rows, the second of which is nearly 2^32 microseconds long.
        let row = |row: u64| {
            let us: u64 = if row == 2 { 4_294_967_290 } else { 100 };
            format!("1700000000.{row:06} {us}\n")
        };
        let text: String = (1..=9_000).map(row).collect();
        assert!(text.len() > 2 * HEAD);
        let reader = Box::new(Cursor::new(text.into_bytes()).chain(Broken));
        let (damage, path) = (Damage::default(), PathBuf::from("rows"));
        let bytes = Bytes { reader, damage, path, is_endless: false };
        let mut given = Given::default();
        let read = decode_bytes(bytes, &Context::default(), None, &mut given);
        assert!(read.is_err());
        assert_eq!((given.0, given.1.rejected), (8_999, 1));
        assert_eq!(given.1.rejections[0].place.line, 2);
    }

    #[test]
    fn a_whole_text_in_utf16_is_read_as_utf8_and_that_is_said() {
        let text = "WORKLOAD REPOSITORY \u{b5}s \u{1f600}\n";
        let units = || text.encode_utf16();
        let little: Vec<u8> =
            [0xff, 0xfe].into_iter().chain(units().flat_map(u16::to_le_bytes)).collect();
        let big: Vec<u8> =
            [0xfe, 0xff].into_iter().chain(units().flat_map(u16::to_be_bytes)).collect();
        for (bytes, is_said) in [(little, true), (big, true), (text.as_bytes().to_vec(), false)] {
            let file = tempfile::NamedTempFile::new().unwrap();
            std::fs::write(file.path(), bytes).unwrap();
            let (read, said) = Bytes::file(file.path()).unwrap().whole(1 << 20).unwrap();
            assert_eq!((read.as_slice(), said.is_some()), (text.as_bytes(), is_said));
        }
    }
}
