use std::os::unix::fs::{PermissionsExt, symlink};

use super::*;

const PAGE: &str = "<!-- isotherm report -->\nan old report\n";

fn written(path: &Path, force: bool, inputs: &[&Path]) -> Result<Option<String>, Failure> {
    Destination::to(path, Kind::Markdown, force, inputs)?.write(b"<!-- isotherm report -->\nnew\n")
}

fn content(path: &Path) -> String {
    fs::read_to_string(path).expect("read")
}

/// The names in a directory.
fn names(room: &Path) -> Vec<String> {
    let entries = fs::read_dir(room).expect("listed").flatten();
    let mut names: Vec<String> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort_unstable();
    names
}

#[test]
fn what_isotherm_wrote_is_replaced_and_what_it_did_not_is_left_alone() {
    let room = tempfile::tempdir().expect("a room");
    let path = room.path().join("x.md");
    for own in [PAGE, ""] {
        fs::write(&path, own).expect("written");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).expect("set");
        written(&path, false, &[]).expect("replaced");
        assert!(content(&path).ends_with("new\n"));
        assert_eq!(fs::metadata(&path).expect("there").mode() & 0o777, 0o640);
    }
    fs::write(&path, "# My thesis").expect("written");
    let refused = written(&path, false, &[]).expect_err("refused");
    assert_eq!(refused.code, Code::Usage);
    assert!(refused.message.contains("--force"), "{refused}");
    assert_eq!(content(&path), "# My thesis");
    written(&path, true, &[]).expect("forced");
    assert!(content(&path).ends_with("new\n"));
    assert_eq!(names(room.path()), ["x.md"]);
}

#[test]
fn an_input_is_never_replaced_by_whatever_name() {
    let room = tempfile::tempdir().expect("a room");
    let input = room.path().join("input.md");
    fs::write(&input, PAGE).expect("written");
    let (hard, soft) = (room.path().join("hard.md"), room.path().join("soft.md"));
    fs::hard_link(&input, &hard).expect("linked");
    symlink(&input, &soft).expect("linked");
    for path in [&input, &hard, &soft, &with_end(&input, "-wal")] {
        let refused = written(path, true, &[&input]).expect_err("refused");
        assert!(refused.message.contains("reads that file"), "{refused}");
    }
    assert_eq!(content(&input), PAGE);
}

#[test]
fn in_a_directory_that_is_read_only_reports_are_replaced() {
    let room = tempfile::tempdir().expect("a room");
    let (plan, report) = (room.path().join("plan.toml"), room.path().join("x.md"));
    fs::write(&plan, "seed = 1").expect("written");
    fs::write(&report, PAGE).expect("written");
    assert!(written(&plan, true, &[room.path()]).is_err());
    assert_eq!(content(&plan), "seed = 1");
    written(&report, false, &[room.path()]).expect("replaced");
}

#[test]
fn a_link_is_followed_only_to_what_may_be_replaced() {
    let room = tempfile::tempdir().expect("a room");
    let path = |name: &str| room.path().join(name);
    fs::write(path("own.md"), PAGE).expect("written");
    fs::write(path("foreign"), "mine").expect("written");
    for (link, target) in [("a", "own.md"), ("b", "foreign"), ("c", "nowhere")] {
        symlink(path(target), path(link)).expect("linked");
    }
    written(&path("a"), false, &[]).expect("written");
    assert!(content(&path("own.md")).ends_with("new\n"));
    for (link, why) in [("b", "a symbolic link to"), ("c", "leads to a file that does not exist")] {
        let refused = written(&path(link), true, &[]).expect_err("refused");
        assert!(refused.message.contains(why), "{refused}");
    }
    assert_eq!(content(&path("foreign")), "mine");
    assert_eq!(names(room.path()), ["a", "b", "c", "foreign", "own.md"]);
}

#[test]
fn what_fails_leaves_the_old_file_and_nothing_else() {
    let room = tempfile::tempdir().expect("a room");
    for (name, old) in [("old.md", Some(PAGE)), ("new.md", None)] {
        let path = room.path().join(name);
        if let Some(old) = old {
            fs::write(&path, old).expect("written");
        }
        let nothing: [&Path; 0] = [];
        let destination = Destination::to(&path, Kind::Markdown, false, &nothing).expect("free");
        let failed = destination.write_by(&mut |out| {
            out.write_all(b"half").map_err(Broken::Output)?;
            Err(Broken::Other(Failure::usage("no more")))
        });
        assert_eq!(failed.expect_err("failed").message, "no more");
        assert_eq!(old.is_some(), path.exists());
    }
    assert_eq!(content(&room.path().join("old.md")), PAGE);
    assert_eq!(names(room.path()), ["old.md"]);
}

#[test]
fn what_came_into_being_in_the_meantime_is_not_replaced() {
    let room = tempfile::tempdir().expect("a room");
    let path = room.path().join("x.md");
    let nothing: [&Path; 0] = [];
    let destination = Destination::to(&path, Kind::Markdown, false, &nothing).expect("free");
    let written = destination.write_by(&mut |out| {
        fs::write(&path, "mine").expect("written");
        out.write_all(b"report").map_err(Broken::Output)
    });
    assert!(written.is_err());
    assert_eq!((content(&path).as_str(), names(room.path()).len()), ("mine", 1));
}

#[test]
fn without_files_that_have_no_name_it_is_the_same() {
    let room = tempfile::tempdir().expect("a room");
    let path = room.path().join("x.md");
    let mut staged = Staged::named(&path).expect("begun");
    staged.write_all(b"one").expect("written");
    assert_eq!(names(room.path()).len(), 1);
    drop(staged);
    assert_eq!(names(room.path()).len(), 0);
    for (text, there) in [("first", false), ("second", true)] {
        let mut staged = Staged::named(&path).expect("begun");
        staged.write_all(text.as_bytes()).expect("written");
        let there = there.then(|| fs::metadata(&path).expect("there"));
        assert_eq!(staged.put(there.as_ref()).expect("put"), text.len() as u64);
        assert_eq!((content(&path).as_str(), names(room.path()).len()), (text, 1));
    }
    let mut staged = Staged::named(&path).expect("begun");
    staged.write_all(b"third").expect("written");
    assert!(staged.put(None).is_err(), "the name is taken");
    assert_eq!((content(&path).as_str(), names(room.path()).len()), ("second", 1));
}

#[test]
fn streams_are_written_to_as_they_are_and_disks_never() {
    let nothing: [&Path; 0] = [];
    let to = |path: &str| Destination::to(Path::new(path), Kind::Page, false, &nothing);
    assert_eq!(to("-").expect("good").place, Place::Screen);
    assert_eq!(to("/dev/stdout").expect("good").place, Place::Screen);
    assert_eq!(to("/dev/stderr").expect("good").place, Place::Errors);
    assert_eq!(to("/dev/null").expect("good").place, Place::Stream("/dev/null".into()));
    to("/dev/null").expect("good").write(b"x").expect("written");
    assert!(to("/dev/full").expect("good").write(b"x").is_err());
    assert!(to("/tmp").expect_err("a directory").message.contains("a directory"));
}
