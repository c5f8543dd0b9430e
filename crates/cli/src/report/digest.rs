//! What identifies the content of a file.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::thread::JoinHandle;

use isotherm_report::FileDigest;
use sha2::{Digest, Sha256};

/// The checksum of a file, computed beside the reading of it.
pub struct Digesting(Option<JoinHandle<io::Result<FileDigest>>>);

impl Digesting {
    /// Begins with a regular file; anything else can be read only once and has no checksum.
    pub fn begin(path: Option<&Path>) -> Digesting {
        let regular = path.filter(|path| path.is_file()).map(Path::to_owned);
        Digesting(regular.map(|path| std::thread::spawn(move || digest(&path))))
    }

    /// The checksum; `None` where there is none.
    pub fn finish(self) -> Option<FileDigest> {
        self.0?.join().ok()?.ok()
    }
}

fn digest(path: &Path) -> io::Result<FileDigest> {
    let mut file = File::open(path)?;
    let mut hash = Sha256::new();
    let mut chunk = vec![0; 1 << 18];
    let mut bytes = 0;
    loop {
        let read = file.read(&mut chunk)?;
        if read == 0 {
            break;
        }
        hash.update(&chunk[..read]);
        bytes += read as u64;
    }
    Ok(FileDigest { sha256: hexadecimal(&hash.finalize()), bytes })
}

fn hexadecimal(bytes: &[u8]) -> String {
    let digit = |value: u8| char::from_digit(u32::from(value), 16).unwrap_or('0');
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 0xf)]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_checksum_is_what_other_programs_print() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("abc");
        std::fs::write(&path, "abc").unwrap();
        let found = Digesting::begin(Some(&path)).finish().unwrap();
        // The example of FIPS 180-4.
        let expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!((found.sha256.as_str(), found.bytes), (expected, 3));
        assert_eq!(Digesting::begin(Some(directory.path())).finish(), None);
    }
}
