//! Compressed inputs, recognised by their first bytes and read as what was compressed.

use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::sync::{Arc, OnceLock};

use flate2::bufread::MultiGzDecoder;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

/// Bytes read from the file at once.
const BUFFER: usize = 256 << 10;

/// Where a compressed input turned out to be cut off or damaged. What came before it was read.
#[derive(Clone, Debug, Default)]
pub struct Damage(Arc<OnceLock<String>>);

impl Damage {
    /// What to tell the user, if the input was damaged.
    pub fn message(&self) -> Option<&str> {
        self.0.get().map(String::as_str)
    }
}

/// What `input` holds, without its compression. With it comes where to look, once the input has
/// ended, whether that was before its time.
pub(crate) fn uncompressed(
    mut input: impl Read + Send + 'static,
) -> io::Result<(Box<dyn Read + Send>, Damage)> {
    let mut magic = Vec::new();
    input.by_ref().take(4).read_to_end(&mut magic)?;
    let kind = Kind::of(&magic);
    let whole = Cursor::new(magic).chain(input);
    let damage = Damage::default();
    let Some(kind) = kind else { return Ok((Box::new(whole), damage)) };
    let bytes = BufReader::with_capacity(BUFFER, whole);
    let reader: Box<dyn Read + Send> = match kind {
        Kind::Gzip => Box::new(MultiGzDecoder::new(bytes)),
        Kind::Zstd => Box::new(Frames::new(bytes)),
    };
    let tolerant = Tolerant { reader, kind, read: 0, damage: damage.clone() };
    Ok((Box::new(tolerant), damage))
}

/// The name of the compression of a file that begins like this, if it is compressed.
pub(crate) fn compression_of(head: &[u8]) -> Option<&'static str> {
    Kind::of(head.get(..4)?).map(Kind::name)
}

/// A compression we read.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Kind {
    Gzip,
    Zstd,
}

impl Kind {
    fn of(magic: &[u8]) -> Option<Kind> {
        match magic {
            [0x1f, 0x8b, ..] => Some(Kind::Gzip),
            [0x28, 0xb5, 0x2f, 0xfd] => Some(Kind::Zstd),
            _ => None,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Kind::Gzip => "gzip",
            Kind::Zstd => "zstd",
        }
    }
}

/// Ends where the compressed data can be read no further, instead of failing: what was before is
/// worth having.
struct Tolerant {
    reader: Box<dyn Read + Send>,
    kind: Kind,
    /// Bytes given so far.
    read: u64,
    damage: Damage,
}

impl Read for Tolerant {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.damage.message().is_some() {
            return Ok(0);
        }
        match self.reader.read(into) {
            Ok(read) => {
                self.read += u64::try_from(read).unwrap_or(u64::MAX);
                Ok(read)
            }
            Err(error) => {
                let (name, read, wrong) = (self.kind.name(), self.read, wrong(&error));
                // With nothing read there is nothing to save.
                if self.read == 0 {
                    let whole =
                        format!("the {name} file is {wrong}, and nothing of it can be read");
                    return Err(io::Error::new(error.kind(), whole));
                }
                let _ = self.damage.0.set(format!(
                    "the {name} file is {wrong}: only the {read} bytes before that were read"
                ));
                Ok(0)
            }
        }
    }
}

/// What is wrong with a compressed file, in words: whether it ends too early, or what is in it
/// cannot be.
fn wrong(error: &io::Error) -> &'static str {
    let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(error);
    while let Some(error) = cause {
        let io = error.downcast_ref::<io::Error>();
        if io.is_some_and(|error| error.kind() == io::ErrorKind::UnexpectedEof) {
            return "cut off";
        }
        // What an I/O error holds is no source of it, but its source is the source of that.
        let inner = io.and_then(io::Error::get_ref);
        cause = inner.map(|inner| inner as &(dyn std::error::Error + 'static));
        cause = cause.or_else(|| error.source());
    }
    "damaged"
}

/// The frames of a zstd file, one after the other; `zstd -T` and appended files have several.
struct Frames<R> {
    input: R,
    decoder: FrameDecoder,
    /// Whether the decoder is inside a frame.
    inside: bool,
}

impl<R: BufRead> Frames<R> {
    fn new(input: R) -> Frames<R> {
        Frames { input, decoder: FrameDecoder::new(), inside: false }
    }

    /// Goes on to the next frame with data; `false` at the end of the input.
    fn begin(&mut self) -> io::Result<bool> {
        while !self.input.fill_buf()?.is_empty() {
            match self.decoder.init(&mut self.input) {
                Ok(()) => {
                    self.inside = true;
                    return Ok(true);
                }
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                    length,
                    ..
                })) => {
                    let length = u64::from(length);
                    let skipped = io::copy(&mut self.input.by_ref().take(length), &mut io::sink())?;
                    if skipped < length {
                        return Err(io::ErrorKind::UnexpectedEof.into());
                    }
                }
                Err(error) => return Err(io::Error::other(error)),
            }
        }
        Ok(false)
    }

    /// Whether the frame that has just ended holds what was written.
    fn check(&self) -> io::Result<()> {
        let (said, found) =
            (self.decoder.get_checksum_from_data(), self.decoder.get_calculated_checksum());
        if said.is_some() && said != found {
            return Err(io::Error::other("its checksum is wrong"));
        }
        Ok(())
    }
}

