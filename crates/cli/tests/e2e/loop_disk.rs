//! A filesystem in a file, on a device that nobody else uses.

use std::fs::{self, File};
use std::path::PathBuf;
use std::process::Command;

use testing::bounded;

use super::Room;
use super::uprobes::passed_over;

/// A filesystem of its own, unmounted when it is dropped.
pub(super) struct LoopDisk {
    pub(super) device: String,
    pub(super) mounted: PathBuf,
}

fn succeeds(command: &mut Command) -> bool {
    bounded::try_output(command).is_ok_and(|output| output.status.success())
}

impl LoopDisk {
    /// `None`, said aloud, where no such device can be made.
    pub(super) fn new(room: &Room) -> Option<LoopDisk> {
        let image = room.path("disk.img");
        File::create(&image).unwrap().set_len(512 << 20).unwrap();
        let mut losetup = Command::new("losetup");
        let made = bounded::try_output(losetup.args(["-f", "--show"]).arg(&image)).ok()?;
        let device = String::from_utf8(made.stdout).unwrap().trim().to_owned();
        if !made.status.success() || device.is_empty() {
            passed_over("no loop device can be made");
            return None;
        }
        let mounted = room.path("disk");
        fs::create_dir(&mounted).unwrap();
        let disk = LoopDisk { device, mounted };
        let is_formatted = succeeds(Command::new("mkfs.ext4").args(["-q", &disk.device]));
        let mut mount = Command::new("mount");
        if !is_formatted || !succeeds(mount.arg(&disk.device).arg(&disk.mounted)) {
            passed_over("no filesystem can be made");
            return None;
        }
        // The server runs as another user.
        let open = std::os::unix::fs::PermissionsExt::from_mode(0o777);
        fs::set_permissions(&disk.mounted, open).unwrap();
        let through = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        fs::set_permissions(room.path(""), through).unwrap();
        Some(disk)
    }

    /// Writes everything down.
    pub(super) fn sync(&self) {
        assert!(succeeds(Command::new("sync").arg("-f").arg(&self.mounted)));
    }

    /// What the kernel counts: reads, sectors read, writes, flushes.
    pub(super) fn counts(&self) -> [u64; 4] {
        let name = self.device.trim_start_matches("/dev/");
        let all = fs::read_to_string("/proc/diskstats").unwrap();
        let line = all.lines().find(|line| line.split_whitespace().nth(2) == Some(name)).unwrap();
        let field = |at: usize| line.split_whitespace().nth(at).unwrap().parse().unwrap();
        [field(3), field(5), field(7), field(18)]
    }

    /// `7:0`
    pub(super) fn number(&self) -> String {
        let name = self.device.trim_start_matches("/dev/");
        fs::read_to_string(format!("/sys/block/{name}/dev")).unwrap().trim().to_owned()
    }
}

impl Drop for LoopDisk {
    fn drop(&mut self) {
        succeeds(Command::new("umount").arg(&self.mounted));
        succeeds(Command::new("losetup").args(["-d", &self.device]));
    }
}
