//! What identifies the content of a file.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::thread::JoinHandle;

use isotherm_views::report::FileDigest;
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
    let digits = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(FileDigest { sha256: digits, bytes })
}
