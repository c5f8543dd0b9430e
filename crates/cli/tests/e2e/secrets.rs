//! No password comes out: not on a screen, not in a file, not in the environment of a program.

use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use testing::bounded;

use super::bounds::pairs;
use super::{RECORDS, Room, isotherm, run};

/// The password of every address.
const SECRET: &str = "Tr0ub4dor";

/// Addresses with a password in each place where one may stand. Nothing listens on port 1.
const ADDRESSES: [&str; 33] = [
    "oracle://u:SECRET@127.0.0.1:1/s",
    "oracle://u/SECRET@127.0.0.1:1/s",
    "oracle://u@127.0.0.1:1/s?password=SECRET",
    "oracle://u:SECRET",
    "oracle+tcps://u:SECRET@127.0.0.1:1/s",
    "oracle://u@(DESCRIPTION=(ADDRESS=(HOST=127.0.0.1)(PORT=1))(PASSWORD=SECRET))",
    "oracle:u/SECRET@127.0.0.1/s",
    "sqlplus:u/SECRET@x",
    "awr:oracle://u:SECRET@127.0.0.1:1/s",
    "u/SECRET@orcl",
    "u:SECRET@orcl",
    "postgres://u:SECRET@127.0.0.1:1/d",
    "postgresql://u:a@SECRET@127.0.0.1:1/d",
    "postgres://u:SECRET/a b@127.0.0.1:1/d",
    "postgres://u@127.0.0.1:1/d?password=SECRET",
    "postgres:u:SECRET@127.0.0.1/d",
    "host=127.0.0.1 port=1 user=u password=SECRET dbname=d",
    "host=127.0.0.1 password = 'SECRET a' dbname=d",
    "redis://:SECRET@127.0.0.1:1",
    "redis://u:SECRET@127.0.0.1:1/0",
    "redis:u:SECRET@127.0.0.1",
    "prom+http://u:SECRET@127.0.0.1:1/metrics",
    "prom+http://127.0.0.1:1/metrics?token=SECRET",
    "prom+http://127.0.0.1:1/?query=x_bucket&password=SECRET",
    "mysql://u:SECRET@127.0.0.1:1/d",
    "sim:password=SECRET",
    "https://127.0.0.1:1/?api_key=SECRET",
    "https://SECRET@127.0.0.1:1/x?a=1&b=SECRET#SECRET",
    "cmd:curl -u joe:SECRET 127.0.0.1:1",
    "cmd:curl -H 'Authorization: Bearer SECRET' -H \"X-Api-Key: SECRET\" 127.0.0.1:1",
    "cmd:sshpass -p SECRET false",
    "cmd:AWS_SECRET_ACCESS_KEY=SECRET false; exit 3",
    "cmd:PGPASSWORD=SECRET sh -c 'echo password=SECRET >&2; exit 3'",
];

/// Commands that take an address where `ADDRESS` stands, in a directory of their own.
const COMMANDS: [&str; 30] = [
    "live ADDRESS --for 1s --ui stream",
    "live ADDRESS --for 1s --keep 1m --ui stream",
    "record ADDRESS -o out.heat --for 1s",
    "record records.txt -o ADDRESS",
    "replay ADDRESS",
    "show ADDRESS",
    "stats ADDRESS",
    "stats ADDRESS --format json",
    "stats records.txt ADDRESS",
    "stats --interval ADDRESS records.txt",
    "stats --fail-if ADDRESS records.txt",
    "stats --bogus=ADDRESS records.txt",
    "compare ADDRESS records.txt",
    "compare ADDRESS records.txt -o out.html",
    "explain ADDRESS",
    "report ADDRESS -o out.html",
    "report records.txt --title ADDRESS -o ADDRESS",
    "awr ADDRESS",
    "trace ADDRESS",
    "stress ADDRESS --operations 5 --record out.heat",
    "stress ADDRESS --operations 5 --scale 9 --size 1M",
    "stress sim:servers=1,service=1ms --operations 5 --alongside ADDRESS --record out.heat",
    "stress setup ADDRESS",
    "stress teardown ADDRESS",
    "sweep ADDRESS -o sweep --vary in-flight=1,2 --for 100ms --warmup 0",
    "sweep ADDRESS --write-plan plan.toml --vary in-flight=1,2",
    "analyze ADDRESS",
    "fit ADDRESS",
    "export ADDRESS --format csv",
    "import ADDRESS -o out.heat",
];

