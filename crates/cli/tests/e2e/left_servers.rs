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
    /// It has no TLS, and says this again and again after that.
    WithoutTls(&'static [u8]),
    /// It lets the client log on, and does not end its answer to the first statement.
    LoggedOn(fn() -> Dialogue),
}
use Answer::{Endless, LoggedOn, Silence, WithoutTls};

/// What a server says.
struct Dialogue {
    /// Before the client says anything.
    greeting: Vec<u8>,
    /// Each after the client has said something.
    answers: Vec<Vec<u8>>,
    /// After the client's question.
    head: Vec<u8>,
    /// Again and again after that.
    again: Vec<u8>,
}

/// An address, and what begins to answer there. No limit of the client's own is as short as a test.
type Case = (&'static str, Answer);

const NOTICE: Answer = Endless(b"N\0\0\0\x0cMhello\0\0");
const NOTICE_WITHOUT_TLS: Answer = WithoutTls(b"N\0\0\0\x0cMhello\0\0");

/// `PostgreSQL` takes the log-on and repeats a message.
fn postgres(again: &[u8]) -> Dialogue {
    let taken = b"R\0\0\0\x08\0\0\0\0K\0\0\0\x0c\0\0\0\x01\0\0\0\x02Z\0\0\0\x05I".to_vec();
    Dialogue { greeting: Vec::new(), answers: vec![taken], head: Vec::new(), again: again.to_vec() }
}

/// `MySQL` takes the log-on and repeats a row.
fn mysql() -> Dialogue {
    let packet = |number: u8, content: &[u8]| {
        let [length, ..] = content.len().to_le_bytes();
        [&[length, 0, 0, number], content].concat()
    };
    let version =
        b"\x0a8.0.36\0\x07\0\0\0abcdefgh\0\xff\xf7\x2d\x02\0\x8f\0\x15\0\0\0\0\0\0\0\0\0\0";
    let greeting = [&version[..], b"ijklmnopqrst\0mysql_native_password\0"].concat();
    let column = b"\x03def\0\0\0\x01a\0\x0c\x3f\0\x0b\0\0\0\x03\0\0\0\0\0";
    let head = [packet(1, b"\x01"), packet(2, column), packet(3, b"\xfe\0\0\x02\0")].concat();
    // The numbers of packets begin anew after 256.
    let rows = (0..=u8::MAX).map(|number| packet(number.wrapping_add(4), b"\x011"));
    Dialogue {
        greeting: packet(0, &greeting),
        answers: vec![packet(2, b"\0\0\0\x02\0\0\0")],
        head,
        again: rows.collect::<Vec<_>>().concat(),
    }
}

const TALKING: [Case; 5] = [
    (
        "postgres://u@PLACE/d?sslmode=disable",
        LoggedOn(|| postgres(b"D\0\0\0\x0b\0\x01\0\0\0\x011")),
    ),
    ("postgres://u@PLACE/d?sslmode=disable", LoggedOn(|| postgres(b"N\0\0\0\x0cMhello\0\0"))),
    ("postgres://u@PLACE/d?sslmode=disable", LoggedOn(|| postgres(b"S\0\0\0\x08a\0b\0"))),
    ("postgres://u@PLACE/d?sslmode=disable", LoggedOn(|| postgres(b"A\0\0\0\x0c\0\0\0\x01a\0b\0"))),
    ("mysql://u@PLACE", LoggedOn(mysql)),
];
const WATCHED: [Case; 5] = [
    ("postgres://u@PLACE/d?connect_timeout=3600", NOTICE_WITHOUT_TLS),
    ("postgres://u@PLACE/d?connect_timeout=3600", Silence),
    ("postgres://u@PLACE/d?connect_timeout=3600&sslmode=disable", NOTICE),
    ("mysql://u@PLACE", Silence),
    ("redis://PLACE", Silence),
];
const LOOKED_AT: [Case; 4] = [
    ("postgres://u@PLACE/d?connect_timeout=3600", NOTICE_WITHOUT_TLS),
    ("postgres://u@PLACE/d?connect_timeout=3600", Silence),
    ("postgres://u@PLACE/d?connect_timeout=3600&sslmode=disable", NOTICE),
    #[cfg(feature = "oracle")]
    ("oracle://u@PLACE/X?connect_timeout=3600s", Silence),
    #[cfg(not(feature = "oracle"))]
    ("postgres://u@PLACE/d?connect_timeout=3600", NOTICE),
];
const LOADED: [Case; 5] = [
    ("postgres://u@PLACE/d?connect_timeout=3600", NOTICE_WITHOUT_TLS),
    ("postgres://u@PLACE/d?connect_timeout=3600", Silence),
    ("postgres://u@PLACE/d?connect_timeout=3600&sslmode=disable", NOTICE),
    ("redis://PLACE", Silence),
    #[cfg(feature = "oracle")]
    ("oracle://u@PLACE/X?connect_timeout=3600s", Silence),
    #[cfg(not(feature = "oracle"))]
    ("redis://u@PLACE", Silence),
];

/// A web server whose page has no end.
fn web() -> Dialogue {
    let head = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n".to_vec();
    let again = b"x_seconds_bucket{le=\"1\"} 1\n".to_vec();
    Dialogue { greeting: Vec::new(), answers: Vec::new(), head, again }
}

/// An Oracle listener that asks again and again to be asked once more (a RESEND packet).
#[cfg(feature = "oracle")]
fn oracle() -> Dialogue {
    let again = b"\0\x08\0\0\x0b\0\0\0".to_vec();
    Dialogue { greeting: Vec::new(), answers: Vec::new(), head: Vec::new(), again }
}

/// Begins to listen; gives the address with the place, and what takes clients: it talks to each until it
/// goes away, and says when the first one is there, or is logged on.
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
    if let LoggedOn(dialogue) = answer {
        return talk_on(client, &dialogue(), tell).unwrap_or_default();
    }
    // MySQL's server would be the first to speak.
    let _ = tell.send(());
    let mut said = [0; 4_096];
    match answer {
        Silence => while client.read(&mut said).is_ok_and(|read| read > 0) {},
        Endless(message) => {
            let _ = client.read(&mut said);
            while client.write_all(message).is_ok() {}
        }
        WithoutTls(message) => {
            // The question for TLS, and the logon.
            let _ = client.read(&mut said);
            let _ = client.write_all(b"N");
            let _ = client.read(&mut said);
            while client.write_all(message).is_ok() {}
        }
        LoggedOn(_) => {}
    }
}

