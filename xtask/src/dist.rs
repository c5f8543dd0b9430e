//! Makes what is given to users: one static program with its pages, as an archive and as a Python wheel, with checksums.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::program;

/// The C compiler of static programs, and the Debian package it is in.
const MUSL_COMPILER: (&str, &str) = ("musl-gcc", "musl-tools");
/// What stands in the archive as it is in the repository.
const DOCUMENTS: [&str; 3] = ["README.md", "LICENSE", "CHANGELOG.md"];
/// Shells that completions are made for, each with the name its file has.
const SHELLS: [(&str, &str); 3] =
    [("bash", "isotherm.bash"), ("zsh", "_isotherm"), ("fish", "isotherm.fish")];

/// Packs a program as a wheel.
const WHEEL: &str = include_str!("wheel.py");

/// Builds the program, packs it and tells where it is. `--host` builds for this machine's C library
/// instead of a static program.
pub fn run(root: &Path, arguments: impl Iterator<Item = String>) -> Result<Vec<String>> {
    let host = crate::fuzz::host()?;
    let target = target(&host, arguments)?;
    let is_static = target.ends_with("-musl");
    if is_static {
        check_tools(&target)?;
    }
    let targets = program::target(root);
    let program = build(root, &targets, &target)?;
    if is_static {
        check_static(&program)?;
    }
    let name = format!("isotherm-{}-{target}", env!("CARGO_PKG_VERSION"));
    let packed = targets.join("dist");
    let pages = packed.join("pages");
    write_pages(&program, &pages)?;
    furnish(root, (&program, &pages), &packed.join(&name))?;
    let committed_s = committed_s(root);
    let archive = pack(&committed_s, &packed, &name)?;
    let mut files = vec![archive];
    if is_there("python3") {
        files.push(wheel(root, (&program, &pages), (&target, &committed_s), &packed)?);
    } else {
        println!("no wheel: python3 is not there");
    }
    for file in files.iter().chain([&program]) {
        println!("{} ({} KB)", file.display(), fs::metadata(file)?.len().div_ceil(1_000));
    }
    for file in files.iter().filter_map(|file| file.file_name()?.to_str()) {
        println!("{}", checksum(&packed, file)?);
    }
    Ok(Vec::new())
}

/// What to build for: a static program for this machine's processor, if nothing else is said.
fn target(host: &str, arguments: impl Iterator<Item = String>) -> Result<String> {
    let arguments: Vec<String> = arguments.collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        [] => {
            let processor = host.split('-').next().unwrap_or(host);
            Ok(format!("{processor}-unknown-linux-musl"))
        }
        ["--host"] => Ok(host.to_owned()),
        other => bail!("dist {}: only --host is known", other.join(" ")),
    }
}

/// Whether there is a standard library and a C compiler for static programs.
fn check_tools(target: &str) -> Result<()> {
    let library = output(Command::new("rustc").args(["--print=target-libdir", "--target", target]));
    if !library.is_ok_and(|path| Path::new(path.trim()).is_dir()) {
        bail!("no standard library for {target}: rustup target add {target}, or dist --host");
    }
    let (compiler, package) = MUSL_COMPILER;
    if !is_there(compiler) {
        bail!("no {compiler}: apt-get install {package}, or dist --host");
    }
    Ok(())
}

fn build(root: &Path, targets: &Path, target: &str) -> Result<PathBuf> {
    let mut command = Command::new(env!("CARGO"));
    command.current_dir(root).args(["build", "--locked", "--profile", "dist"]);
    command.args(["--package", "isotherm", "--target", target]);
    if !command.status()?.success() {
        bail!("the program could not be built for {target}");
    }
    Ok(targets.join(target).join("dist").join("isotherm"))
}

/// A program that asks for a loader is not static.
fn check_static(program: &Path) -> Result<()> {
    let headers =
        output(Command::new("readelf").args(["--program-headers", "--wide"]).arg(program))?;
    if headers.contains("INTERP") {
        bail!("{}: needs a loader, and is not static", program.display());
    }
    Ok(())
}