/// A file below a directory that holds the password.
fn kept_in_a_file(directory: &Path) -> Option<String> {
    fs::read_dir(directory).unwrap().flatten().find_map(|entry| {
        let path = entry.path();
        if path.is_dir() {
            return kept_in_a_file(&path);
        }
        let content = fs::read(&path).unwrap();
        let held = content.windows(SECRET.len()).any(|part| part == SECRET.as_bytes());
        held.then(|| path.display().to_string())
    })
}

#[test]
fn no_command_tells_a_password_of_an_address() {
    // A sample tries each command with two addresses, of other schemes, and each address with two commands at least.
    for (command, address) in pairs(COMMANDS.len(), ADDRESSES.len(), 2) {
        let (command, address) = (COMMANDS[command], ADDRESSES[address].replace("SECRET", SECRET));
        let room = Room::new();
        room.file("records.txt", RECORDS);
        let words: Vec<String> =
            command.split(' ').map(|word| word.replace("ADDRESS", &address)).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let mut isotherm = isotherm(&words);
        // Else it asks where there is a terminal.
        isotherm.env("ISOTHERM_ORACLE_PASSWORD", SECRET);
        let output = bounded::output(isotherm.current_dir(room.dir()));
        for (name, bytes) in [("stdout", &output.stdout), ("stderr", &output.stderr)] {
            let text = String::from_utf8_lossy(bytes);
            assert!(!text.contains(SECRET), "{command} with {address}, {name}: {text}");
        }
        let held = kept_in_a_file(room.dir());
        assert_eq!(held, None, "{command} with {address}");
    }
}

#[test]
fn a_password_of_a_command_is_not_in_what_is_recorded_of_it() {
    let room = Room::new();
    room.file("records.txt", RECORDS);
    let command = format!("cmd:API_TOKEN={SECRET} cat records.txt");
    for args in [
        &["record", &command, "-o", "a.heat"][..],
        &["report", "a.heat", "-o", "a.html"],
        &["report", "a.heat", "-o", "a.json"],
        &["stats", "a.heat", "--format", "json"],
    ] {
        let output = bounded::output(isotherm(args).current_dir(room.dir()));
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert!(!String::from_utf8_lossy(&output.stdout).contains(SECRET));
    }
    assert_eq!(kept_in_a_file(room.dir()), None);
}

#[test]
fn a_password_in_an_address_is_advised_against_by_every_database() {
    for (address, variable) in [
        ("oracle://u:pw@127.0.0.1:1/s", "ISOTHERM_ORACLE_PASSWORD"),
        ("postgres://u:pw@127.0.0.1:1/d", "PGPASSWORD"),
        ("postgres://u@127.0.0.1:1/d?password=pw", "PGPASSWORD"),
        ("redis://:pw@127.0.0.1:1", "REDISCLI_AUTH"),
    ] {
        let output = run(&["stress", address, "--operations", "5"]);
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(errors.contains("a password in an address can be read by everyone"), "{errors}");
        assert!(errors.contains(variable), "{errors}");
        assert_ne!(output.status.code(), Some(0));
    }
}

#[test]
fn a_file_with_the_password_is_read_for_every_database() {
    let room = Room::new();
    let missing = room.name("missing");
    for scheme in ["postgres://u@127.0.0.1:1/d", "redis://127.0.0.1:1", "oracle://u@127.0.0.1:1/s"]
    {
        let address = format!("{scheme}?password_file={missing}");
        let output = run(&["stress", &address, "--operations", "5"]);
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(errors.contains("cannot read the password file"), "{errors}");
        assert_eq!(output.status.code(), Some(3), "{errors}");
    }
    let file = room.file("password", format!("{SECRET}\n"));
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    let address = format!("postgres://u@127.0.0.1:1/d?password_file={file}");
    let output = run(&["stress", &address, "--operations", "5"]);
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(errors.contains("others can read the password file"), "{errors}");
    assert!(errors.contains("nothing listens there") && !errors.contains(SECRET), "{errors}");
}

