//! Block devices by name and number, as sysfs tells them.

use std::path::{Path, PathBuf};

use crate::feed::OpenError;

/// The block devices of a machine.
#[derive(Debug)]
pub(crate) struct Devices {
    /// `/sys`, but for tests.
    sys: PathBuf,
}

/// A block device that requests are sent to.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Device {
    /// Its name, such as `vda`.
    pub(crate) name: String,
    /// Its number as the kernel writes it: `major << 20 | minor`.
    pub(crate) number: u32,
    /// What was asked for, if that is a part of it.
    partition: Option<String>,
    /// Whether it has queues, at which requests can be seen.
    queues: bool,
}

/// Bits of a device number that are the minor number.
const MINOR_BITS: u32 = 20;

impl Devices {
    pub(crate) fn of_this_machine() -> Devices {
        Devices { sys: PathBuf::from("/sys") }
    }

    /// The device called `name`, or that `name` is a partition of.
    pub(crate) fn find(&self, name: &str) -> Result<Device, OpenError> {
        // Names such as /dev/mapper/root or /dev/disk/by-id/... lead to the kernel's own.
        let real = name.starts_with("/dev/").then(|| std::fs::canonicalize(name).ok()).flatten();
        let real = real.as_deref().unwrap_or(Path::new(name));
        let asked = real.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let folder = self.sys.join("class/block").join(&asked);
        let found = (!asked.is_empty()).then(|| std::fs::canonicalize(folder).ok()).flatten();
        let Some(found) = found else { return Err(self.unknown(name)) };
        let whole = match found.parent() {
            Some(disk) if found.join("partition").exists() => disk,
            _ => &found,
        };
        let device = whole.file_name().unwrap_or_default().to_string_lossy().into_owned();
        refuse_stacked(&device, whole)?;
        let number = std::fs::read_to_string(whole.join("dev")).ok();
        let number = number.and_then(|number| parse_number(&number));
        let number = number.ok_or_else(|| self.unknown(name))?;
        let queues = whole.join("mq").exists();
        Ok(Device { partition: (device != asked).then_some(asked), name: device, number, queues })
    }

    /// The name of the device with a number; `major:minor` if it has none.
    pub(crate) fn name_of(&self, number: u32) -> String {
        let (major, minor) = (number >> MINOR_BITS, number & ((1 << MINOR_BITS) - 1));
        let text = format!("{major}:{minor}");
        let found = std::fs::canonicalize(self.sys.join("dev/block").join(&text)).ok();
        let name = found.as_deref().and_then(Path::file_name);
        name.map_or(text, |name| name.to_string_lossy().into_owned())
    }

    fn unknown(&self, name: &str) -> OpenError {
        let listed = std::fs::read_dir(self.sys.join("block"));
        let entries = listed.into_iter().flatten().flatten();
        let mut names: Vec<String> = entries
            .filter(|entry| has_size(&entry.path()))
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .collect();
        names.sort_unstable();
        let there = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        OpenError::Device(format!("there is no block device '{name}'; there is: {there}"))
    }
}

impl Device {
    /// What the user should know about what will be seen.
    pub(crate) fn warning(&self) -> Option<String> {
        if !self.queues {
            return Some(format!(
                "{} has no request queue: the kernel may not tell when its requests begin and end",
                self.name
            ));
        }
        let partition = self.partition.as_ref()?;
        Some(format!(
            "requests can only be measured for the whole disk: all of {} is shown, not only \
             {partition}",
            self.name
        ))
    }
}

/// A device made of others passes its requests on to them, and only there are they timed.
fn refuse_stacked(name: &str, folder: &Path) -> Result<(), OpenError> {
    let below = std::fs::read_dir(folder.join("slaves")).into_iter().flatten().flatten();
    let mut below: Vec<String> =
        below.map(|entry| format!("disk:{}", entry.file_name().to_string_lossy())).collect();
    below.sort_unstable();
    if below.is_empty() {
        return Ok(());
    }
    Err(OpenError::Device(format!(
        "'{name}' passes its requests on to other devices, where they are timed: use {}",
        below.join(" or ")
    )))
}

