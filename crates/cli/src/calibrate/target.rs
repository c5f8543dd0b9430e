//! What is calibrated: a file made for it, or what is there.

use std::fs;
use std::os::unix::fs::FileTypeExt;
use std::path::Path;

use isotherm_experiment::calibrate::Terms;
use isotherm_load::{Address, Job, Medium};
use rustix::fs::statvfs;

use crate::calibrate_args::CalibrateArgs;
use crate::failure::{Code, Failure};
use crate::load_address;

/// The file made in a directory.
const NAME: &str = "isotherm-calibrate.dat";
/// Its size if not given: beyond the caches of a disk, though not of an array.
const SIZE: u64 = 4 << 30;

/// What is calibrated.
pub struct Target {
    pub address: Address,
    /// How it is called.
    pub shown: String,
    /// Bytes that are used, or made; all there is if none.
    pub size: Option<u64>,
    /// Whether a file is made for this.
    pub made: bool,
}

impl Target {
    /// Looks at what the path stands for.
    pub fn of(args: &CalibrateArgs) -> Result<Target, Failure> {
        let address = load_address::address(&args.target)?;
        if let Some(path) = address.path() {
            return Target::of_path(path, args);
        }
        // For trying it out where the truth is known.
        if address.engine().medium() == Medium::Model {
            let (shown, size) = (args.target.clone(), args.size);
            return Ok(Target { address, shown, size, made: false });
        }
        Err(Failure::usage(
            "calibrate is for directories, files and block devices: `isotherm sweep` finds what a \
             database can do",
        ))
    }

    fn of_path(path: &Path, args: &CalibrateArgs) -> Result<Target, Failure> {
        let known = fs::metadata(path).map_err(|error| {
            let words = format!(
                "{}: {error}; give a directory (a file is made in it), a file or a block device",
                path.display()
            );
            Failure::new(Code::Usage, words)
        })?;
        if known.is_dir() {
            return Target::made_in(path, args);
        }
        if !known.is_file() && !known.file_type().is_block_device() {
            return Err(Failure::usage(format!(
                "{}: this is no directory, file or block device",
                path.display()
            )));
        }
        let (shown, size) = (path.display().to_string(), args.size);
        Ok(Target { address: Address::file(path), shown, size, made: false })
    }

    /// A file in a directory, if there is room for it.
    fn made_in(directory: &Path, args: &CalibrateArgs) -> Result<Target, Failure> {
        let path = directory.join(NAME);
        let size = args.size.unwrap_or(SIZE);
        let there = fs::metadata(&path).map_or(0, |known| known.len());
        let room = statvfs(directory).map(|fs| fs.f_bavail.saturating_mul(fs.f_frsize));
        if room.is_ok_and(|room| room.saturating_add(there) < size) {
            return Err(Failure::usage(format!(
                "{}: there is no room for a file of {size} bytes; choose another --size",
                directory.display()
            )));
        }
        let shown = path.display().to_string();
        let address = Address::file(&path);
        // One that was kept the last time stays.
        Ok(Target { address, shown, size: Some(size), made: there == 0 })
    }

    /// The job it is opened with first.
    pub fn job(&self, terms: &Terms) -> Job {
        let mut job = Job { target: self.shown.clone(), ..Job::default() };
        job.file.size = self.size;
        job.file.block = terms.block;
        job
    }
}
