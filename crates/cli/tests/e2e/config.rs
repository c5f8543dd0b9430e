//! The configuration file: found, read, refused, and outdone by the command line.

use std::process::{Command, Output};

use testing::bounded;

use super::Room;

/// Runs the program with this environment only for its configuration.
fn with(variables: &[(&str, &str)], args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_isotherm"));
    for name in ["ISOTHERM_CONFIG", "ISOTHERM_THEME", "ISOTHERM_ASCII", "XDG_CONFIG_HOME"] {
        command.env_remove(name);
    }
    bounded::output(command.envs(variables.iter().copied()).args(args))
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn doctor(variables: &[(&str, &str)], args: &[&str]) -> String {
    let output = with(variables, &[&["doctor"], args].concat());
    assert!(output.status.success(), "{output:?}");
    text(&output.stdout)
}

#[test]
fn the_file_of_the_user_is_used_and_doctor_says_so() {
    let room = Room::new();
    let path = room.name("isotherm/config.toml");
    std::fs::create_dir(room.name("isotherm")).unwrap();
    std::fs::write(&path, "theme = \"light\"\n[keys]\nnext = \"w\"\n").unwrap();
    let home = room.name("");
    let home = [("XDG_CONFIG_HOME", home.as_str())];
    let found = doctor(&home, &[]);
    let sets = "sets theme = light, keys.next = w (show the next series)";
    assert!(found.contains("config.toml") && found.contains(sets), "{found}");
    assert!(found.contains("Light background"), "{found}");
    // The environment comes before the file, and the command line before both.
    let both = [home[0], ("ISOTHERM_THEME", "dark")];
    assert!(doctor(&both, &[]).contains("Dark background"));
    assert!(doctor(&both, &["--theme", "light"]).contains("Light background"));
    // Another file, or none.
    let other = room.name("other.toml");
    std::fs::write(&other, "utc = true\n").unwrap();
    assert!(doctor(&home, &["--config", &other]).contains("other.toml sets utc = true"));
    assert!(doctor(&home, &["--config", "/dev/null"]).contains("/dev/null sets nothing"));
}

#[test]
fn a_word_that_is_not_known_is_refused_with_its_line_and_the_nearest_one() {
    let room = Room::new();
    let path = room.name("bad.toml");
    std::fs::write(&path, "utc = true\ntheem = \"dark\"\n").unwrap();
    let output = with(&[("ISOTHERM_CONFIG", &path)], &["show", "absent.heat"]);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    let said = text(&output.stderr);
    let wanted = "bad.toml:2: theem: there is no such setting; did you mean 'theme'?";
    assert!(said.contains(wanted), "{said}");
    let found = doctor(&[("ISOTHERM_CONFIG", &path)], &[]);
    assert!(found.contains(wanted), "{found}");
    let absent = with(&[], &["doctor", "--config", "/nonexistent.toml"]);
    assert!(text(&absent.stdout).contains("cannot be read"), "{absent:?}");
}

#[test]
fn what_is_configured_changes_what_is_shown() {
    let room = Room::new();
    let path = room.name("config.toml");
    let records = room.name("x.csv");
    std::fs::write(&records, "1 10\n2 20\n3 3000\n4 40\n").unwrap();
    let show = |config: &str, more: &[&str]| {
        std::fs::write(&path, config).unwrap();
        let shown = ["show", &records, "--columns", "time,latency", "--unit", "us"];
        let output = with(&[("ISOTHERM_CONFIG", &path)], &[&shown[..], more].concat());
        assert!(output.status.success(), "{output:?}");
        text(&output.stdout)
    };
    assert!(!show("", &[]).is_ascii());
    assert!(show("ascii = true\n", &[]).is_ascii());
    let rows = |text: &str| text.lines().count();
    let few = show("[maps]\nrows = 3\n", &[]);
    assert!(rows(&few) < rows(&show("", &[])), "{few}");
    // The command line comes first.
    assert_eq!(
        rows(&show("[maps]\nrows = 3\n", &["--rows", "12"])),
        rows(&show("", &["--rows", "12"]))
    );
}