impl<R: BufRead> Read for Frames<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        loop {
            if !self.inside && !self.begin()? {
                return Ok(0);
            }
            while self.decoder.can_collect() == 0 && !self.decoder.is_finished() {
                self.decoder
                    .decode_blocks(&mut self.input, BlockDecodingStrategy::UptoBlocks(1))
                    .map_err(io::Error::other)?;
            }
            let read = self.decoder.read(into)?;
            if read > 0 || into.is_empty() {
                return Ok(read);
            }
            self.check()?;
            self.inside = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn text() -> Vec<u8> {
        (0..20_000)
            .flat_map(|line| format!("{line} waited {}\n", line * 7 % 1_013).into_bytes())
            .collect()
    }

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn zstd(bytes: &[u8]) -> Vec<u8> {
        let level = ruzstd::encoding::CompressionLevel::Fastest;
        ruzstd::encoding::compress_to_vec(bytes, level)
    }

    fn read(bytes: Vec<u8>) -> (Vec<u8>, Option<String>) {
        let (mut reader, damage) = uncompressed(Cursor::new(bytes)).unwrap();
        let mut read = Vec::new();
        reader.read_to_end(&mut read).unwrap();
        (read, damage.message().map(str::to_owned))
    }

    #[test]
    fn what_was_compressed_is_read_back_whole_in_all_its_parts() {
        let text = text();
        let twice = [text.clone(), text.clone()].concat();
        for compress in [gzip, zstd] {
            let one = compress(&text);
            assert!(one.len() < text.len() / 2);
            assert_eq!(read(one.clone()), (text.clone(), None));
            assert_eq!(read([one.clone(), one].concat()), (twice.clone(), None));
        }
        let skippable = [&[0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 9, 9, 9][..], &zstd(&text)].concat();
        assert_eq!(read([zstd(&text), skippable].concat()), (twice, None));
    }

    #[test]
    fn what_is_not_compressed_is_left_as_it_is() {
        for plain in [&b""[..], b"1", b"\x1f", b"12 waits\n", b"\x28\xb5\x2f"] {
            assert_eq!(read(plain.to_vec()), (plain.to_vec(), None));
        }
    }

    #[test]
    fn what_is_cut_off_gives_what_came_before_and_says_so_in_words() {
        let text = text();
        for (compress, name) in [(gzip as fn(&[u8]) -> Vec<u8>, "gzip"), (zstd, "zstd")] {
            let one = compress(&text);
            for cut in [1, 9, one.len() / 2, one.len() - 5] {
                let two = [one.clone(), one.clone()].concat();
                let (got, message) = read(two[..two.len() - cut].to_vec());
                assert!(got.len() >= text.len() && text.repeat(2).starts_with(&got), "{name}");
                let message = message.unwrap();
                let expected = format!(
                    "the {name} file is cut off: only the {} bytes before that were read",
                    got.len()
                );
                assert_eq!(message, expected, "{cut}");
            }
        }
    }

    #[test]
    fn what_is_damaged_says_so_in_words_wherever_it_is() {
        let text = text();
        for (compress, name) in [(gzip as fn(&[u8]) -> Vec<u8>, "gzip"), (zstd, "zstd")] {
            let one = compress(&text);
            for at in (0..one.len()).step_by(one.len() / 97) {
                let mut bytes = [one.clone(), one.clone()].concat();
                bytes[one.len() + at] ^= 0x55;
                let Some(message) = read(bytes).1 else { continue };
                let words = [" damaged: only the ", " cut off: only the "];
                assert!(message.starts_with(&format!("the {name} file is")), "{message}");
                assert!(words.iter().any(|word| message.contains(word)), "{message}");
                assert!(!message.contains(['{', '(', '_']), "{message}");
            }
        }
    }

    #[test]
    fn a_file_cut_off_in_its_first_block_is_an_error_in_words() {
        let text = text();
        for (compress, name) in [(gzip as fn(&[u8]) -> Vec<u8>, "gzip"), (zstd, "zstd")] {
            let one = compress(&text);
            let (mut reader, _) = uncompressed(Cursor::new(one[..9].to_vec())).unwrap();
            let error = reader.read_to_end(&mut Vec::new()).unwrap_err().to_string();
            assert_eq!(error, format!("the {name} file is cut off, and nothing of it can be read"));
        }
    }

    #[test]
    fn a_wrong_checksum_is_damage() {
        let text = text();
        let mut bytes = gzip(&text);
        let sum = bytes.len() - 8;
        bytes[sum] ^= 1;
        let message = read(bytes).1.unwrap();
        assert!(message.starts_with("the gzip file is damaged: "), "{message}");
    }
}