/// Lets the program write its manual pages and completions, where packages look for them.
fn write_pages(program: &Path, pages: &Path) -> Result<()> {
    let (man, completions) = (pages.join("man"), pages.join("completions"));
    empty(&man)?;
    empty(&completions)?;
    output(Command::new(program).arg("man").arg(&man))?;
    for (shell, name) in SHELLS {
        let script = output(Command::new(program).args(["completions", shell]))?;
        fs::write(completions.join(name), script)?;
    }
    Ok(())
}

/// Puts everything that is packed into a directory.
fn furnish(root: &Path, (program, pages): (&Path, &Path), packed: &Path) -> Result<()> {
    empty(packed)?;
    fs::copy(program, packed.join("isotherm"))?;
    for name in DOCUMENTS {
        fs::copy(root.join(name), packed.join(name))?;
    }
    output(Command::new("cp").arg("-r").arg(pages.join("man")).arg(packed))?;
    output(Command::new("cp").arg("-r").arg(pages.join("completions")).arg(packed))?;
    Ok(())
}

/// Makes an empty directory.
fn empty(directory: &Path) -> Result<()> {
    if directory.exists() {
        fs::remove_dir_all(directory)?;
    }
    Ok(fs::create_dir_all(directory)?)
}

/// Whether a program can be run.
fn is_there(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok()
}

/// When the last commit was made, in seconds since 1970, so that what is packed does not depend on the hour.
fn committed_s(root: &Path) -> String {
    let committed =
        output(Command::new("git").current_dir(root).args(["log", "-1", "--format=%ct"]));
    committed.as_deref().map_or("0", str::trim).to_owned()
}

/// Packs the program and its pages as a wheel, which `pip` puts where programs are.
fn wheel(
    root: &Path,
    (program, pages): (&Path, &Path),
    (target, committed_s): (&str, &str),
    packed: &Path,
) -> Result<PathBuf> {
    let mut command = Command::new("python3");
    command.args(["-c", WHEEL]).args([program, pages]);
    command.args([root.join("README.md"), root.join("LICENSE")]);
    command.args([env!("CARGO_PKG_VERSION"), target, committed_s]).arg(packed);
    Ok(packed.join(output(&mut command)?.trim()))
}

/// Packs a directory; the same files give the same bytes, whoever packs them and when.
fn pack(committed_s: &str, packed: &Path, name: &str) -> Result<PathBuf> {
    let archive = packed.join(format!("{name}.tar.gz"));
    let mut command = Command::new("tar");
    command.current_dir(packed).args(["--sort=name", "--owner=0", "--group=0", "--numeric-owner"]);
    command.arg(format!("--mtime=@{committed_s}"));
    command.args(["--use-compress-program=gzip -9n", "-cf"]).arg(&archive).arg(name);
    output(&mut command)?;
    Ok(archive)
}

/// Writes the checksum of a file beside it, as `sha256sum --check` reads it; gives it.
fn checksum(packed: &Path, file: &str) -> Result<String> {
    let line = output(Command::new("sha256sum").current_dir(packed).arg(file))?;
    fs::write(packed.join(format!("{file}.sha256")), &line)?;
    Ok(line.trim_end().to_owned())
}

