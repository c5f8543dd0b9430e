//! Opening the page in a browser, without the token on a command line that every user can read.

use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use isotherm_serve::Token;

use crate::failure::{Code, Failure};
use crate::screen;

/// A file that leads to the page, and that only its owner can read. It goes when this is dropped.
pub struct Page(PathBuf);

impl Page {
    /// Writes the file and opens it.
    pub fn open(address: &str) -> Result<Page, Failure> {
        let directory = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from);
        let directory = directory.filter(|path| path.is_dir()).unwrap_or_else(std::env::temp_dir);
        let path = new_path(&directory)?;
        write(&path, address).map_err(|error| {
            let what_next = "open the address above in a browser";
            Failure::new(Code::Runtime, format!("--open: {}: {error}: {what_next}", path.display()))
        })?;
        let page = Page(path);
        let opened = Command::new("xdg-open")
            .arg(&page.0)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        match opened {
            // It ends by itself; this thread only fetches its exit status.
            Ok(mut child) => drop(std::thread::spawn(move || child.wait())),
            Err(error) => screen::warn(&format!(
                "--open: cannot start xdg-open ({error}): open the address above in a browser"
            )),
        }
        Ok(page)
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// A name that no file has, also not one of a run that was killed.
fn new_path(directory: &Path) -> Result<PathBuf, Failure> {
    let random = Token::random();
    let random = random.map_err(|error| Failure::new(Code::Runtime, format!("--open: {error}")))?;
    Ok(directory.join(format!("isotherm-serve-{}.html", random.text())))
}

/// The address holds letters, digits and what stands in host names: nothing that markup obeys.
fn write(path: &Path, address: &str) -> std::io::Result<()> {
    // Never one that somebody else has put there.
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    writeln!(
        file,
        "<!doctype html><meta charset=\"utf-8\"><title>isotherm</title>\
         <meta http-equiv=\"refresh\" content=\"0; url={address}\"><a href=\"{address}\">isotherm</a>"
    )
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn the_file_is_its_owners_only_and_never_another_ones() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("x.html");
        write(&path, "http://127.0.0.1:1/#token=a").unwrap();
        let mode = std::fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        assert!(
            std::fs::read_to_string(&path).unwrap().contains("url=http://127.0.0.1:1/#token=a")
        );
        assert!(write(&path, "http://other").is_err());
        // Another run writes another file, whatever its process is called.
        let [one, other] = [(); 2].map(|()| new_path(directory.path()).unwrap());
        assert_ne!(one, other);
    }
}
