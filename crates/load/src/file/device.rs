//! The block device underneath a file: what it is, what it counts, and who else uses it.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rustix::fs::{major, minor};

use super::mounts::{self, Mount};
use crate::KnownCounter;
use crate::{Count, Unit};

/// Where the kernel tells about itself.
#[derive(Clone, Debug)]
pub(super) struct Kernel {
    /// `/sys`, but for tests.
    pub(super) sys: PathBuf,
    /// `/proc`, but for tests.
    pub(super) proc: PathBuf,
}

/// Which file something is, whatever its name.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) struct Identity {
    /// The number of its filesystem.
    pub(super) dev: u64,
    /// Its number there.
    pub(super) ino: u64,
    /// Bytes it has.
    pub(super) length: u64,
}

impl Identity {
    /// Whether a path leads to it; none if it leads nowhere.
    fn is(self, path: &Path) -> Option<bool> {
        let found = fs::metadata(path).ok()?;
        Some((found.dev(), found.ino()) == (self.dev, self.ino))
    }
}

/// A block device, or a partition of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Device {
    /// Its name: `vda1`.
    pub(super) name: String,
    /// Its folder in sysfs.
    folder: PathBuf,
    /// That of the whole device, if this is a partition; else the same.
    whole: PathBuf,
}

impl Kernel {
    /// This machine's.
    pub(super) fn here() -> Kernel {
        Kernel { sys: PathBuf::from("/sys"), proc: PathBuf::from("/proc") }
    }

    /// The device with a number.
    pub(super) fn device(&self, number: u64) -> Option<Device> {
        let (major, minor) = (major(number), minor(number));
        let folder = fs::canonicalize(self.sys.join(format!("dev/block/{major}:{minor}"))).ok()?;
        let whole = match folder.parent() {
            Some(whole) if folder.join("partition").exists() => whole.to_owned(),
            _ => folder.clone(),
        };
        let name = folder.file_name()?.to_string_lossy().into_owned();
        Some(Device { name, folder, whole })
    }

    /// The device that holds the files with a `st_dev`: the same number, or the device that was
    /// mounted where the filesystem has made up a number of its own.
    pub(super) fn beneath(&self, st_dev: u64) -> Option<Device> {
        self.device(st_dev).or_else(|| {
            let source = self.mount(st_dev)?.source;
            self.device(fs::metadata(source).ok()?.rdev())
        })
    }

    /// Where the filesystem with a `st_dev` is mounted.
    pub(super) fn mount(&self, st_dev: u64) -> Option<Mount> {
        let number = format!("{}:{}", major(st_dev), minor(st_dev));
        self.mounts().into_iter().find(|mount| mount.number == number)
    }

    fn mounts(&self) -> Vec<Mount> {
        mounts::read(&fs::read_to_string(self.proc.join("self/mountinfo")).unwrap_or_default())
    }

    /// Who uses a device: in words, if anybody does. A device that has partitions is used if one
    /// of them is, and a partition if the whole device is.
    pub(super) fn user_of(&self, device: &Device) -> Option<String> {
        let parts = parts(device);
        let mounted = self.mounts().into_iter().find_map(|mount| {
            let source = fs::metadata(&mount.source).ok().map(|found| number(found.rdev()));
            let part = parts.iter().find(|part| {
                part.number == mount.number || Some(&part.number) == source.as_ref()
            })?;
            Some(format!("{} is mounted on {}", part.name, mount.point))
        });
        mounted.or_else(|| self.swapped(&parts)).or_else(|| parts.iter().find_map(Part::held))
    }

    fn swapped(&self, parts: &[Part]) -> Option<String> {
        self.swaps().into_iter().find_map(|path| {
            let swap = number(fs::metadata(path).ok()?.rdev());
            let part = parts.iter().find(|part| part.number == swap)?;
            Some(format!("{} is swap space", part.name))
        })
    }

    /// Who uses a file as if it were a device: in words, if anybody does. A file may have several
    /// names, so it is recognised by its number.
    pub(super) fn user_of_file(&self, file: Identity) -> Option<String> {
        if self.swaps().iter().any(|swap| file.is(swap) == Some(true)) {
            return Some("it is swap space".to_owned());
        }
        let devices = fs::read_dir(self.sys.join("block")).into_iter().flatten().flatten();
        devices.into_iter().find_map(|device| {
            let folder = device.path();
            let backing = fs::read_to_string(folder.join("loop/backing_file")).ok()?;
            let backing = Path::new(backing.trim_end_matches('\n'));
            let name = device.file_name().to_string_lossy().into_owned();
            match file.is(backing) {
                Some(true) => Some(format!("it is the content of {name}")),
                Some(false) => None,
                // The name that was opened is gone, and the file may live on by another one.
                None => may_hold(&folder, file).then(|| {
                    format!(
                        "it may be the content of {name}: it has the right size, and the name \
                         '{}' does not tell which file it was",
                        backing.display()
                    )
                }),
            }
        })
    }