fn has_size(folder: &Path) -> bool {
    let size = std::fs::read_to_string(folder.join("size")).unwrap_or_default();
    size.trim().parse().is_ok_and(|sectors: u64| sectors > 0)
}

/// Reads `major:minor`.
fn parse_number(text: &str) -> Option<u32> {
    let (major, minor) = text.trim().split_once(':')?;
    let (major, minor): (u32, u32) = (major.parse().ok()?, minor.parse().ok()?);
    let fits = major < 1 << (u32::BITS - MINOR_BITS) && minor < 1 << MINOR_BITS;
    fits.then_some(major << MINOR_BITS | minor)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    /// A machine with the disk vda (254:0), its partition vda1, the empty loop0, the volume dm-0
    /// on vda, and zram0, which has no queues.
    fn machine() -> (tempfile::TempDir, Devices) {
        let sys = tempfile::tempdir().expect("a directory");
        let root = sys.path();
        for folder in ["class/block", "block", "dev/block"] {
            fs::create_dir_all(root.join(folder)).expect("made");
        }
        for (name, number, size) in [
            ("vda", "254:0", "100"),
            ("vda/vda1", "254:1", "90"),
            ("loop0", "7:0", "0"),
            ("dm-0", "253:3", "90"),
            ("zram0", "252:0", "0"),
        ] {
            let folder = root.join("devices").join(name);
            fs::create_dir_all(folder.join("slaves")).expect("made");
            fs::write(folder.join("dev"), format!("{number}\n")).expect("written");
            fs::write(folder.join("size"), format!("{size}\n")).expect("written");
            let short = folder.file_name().expect("a name");
            symlink(&folder, root.join("class/block").join(short)).expect("linked");
            symlink(&folder, root.join("dev/block").join(number)).expect("linked");
            if name == "vda/vda1" {
                fs::write(folder.join("partition"), "1\n").expect("written");
            } else {
                symlink(&folder, root.join("block").join(short)).expect("linked");
            }
        }
        fs::create_dir(root.join("devices/vda/mq")).expect("made");
        fs::create_dir(root.join("devices/dm-0/slaves/vda")).expect("made");
        let devices = Devices { sys: root.to_owned() };
        (sys, devices)
    }

    #[test]
    fn a_device_is_found_by_name_path_or_partition() {
        let (_sys, devices) = machine();
        let disk = devices.find("vda").expect("found");
        assert_eq!((disk.name.as_str(), disk.number), ("vda", 254 << 20));
        assert_eq!(disk.warning(), None);
        assert_eq!(devices.find("/dev/vda").expect("found").number, 254 << 20);
        let part = devices.find("vda1").expect("found");
        assert_eq!((part.name.as_str(), part.number), ("vda", 254 << 20));
        assert!(part.warning().is_some_and(|text| text.contains("not only vda1")));
        let queueless = devices.find("zram0").expect("found");
        assert!(queueless.warning().is_some_and(|text| text.contains("no request queue")));
    }

    #[test]
    fn what_cannot_be_watched_says_what_can() {
        let (_sys, devices) = machine();
        let message = |name| devices.find(name).expect_err("not found").to_string();
        assert_eq!(message("sda"), "there is no block device 'sda'; there is: dm-0, vda");
        assert_eq!(message(".."), "there is no block device '..'; there is: dm-0, vda");
        assert!(message("dm-0").ends_with("use disk:vda"), "{}", message("dm-0"));
    }

    #[test]
    fn numbers_have_names() {
        let (_sys, devices) = machine();
        assert_eq!(devices.name_of(254 << 20 | 1), "vda1");
        assert_eq!(devices.name_of(9 << 20 | 5), "9:5");
    }

    #[test]
    fn numbers_are_read() {
        assert_eq!(parse_number("254:0\n"), Some(266_338_304));
        assert_eq!(parse_number("8:17"), Some(0x0080_0011));
        assert_eq!(parse_number("4096:0"), None);
        assert_eq!(parse_number("8"), None);
    }
}