/// Lets a client log on and talks on slowly, so that no limit of bytes is reached.
fn talk_on(
    mut client: TcpStream,
    dialogue: &Dialogue,
    tell: &std::sync::mpsc::Sender<()>,
) -> std::io::Result<()> {
    let mut said = [0; 4_096];
    client.write_all(&dialogue.greeting)?;
    for answer in dialogue.answers.iter().map(Some).chain([None]) {
        if client.read(&mut said)? == 0 {
            return Ok(());
        }
        if let Some(answer) = answer {
            client.write_all(answer)?;
        }
    }
    client.write_all(&dialogue.head)?;
    let _ = tell.send(());
    loop {
        client.write_all(&dialogue.again)?;
        // wall clock: the time between two messages, whatever it is.
        thread::sleep(std::time::Duration::from_millis(1));
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
fn a_server_that_talks_on_after_the_log_on_is_left_on_a_signal() {
    for (number, case) in TALKING.into_iter().enumerate() {
        let how = if number % 2 == 0 { Signal::INT } else { Signal::TERM };
        let is_postgres = case.0.starts_with("postgres");
        let commands: [&[&str]; 4] = [
            &["live", "--ui", "stream"],
            &["record", "-o", "FILE"],
            &["top", "--once"],
            &["stress", "--for", "1h"],
        ];
        for words in &commands[..if is_postgres { 4 } else { 2 }] {
            let (said, output) = stopped(words, case, how);
            assert_eq!(output.status.code(), Some(130), "{said}");
        }
    }
}

#[test]
fn a_page_without_end_is_left_on_a_signal() {
    for how in [Signal::INT, Signal::TERM] {
        let case = ("prom+http://PLACE/metrics", LoggedOn(web));
        let (said, output) = stopped(&["record", "-o", "FILE"], case, how);
        assert_eq!(output.status.code(), Some(3), "{said}");
        assert!(said.contains("no data came from"), "{said}");
        let (said, output) = stopped(&["live", "--ui", "stream"], case, how);
        assert!(output.status.code().is_some(), "{said}");
    }
}

#[cfg(feature = "oracle")]
#[test]
fn a_listener_that_asks_without_end_is_left_on_a_signal() {
    let case = ("oracle://u@PLACE/X", LoggedOn(oracle));
    for words in [&["top", "--once"][..], &["stress", "--for", "1h"], &["stress setup"]] {
        let (said, output) = stopped(words, case, Signal::INT);
        assert_eq!(output.status.code(), Some(130), "{words:?}: {said}");
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
    // All at the same time: each takes a second and more.
    let begun = WATCHED.into_iter().chain(TALKING).map(|case| {
        let room = Room::new();
        let (address, connected) = listening(case);
        let child = start(&command(&room, &["record", "-o", "FILE", "--for", "1s"], &address));
        (room, address, connected, child)
    });
    for (_room, address, _connected, child) in begun.collect::<Vec<_>>() {
        let output = child.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(3), "{address}: {said}");
        assert!(said.contains("when the time (--for 1s) was over"), "{address}: {said}");
    }
}

/// Redis: it says what a server says, and more than it is asked.
#[test]
fn a_server_that_answers_ok_without_end_is_not_reachable() {
    const OK: Answer = Endless(b"+OK\r\n+OK\r\n+OK\r\n+OK\r\n");
    let commands: [&[&str]; 5] = [
        &["live", "--ui", "stream", "--for", "1h"],
        &["record", "-o", "FILE", "--for", "1h"],
        &["stress", "--for", "1h"],
        &["stress setup"],
        &["stress teardown"],
    ];
    for words in commands {
        let room = Room::new();
        let (address, _connected) = listening(("redis://PLACE", OK));
        let output = start(&command(&room, words, &address)).wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(3), "{words:?}: {said}");
        assert!(said.contains("Redis"), "{words:?}: {said}");
    }
}

/// The first connection gets all that is asked for on it, the next ones nothing: the lanes of a load wait for
/// theirs.
#[test]
fn a_server_that_lets_no_second_connection_in_is_left_on_a_signal() {
    for how in [Signal::INT, Signal::TERM] {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("redis://{}", listener.local_addr().unwrap());
        let (tell, waiting) = std::sync::mpsc::channel();
        thread::spawn(move || {
            // ends: with the process of the test
            for (number, client) in listener.incoming().enumerate() {
                let (client, tell) = (client.unwrap(), tell.clone());
                thread::spawn(
                    move || if number == 0 { as_redis(client) } else { hold(client, &tell) },
                );
            }
        });
        let room = Room::new();
        let words = ["stress", "--scale", "10", "--in-flight", "2", "--for", "1h"];
        let child = start(&command(&room, &words, &address));
        bounded::recv(&waiting);
        // wall clock: a server has ten seconds for an answer where nobody is asked to stop.
        let asked = std::time::Instant::now();
        signal(&child, how);
        let output = child.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(130), "{said}");
        // wall clock: as above.
        assert!(asked.elapsed() < std::time::Duration::from_secs(8), "{:?}", asked.elapsed());
    }
}

/// Answers as a server with ten keys that were made.
fn as_redis(mut client: TcpStream) {
    let mut said = [0; 4_096];
    while let Ok(length @ 1..) = client.read(&mut said) {
        let asked = String::from_utf8_lossy(&said[..length]).into_owned();
        let marker = "isotherm load keys=10 written=10 value=100";
        let answer = if asked.contains("PING") {
            "+PONG\r\n".to_owned()
        } else if asked.contains("AUTH") {
            "+OK\r\n".to_owned()
        } else if asked.contains("EXISTS") {
            ":10\r\n".to_owned()
        } else if asked.contains("isotherm:marker") {
            format!("${}\r\n{marker}\r\n", marker.len())
        } else {
            "-ERR unknown command\r\n".to_owned()
        };
        let _ = client.write_all(answer.as_bytes());
    }
}

/// Takes what is said and answers nothing.
fn hold(mut client: TcpStream, tell: &std::sync::mpsc::Sender<()>) {
    let mut said = [0; 4_096];
    let _ = client.read(&mut said);
    let _ = tell.send(());
    while client.read(&mut said).is_ok_and(|read| read > 0) {}
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