    fn swaps(&self) -> Vec<PathBuf> {
        let text = fs::read_to_string(self.proc.join("swaps")).unwrap_or_default();
        let lines = text.lines().skip(1);
        lines.filter_map(|line| line.split_whitespace().next()).map(mounts::unescaped).collect()
    }

    /// Totals that the system keeps of this process and of all.
    pub(super) fn totals(&self) -> Vec<Count> {
        let mut counts = Vec::new();
        let io = fs::read_to_string(self.proc.join("self/io")).unwrap_or_default();
        for (field, name) in [
            ("read_bytes:", "process read from devices"),
            ("write_bytes:", "process wrote to devices"),
        ] {
            counts.extend(after(&io, field).map(|value| count(name, value, Unit::Bytes)));
        }
        let stat = fs::read_to_string(self.proc.join("stat")).unwrap_or_default();
        for (field, name) in [("intr", "interrupts"), ("ctxt", "context switches")] {
            counts.extend(after(&stat, field).map(|value| count(name, value, Unit::Count)));
        }
        counts
    }
}

impl Device {
    /// An attribute of the whole device: `queue/rotational`.
    pub(super) fn attribute(&self, path: &str) -> Option<String> {
        let text = fs::read_to_string(self.whole.join(path)).ok()?;
        Some(text.trim().to_owned()).filter(|text| !text.is_empty())
    }

    /// The whole device's name, if this is a partition of it.
    pub(super) fn whole_name(&self) -> Option<String> {
        let name = self.whole.file_name().filter(|_| self.whole != self.folder)?;
        Some(name.to_string_lossy().into_owned())
    }

    /// Devices it is made of, as a volume is.
    pub(super) fn made_of(&self) -> Vec<String> {
        names(&self.whole.join("slaves"))
    }

    /// What the kernel counted of it: <https://docs.kernel.org/block/stat.html>.
    pub(super) fn totals(&self) -> Vec<Count> {
        const SECTOR: u64 = 512;
        let text = fs::read_to_string(self.folder.join("stat")).unwrap_or_default();
        let fields: Vec<u64> =
            text.split_whitespace().map_while(|word| word.parse().ok()).collect();
        let &[reads, _, read, _, writes, _, written, _, _, busy_ms, ..] = fields.as_slice() else {
            return Vec::new();
        };
        vec![
            count(KnownCounter::DeviceReads.name(), reads, Unit::Count),
            count("diskstats read bytes", read.saturating_mul(SECTOR), Unit::Bytes),
            count("diskstats writes", writes, Unit::Count),
            count("diskstats written bytes", written.saturating_mul(SECTOR), Unit::Bytes),
            count("diskstats busy", busy_ms.saturating_mul(1_000_000), Unit::Nanos),
        ]
    }
}

/// Whether a loop device is of the size that one on this file would have.
fn may_hold(device: &Path, file: Identity) -> bool {
    const SECTOR: u64 = 512;
    let number = |path: &str| -> Option<u64> {
        fs::read_to_string(device.join(path)).ok()?.trim().parse().ok()
    };
    let offset = number("loop/offset").unwrap_or(0);
    let size = number("size").filter(|sectors| *sectors > 0);
    size.is_some_and(|sectors| sectors == file.length.saturating_sub(offset) / SECTOR)
}

/// A device that is used if the one asked for is written to.
struct Part {
    name: String,
    number: String,
    folder: PathBuf,
}

impl Part {
    fn of(folder: &Path) -> Option<Part> {
        let number = fs::read_to_string(folder.join("dev")).ok()?.trim().to_owned();
        let name = folder.file_name()?.to_string_lossy().into_owned();
        Some(Part { name, number, folder: folder.to_owned() })
    }

    fn held(&self) -> Option<String> {
        let holders = names(&self.folder.join("holders"));
        (!holders.is_empty()).then(|| format!("{} is part of {}", self.name, holders.join(", ")))
    }
}

/// The device itself, its partitions, and the device it is a partition of.
fn parts(device: &Device) -> Vec<Part> {
    let below = fs::read_dir(&device.folder).into_iter().flatten().flatten();
    let below = below.map(|entry| entry.path()).filter(|path| path.join("partition").exists());
    let mut folders = vec![device.folder.clone()];
    folders.extend(below);
    if device.whole != device.folder {
        folders.push(device.whole.clone());
    }
    folders.iter().filter_map(|folder| Part::of(folder)).collect()
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort_unstable();
    names
}

fn number(device: u64) -> String {
    format!("{}:{}", major(device), minor(device))
}

fn count(name: &'static str, value: u64, unit: Unit) -> Count {
    Count { name: name.into(), value, unit }
}

/// The number after a word at the beginning of a line.
fn after(text: &str, word: &str) -> Option<u64> {
    let line = text.lines().find(|line| line.split_whitespace().next() == Some(word))?;
    line.split_whitespace().nth(1)?.parse().ok()
}
