//! What may be written to.
//!
//! A file that isotherm made, always. Anything else only if the user means it; and a device that
//! somebody uses, or a file that serves as one, not even then: there is no reason to.

use std::path::Path;

use super::device::{Device, Kernel};
use crate::LoadError;

/// What is to be written to.
pub(super) struct Subject<'a> {
    pub(super) path: &'a Path,
    pub(super) is_device: bool,
    /// The device, where the kernel tells of it.
    pub(super) device: Option<&'a Device>,
    /// Whether isotherm made it.
    pub(super) ours: bool,
}

/// Refuses to write where something would be lost.
pub(super) fn check(kernel: &Kernel, subject: &Subject, i_mean_it: bool) -> Result<(), LoadError> {
    let path = subject.path.display();
    let user = if subject.is_device {
        subject.device.and_then(|device| kernel.user_of(device))
    } else {
        kernel.user_of_file(subject.path)
    };
    if let Some(user) = user {
        return Err(LoadError::Unsafe(format!(
            "isotherm does not write to '{path}', whatever the options: {user}. Free it first, or \
             only read (an update share of 0)"
        )));
    }
    if i_mean_it || (subject.ours && !subject.is_device) {
        return Ok(());
    }
    let why = if subject.is_device {
        "is a device, and writing to it destroys what is on it"
    } else {
        "was not made by isotherm, and writing to it destroys what is in it"
    };
    Err(LoadError::Unsafe(format!(
        "'{path}' {why}: name a file that does not exist, which isotherm then makes, only read (an \
         update share of 0), or give --i-mean-it"
    )))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    /// A machine with the disk vda (254:0) and its partitions vda1 (254:1), mounted, and vda2; the
    /// disk vdb (254:16), part of the volume dm-0; the disk vdc (254:32), of nobody's; and loop0,
    /// whose content is /images/disk.
    fn machine() -> (tempfile::TempDir, Kernel) {
        let root = tempfile::tempdir().expect("a directory");
        let (sys, proc) = (root.path().join("sys"), root.path().join("proc"));
        fs::create_dir_all(sys.join("dev/block")).expect("made");
        fs::create_dir_all(sys.join("block/loop0/loop")).expect("made");
        fs::write(sys.join("block/loop0/loop/backing_file"), "/images/disk\n").expect("written");
        for (name, number) in [
            ("vda", "254:0"),
            ("vda/vda1", "254:1"),
            ("vda/vda2", "254:2"),
            ("vdb", "254:16"),
            ("vdc", "254:32"),
        ] {
            let folder = sys.join("devices").join(name);
            fs::create_dir_all(folder.join("holders")).expect("made");
            fs::write(folder.join("dev"), format!("{number}\n")).expect("written");
            if name.contains('/') {
                fs::write(folder.join("partition"), "1\n").expect("written");
            }
            symlink(&folder, sys.join("dev/block").join(number)).expect("linked");
        }
        fs::create_dir_all(sys.join("devices/vdb/holders/dm-0")).expect("made");
        fs::create_dir_all(proc.join("self")).expect("made");
        let mounts = "27 1 254:1 / / rw - ext4 /dev/none rw\n";
        fs::write(proc.join("self/mountinfo"), mounts).expect("written");
        fs::write(proc.join("swaps"), "Filename Type\n/swap\\040file file 1 0 -2\n")
            .expect("written");
        (root, Kernel { sys, proc })
    }

    fn told(kernel: &Kernel, minor: u32, i_mean_it: bool) -> Result<(), String> {
        let device = kernel.device(rustix::fs::makedev(254, minor)).expect("found");
        let path = Path::new("/dev/x");
        let subject = Subject { path, is_device: true, device: Some(&device), ours: false };
        check(kernel, &subject, i_mean_it).map_err(|error| match error {
            LoadError::Unsafe(text) => text,
            other => panic!("{other:?}"),
        })
    }

    #[test]
    fn a_device_in_use_is_never_written_to() {
        let (_root, kernel) = machine();
        for (minor, why) in
            [(0, "vda1 is mounted on /"), (1, "vda1 is mounted on /"), (16, "vdb is part of dm-0")]
        {
            let refused = told(&kernel, minor, true).expect_err("refused");
            assert!(refused.contains(why), "{refused}");
        }
    }

    #[test]
    fn a_free_device_is_written_to_if_the_user_means_it() {
        let (_root, kernel) = machine();
        for minor in [2, 32] {
            assert_eq!(told(&kernel, minor, true), Ok(()));
            let refused = told(&kernel, minor, false).expect_err("refused");
            assert!(refused.contains("--i-mean-it"), "{refused}");
        }
    }

    #[test]
    fn files_of_others_and_files_that_serve_as_devices_are_refused() {
        let (_root, kernel) = machine();
        let told = |path: &str, ours, i_mean_it| {
            let subject = Subject { path: Path::new(path), is_device: false, device: None, ours };
            check(&kernel, &subject, i_mean_it).is_ok()
        };
        assert!(told("/a", true, false));
        assert!(!told("/a", false, false));
        assert!(told("/a", false, true));
        assert!(!told("/swap file", true, true));
        assert!(!told("/images/disk", true, true));
    }
}