#[test]
fn programs_that_are_run_do_not_get_our_passwords() {
    let room = Room::new();
    let seen = room.name("seen");
    let sqlplus = room.file("sqlplus", format!("#!/bin/sh\nenv > {seen}\n"));
    fs::set_permissions(&sqlplus, fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", room.dir().display(), std::env::var("PATH").unwrap());
    let command = format!("cmd:env > {seen}");
    for (address, kept) in [(command.as_str(), true), ("sqlplus:u@x", false)] {
        let _ = fs::remove_file(&seen);
        let _ = fs::remove_file(room.path("x.heat"));
        let mut record = isotherm(&["record", address, "-o", &room.name("x.heat"), "--for", "1s"]);
        record
            .env("PATH", &path)
            .env("ISOTHERM_ORACLE_PASSWORD", SECRET)
            .env("ISOTHERM_ORACLE_WALLET_PASSWORD", SECRET)
            .env("PGPASSWORD", "for psql");
        bounded::output(&mut record);
        let environment = fs::read_to_string(&seen).unwrap();
        assert!(!environment.contains(SECRET), "{address}: {environment}");
        // A command of the user's may be psql, which needs its own.
        assert_eq!(environment.contains("PGPASSWORD=for psql"), kept, "{address}");
        assert!(environment.contains("PATH="), "{address}");
    }
}

#[test]
fn a_command_is_recorded_by_its_name_unless_it_is_to_be_kept() {
    let room = Room::new();
    let records = room.file("records.txt", RECORDS);
    let command = format!("cmd:cat {records}");
    for (options, kept) in [(&[][..], false), (&["--keep-command"][..], true)] {
        let heat = room.name(if kept { "kept.heat" } else { "short.heat" });
        super::succeed(&[&["record", &command, "-o", &heat], options].concat());
        let about = super::succeed(&["stats", &heat, "--format", "json"]);
        let bytes = fs::read(&heat).unwrap();
        let holds = bytes.windows(records.len()).any(|part| part == records.as_bytes());
        assert_eq!(holds, kept, "{about}");
        let short = b"cmd:cat (1 argument)";
        assert_ne!(bytes.windows(short.len()).any(|part| part == short), kept, "{about}");
    }
}

/// What a server says that repeats the password: before it is talked to, and after each time that it is.
type Echo = (&'static str, &'static str, &'static [&'static [u8]]);

const ECHOES: [Echo; 3] = [
    (
        "postgres://u@PLACE/d?sslmode=disable",
        "PGPASSWORD",
        &[b"", b"R\0\0\0\x08\0\0\0\x03", b"E\0\0\0\x20C28P01\0MTr0ub4dor is wrong\0\0"],
    ),
    ("redis://u@PLACE", "REDISCLI_AUTH", &[b"", b"-ERR Tr0ub4dor is wrong\r\n"]),
    (
        "mysql://u@PLACE",
        "MYSQL_PWD",
        &[
            b"\x49\0\0\0\x0a8.0.1\0\x07\0\0\0abcdefgh\0\xfe\xf7\x2d\x02\0\xff\x81\x15\0\0\0\0\0\0\0\0\0\0ijklmnopqrst\0mysql_native_password\0",
            b"\x1b\0\0\x02\xff\x15\x04#28000Tr0ub4dor is wrong",
        ],
    ),
];

/// Serves each client what is said, one part after each time that it says something.
fn echoing((address, _, parts): Echo) -> String {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let place = listener.local_addr().unwrap().to_string();
    std::thread::spawn(move || {
        // ends: with the process of the test
        for client in listener.incoming() {
            let mut client = client.unwrap();
            for (number, part) in parts.iter().enumerate() {
                let spoken = number == 0 || client.read(&mut [0; 4_096]).is_ok_and(|read| read > 0);
                if !spoken || client.write_all(part).is_err() {
                    break;
                }
            }
        }
    });
    address.replace("PLACE", &place)
}

#[test]
fn a_server_that_repeats_the_password_does_not_get_it_printed() {
    for echo in ECHOES {
        let address = echoing(echo);
        for command in ["live --ui stream", "record -o FILE", "top --once --format json", "stress"]
        {
            let is_known = match command.split(' ').next() {
                Some("top") => echo.1 == "PGPASSWORD",
                Some("stress") => echo.1 != "MYSQL_PWD",
                _ => true,
            };
            if !is_known {
                continue;
            }
            let room = Room::new();
            let file = room.name("x.heat");
            let words =
                command.split(' ').map(|word| if word == "FILE" { file.as_str() } else { word });
            let args: Vec<&str> = words.chain([address.as_str()]).collect();
            let output = bounded::output(isotherm(&args).env(echo.1, SECRET));
            let said = [&output.stdout[..], &output.stderr].concat();
            let said = String::from_utf8_lossy(&said).into_owned();
            assert!(said.contains("*** is wrong") && !said.contains(SECRET), "{args:?}: {said}");
        }
    }
}
