//! A server that does not answer, or that does not end its answer, is left: when we are asked to stop, and
//! when the time is over.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Output, Stdio};
use std::thread;

use rustix::process::Signal;
use testing::bounded;

use super::{Room, isotherm, signal};

/// What a server does once it has been talked to.
#[derive(Copy, Clone)]
enum Answer {
    /// Nothing.
    Silence,
    /// It says this again and again.
    Endless(&'static [u8]),
}
use Answer::{Endless, Silence};

/// An address, and what begins to answer there. No limit of the client's own is as short as a test.
type Case = (&'static str, Answer);

const NOTICE: Answer = Endless(b"N\0\0\0\x0cMhello\0\0");
const WATCHED: [Case; 4] = [
    ("postgres://u@PLACE/d?connect_timeout=3600", Silence),
    ("postgres://u@PLACE/d?connect_timeout=3600&sslmode=disable", NOTICE),
    ("mysql://u@PLACE", Silence),
    ("redis://PLACE", Silence),
];
const LOOKED_AT: [Case; 3] = [
    ("postgres://u@PLACE/d?connect_timeout=3600", Silence),
    ("postgres://u@PLACE/d?connect_timeout=3600&sslmode=disable", NOTICE),
    #[cfg(feature = "oracle")]
    ("oracle://u@PLACE/X?connect_timeout=3600s", Silence),
    #[cfg(not(feature = "oracle"))]
    ("postgres://u@PLACE/d?connect_timeout=3600", NOTICE),
];
const LOADED: [Case; 4] = [
    ("postgres://u@PLACE/d?connect_timeout=3600", Silence),
    ("postgres://u@PLACE/d?connect_timeout=3600&sslmode=disable", NOTICE),
    ("redis://PLACE", Silence),
    #[cfg(feature = "oracle")]
    ("oracle://u@PLACE/X?connect_timeout=3600s", Silence),
    #[cfg(not(feature = "oracle"))]
    ("redis://u@PLACE", Silence),
];

/// Begins to listen; gives the address with the place, and what takes clients: it talks to each until it
/// goes away, and says when the first one is there.
fn listening((address, answer): Case) -> (String, std::sync::mpsc::Receiver<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let place = listener.local_addr().unwrap().to_string();
    let (tell, connected) = std::sync::mpsc::channel();
    thread::spawn(move || {
        // ends: with the process of the test
        for client in listener.incoming() {
            let (client, tell) = (client.unwrap(), tell.clone());
            thread::spawn(move || talk(client, answer, &tell));
        }
    });
    (address.replace("PLACE", &place), connected)
}

fn talk(mut client: TcpStream, answer: Answer, tell: &std::sync::mpsc::Sender<()>) {
    // MySQL's server would be the first to speak.
    let _ = tell.send(());
    let mut said = [0; 4_096];
    match answer {
        Silence => while client.read(&mut said).is_ok_and(|read| read > 0) {},
        Endless(message) => {
            let _ = client.read(&mut said);
            while client.write_all(message).is_ok() {}
        }
    }
}

fn command(room: &Room, words: &[&str], address: &str) -> Vec<String> {
    let file = room.name("run.iso");
    let words = words.iter().map(|word| if *word == "FILE" { file.as_str() } else { *word });
    let mut args: Vec<String> = words.flat_map(|word| word.split(' ')).map(str::to_owned).collect();
    args.push(address.to_owned());
    args
}

fn start(args: &[String]) -> bounded::Child {
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let mut command = isotherm(&args);
    for variable in ["PGPASSWORD", "MYSQL_PWD", "REDISCLI_AUTH", "ISOTHERM_ORACLE_PASSWORD"] {
        command.env(variable, "not-asked-for");
    }
    bounded::spawn(command.stdout(Stdio::piped()).stderr(Stdio::piped()))
}

/// Stops a command once it has connected.
fn stopped(words: &[&str], case: Case, how: Signal) -> (String, Output) {
    let room = Room::new();
    let (address, connected) = listening(case);
    let child = start(&command(&room, words, &address));
    bounded::recv(&connected);
    signal(&child, how);
    let output = child.wait_with_output().unwrap();
    assert!(!room.path("run.iso").exists() || words[0] == "stress", "a recording of nothing");
    (format!("{words:?} {address}: {}", String::from_utf8_lossy(&output.stderr)), output)
}

#[test]
fn a_server_that_does_not_answer_is_left_on_a_signal() {
    for (number, case) in WATCHED.into_iter().enumerate() {
        let how = if number % 2 == 0 { Signal::INT } else { Signal::TERM };
        for words in [&["live", "--ui", "stream"][..], &["record", "-o", "FILE"]] {
            let (said, output) = stopped(words, case, how);
            assert_eq!(output.status.code(), Some(130), "{said}");
            assert!(said.contains("stopped before the server had answered"), "{said}");
        }
    }
    for case in LOOKED_AT {
        let (said, output) = stopped(&["top", "--once"], case, Signal::INT);
        assert_eq!(output.status.code(), Some(130), "{said}");
    }
}

#[test]
fn a_server_that_is_to_be_loaded_and_does_not_answer_is_left_on_a_signal() {
    for case in LOADED {
        for how in [Signal::INT, Signal::TERM] {
            let (said, output) = stopped(&["stress", "--for", "1h"], case, how);
            assert_eq!(output.status.code(), Some(130), "{said}");
        }
        let (said, output) = stopped(&["stress setup"], case, Signal::INT);
        assert_eq!(output.status.code(), Some(130), "{said}");
    }
}

#[test]
fn a_server_that_does_not_answer_is_left_when_the_time_is_over() {
    for case in WATCHED {
        let room = Room::new();
        let (address, _connected) = listening(case);
        let output = start(&command(&room, &["record", "-o", "FILE", "--for", "1s"], &address));
        let output = output.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(3), "{address}: {said}");
        assert!(said.contains("when the time (--for 1s) was over"), "{address}: {said}");
    }
}

#[test]
fn a_server_that_takes_no_export_is_left_on_a_signal() {
    let room = Room::new();
    let file = room.file("reads.csv", "1790000000.5 100\n1790000001.5 200\n");
    for how in [Signal::INT, Signal::TERM] {
        let (address, connected) = listening(("otlp+http://PLACE", Silence));
        let args = ["push", &file, "--unit", "us", "--to", &address].map(str::to_owned);
        let child = start(&args);
        bounded::recv(&connected);
        // wall clock: nothing but the time shows that it did not wait for the server.
        let asked = std::time::Instant::now();
        signal(&child, how);
        let output = child.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains("stopped before it had answered"), "{said}");
        assert!(!output.status.success());
        // The server has ten seconds for each of four tries where nobody is asked to stop.
        // wall clock: as above.
        assert!(asked.elapsed() < std::time::Duration::from_secs(8), "{:?}", asked.elapsed());
    }
}

#[test]
fn a_pipe_that_nobody_writes_is_left() {
    let room = Room::new();
    let pipe = room.name("pipe");
    let made = bounded::output(std::process::Command::new("mkfifo").arg(&pipe));
    assert!(made.status.success());
    let recording = room.name("run.iso");
    let record = ["record", &pipe, "-o", &recording].map(str::to_owned);
    let output = start(&[&record[..], &["--for", "1s"].map(str::to_owned)].concat());
    let output = output.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    for how in [Signal::INT, Signal::TERM] {
        let child = start(&record);
        // Its name is locked once it runs; the signal may come before or after the pipe is opened.
        bounded::until("the recorder", || room.path("run.iso-lock").exists().then_some(()));
        signal(&child, how);
        let output = child.wait_with_output().unwrap();
        assert!(output.status.code().is_some_and(|code| [3, 130].contains(&code)), "{output:?}");
    }
    // What is written later is read.
    let child = start(&[&record[..], &["--unit", "us"].map(str::to_owned)].concat());
    bounded::until("the recorder", || room.path("run.iso-lock").exists().then_some(()));
    std::fs::write(&pipe, "1790000000.5 100\n1790000001.5 200\n1790000002.5 200\n").unwrap();
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.contains("3 events"), "{said}");
}
