//! What may be written to.
//!
//! A file that isotherm made, always. Anything else only if the user means it; and a device that
//! somebody uses, or a file that serves as one, not even then: there is no reason to.

use std::path::Path;

use isotherm_frame::numbers;

use super::device::{Device, Identity, Kernel};
use super::origin::Origin;
use crate::LoadError;

/// What is to be written to.
pub(super) struct Subject<'a> {
    pub(super) path: &'a Path,
    pub(super) is_device: bool,
    /// The device, where the kernel tells of it.
    pub(super) device: Option<&'a Device>,
    /// Which file it is, by whatever name.
    pub(super) file: Identity,
    /// Who made it.
    pub(super) origin: Origin,
}

/// Refuses to write where something would be lost.
pub(super) fn check(kernel: &Kernel, subject: &Subject, i_mean_it: bool) -> Result<(), LoadError> {
    let path = subject.path.display();
    let user = if subject.is_device {
        subject.device.and_then(|device| kernel.user_of(device))
    } else {
        kernel.user_of_file(subject.file)
    };
    if let Some(user) = user {
        return Err(LoadError::Unsafe(format!(
            "isotherm does not write to '{path}', whatever the options: {user}. Free it first, or \
             only read (an update share of 0)"
        )));
    }
    let why = match subject.origin {
        _ if i_mean_it => return Ok(()),
        _ if subject.is_device => {
            "is a device, and writing to it destroys what is on it".to_owned()
        }
        Origin::Ours(_) => return Ok(()),
        Origin::Continued { ours } => format!(
            "was made by isotherm up to byte {ours}, and the {} that follow were not: writing to \
             it may destroy them",
            numbers::bytes(subject.file.length.saturating_sub(ours))
        ),
        Origin::Foreign => {
            "was not made by isotherm, and writing to it destroys what is in it".to_owned()
        }
    };
    Err(LoadError::Unsafe(format!(
        "'{path}' {why}: name a file that does not exist, with --create, only read (an update share \
         of 0), or give --i-mean-it"
    )))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{MetadataExt, symlink};

    use super::*;

    /// A machine with the disk vda (254:0) and its partitions vda1 (254:1), mounted, and vda2; the
    /// disk vdb (254:16), part of the volume dm-0; the disk vdc (254:32), of nobody's; loop0, whose
    /// content is the file `disk`; loop1, whose content of 3 sectors was removed; and the swap space
    /// `swap file`.
    fn machine() -> (tempfile::TempDir, Kernel) {
        let root = tempfile::tempdir().expect("a directory");
        let (sys, proc) = (root.path().join("sys"), root.path().join("proc"));
        fs::create_dir_all(sys.join("dev/block")).expect("made");
        for (device, backing, sectors) in [("loop0", "disk", "8"), ("loop1", "gone (deleted)", "3")]
        {
            let folder = sys.join("block").join(device);
            fs::create_dir_all(folder.join("loop")).expect("made");
            let backing = format!("{}\n", root.path().join(backing).display());
            fs::write(folder.join("loop/backing_file"), backing).expect("written");
            fs::write(folder.join("loop/offset"), "512\n").expect("written");
            fs::write(folder.join("size"), format!("{sectors}\n")).expect("written");
        }
        for name in ["disk", "swap file", "other"] {
            fs::write(root.path().join(name), name).expect("written");
        }
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
        let swap = format!("Filename Type\n{}/swap\\040file file 1 0 -2\n", root.path().display());
        fs::write(proc.join("swaps"), swap).expect("written");
        (root, Kernel { sys, proc })
    }

    fn refusal(kernel: &Kernel, minor: u32, i_mean_it: bool) -> Result<(), String> {
        let device = kernel.device(rustix::fs::makedev(254, minor)).expect("found");
        let path = Path::new("/dev/x");
        let file = Identity { dev: 0, ino: 0, length: 0 };
        let device = Some(&device);
        let subject = Subject { path, is_device: true, device, file, origin: Origin::Foreign };
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
            let refused = refusal(&kernel, minor, true).expect_err("refused");
            assert!(refused.contains(why), "{refused}");
        }
    }

    #[test]
    fn a_free_device_is_written_to_if_the_user_means_it() {
        let (_root, kernel) = machine();
        for minor in [2, 32] {
            assert_eq!(refusal(&kernel, minor, true), Ok(()));
            let refused = refusal(&kernel, minor, false).expect_err("refused");
            assert!(refused.contains("--i-mean-it"), "{refused}");
        }
    }

    fn refusal_of_file(kernel: &Kernel, path: &Path, origin: Origin, i_mean_it: bool) -> String {
        let found = fs::metadata(path).expect("there");
        let file = Identity { dev: found.dev(), ino: found.ino(), length: found.len() };
        let subject = Subject { path, is_device: false, device: None, file, origin };
        check(kernel, &subject, i_mean_it)
            .map_or_else(|error| error.to_string(), |()| String::new())
    }

    #[test]
    fn files_of_others_are_refused() {
        let (root, kernel) = machine();
        let path = root.path().join("other");
        let refusal = |origin, i_mean_it| refusal_of_file(&kernel, &path, origin, i_mean_it);
        assert_eq!(refusal(Origin::Ours(7), false), "");
        assert!(refusal(Origin::Foreign, false).contains("was not made by isotherm"));
        let appended = refusal(Origin::Continued { ours: 2 }, false);
        assert!(appended.contains("up to byte 2, and the 3 bytes that follow"), "{appended}");
        assert_eq!(refusal(Origin::Foreign, true), "");
    }

    #[test]
    fn files_that_serve_as_devices_are_refused_by_whatever_name() {
        let (root, kernel) = machine();
        for (name, why) in [("disk", "the content of loop0"), ("swap file", "swap space")] {
            let other = root.path().join(format!("{name} by another name"));
            fs::hard_link(root.path().join(name), &other).expect("linked");
            for path in [root.path().join(name), other] {
                let refusal = refusal_of_file(&kernel, &path, Origin::Ours(7), true);
                assert!(refusal.contains(why), "{}: {refusal}", path.display());
            }
        }
    }

    #[test]
    fn a_file_that_may_be_the_content_of_a_loop_device_is_refused() {
        let (root, kernel) = machine();
        let path = root.path().join("link of what is gone");
        // 512 bytes that are skipped, 3 sectors, and a rest that is no sector.
        fs::write(&path, vec![0; 4 * 512 + 100]).expect("written");
        let refusal = refusal_of_file(&kernel, &path, Origin::Ours(7), true);
        assert!(refusal.contains("may be the content of loop1"), "{refusal}");
        fs::write(&path, vec![0; 5 * 512]).expect("written");
        assert_eq!(refusal_of_file(&kernel, &path, Origin::Ours(7), true), "");
    }
}