/// Runs a program that must succeed; gives what it prints.
fn output(command: &mut Command) -> Result<String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command.output().with_context(|| format!("cannot run {program}"))?;
    if !output.status.success() {
        bail!("{program}: {}", String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_static_program_for_this_processor_is_made_unless_the_host_is_asked_for() {
        let of = |words: &[&str]| {
            target("aarch64-unknown-linux-gnu", words.iter().map(|&word| word.to_owned()))
        };
        assert_eq!(of(&[]).unwrap(), "aarch64-unknown-linux-musl");
        assert_eq!(of(&["--host"]).unwrap(), "aarch64-unknown-linux-gnu");
        assert!(of(&["--hosts"]).is_err());
    }

    #[test]
    fn an_archive_is_the_same_whenever_it_is_packed_and_its_checksum_can_be_checked() {
        let packed = std::env::temp_dir().join(format!("isotherm-dist-{}", std::process::id()));
        fs::create_dir_all(packed.join("room")).unwrap();
        let file = packed.join("room").join("isotherm");
        let mut archives = Vec::new();
        for modified_s in [1_000_000_000, 1_700_000_000] {
            fs::write(&file, "program").unwrap();
            let modified = std::time::UNIX_EPOCH + std::time::Duration::from_secs(modified_s);
            fs::File::options().write(true).open(&file).unwrap().set_modified(modified).unwrap();
            let archive = pack("1700000000", &packed, "room").unwrap();
            archives.push(fs::read(archive).unwrap());
        }
        assert_eq!(archives[0], archives[1]);
        checksum(&packed, "room.tar.gz").unwrap();
        let mut check = Command::new("sha256sum");
        output(check.current_dir(&packed).args(["--check", "room.tar.gz.sha256"])).unwrap();
        fs::remove_dir_all(&packed).unwrap();
    }

    /// What a wheel holds by the words of its format, looked at by Python's own reader of archives.
    const LOOK: &str = r#"
import base64, hashlib, sys, zipfile
wheel = zipfile.ZipFile(sys.argv[1])
record = next(name for name in wheel.namelist() if name.endswith(".dist-info/RECORD"))
lines = [line.split(",") for line in wheel.read(record).decode().splitlines()]
assert sorted(line[0] for line in lines) == sorted(wheel.namelist())
for name, digest, size in lines:
    if name != record:
        found = hashlib.sha256(wheel.read(name)).digest()
        assert digest == "sha256=" + base64.urlsafe_b64encode(found).decode().rstrip("="), name
        assert int(size) == len(wheel.read(name))
program = wheel.getinfo("isotherm-%s.data/scripts/isotherm" % sys.argv[2])
assert program.external_attr >> 16 == 0o100755
print(wheel.read(program).decode())
print(wheel.read(record.replace("RECORD", "WHEEL")).decode().count("Tag: py3-none-"))
"#;

    #[test]
    fn a_wheel_holds_the_program_and_says_so() {
        if !is_there("python3") {
            println!("SKIPPED: no python3");
            return;
        }
        let scratch = tempfile::tempdir().unwrap();
        let (program, pages) = (scratch.path().join("program"), scratch.path().join("pages"));
        fs::write(&program, "the program").unwrap();
        for directory in ["man", "completions"] {
            fs::create_dir_all(pages.join(directory)).unwrap();
        }
        fs::write(pages.join("man/isotherm.1"), "man").unwrap();
        for (_, name) in SHELLS {
            fs::write(pages.join("completions").join(name), name).unwrap();
        }
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let target = "aarch64-unknown-linux-musl";
        let make = |out: &str| {
            let out = scratch.path().join(out);
            fs::create_dir_all(&out).unwrap();
            wheel(root, (&program, &pages), (target, "1700000000"), &out).unwrap()
        };
        let (one, two) = (make("one"), make("two"));
        let version = env!("CARGO_PKG_VERSION");
        let name = one.file_name().unwrap().to_str().unwrap();
        let systems = "manylinux2014_aarch64.manylinux_2_17_aarch64.musllinux_1_1_aarch64";
        assert_eq!(name, format!("isotherm-{version}-py3-none-{systems}.whl"));
        assert_eq!(fs::read(&one).unwrap(), fs::read(&two).unwrap());
        let mut look = Command::new("python3");
        let found = output(look.args(["-c", LOOK]).arg(&one).arg(version)).unwrap();
        assert_eq!(found, "the program\n3\n");
    }
}
