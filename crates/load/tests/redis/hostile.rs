//! Servers that misbehave, and servers that are none.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::time::Duration;

use isotherm_load::{LoadError, Operation};
use testing::bounded;

use super::reserved_port::ReservedPort;
use super::{job, one, open, refusal};

/// What a server does at a command: sends this in pieces, a moment apart, or ends the connection.
type Answer = Option<Vec<Vec<u8>>>;

/// Answers commands.
type Behaviour = fn(&[String]) -> Answer;

/// A server on a port of its own that answers by a function of the command's words. Its threads
/// end with the test's process.
fn serve(answer: Behaviour) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        while let Ok(stream) = bounded::accept(&listener) {
            std::thread::spawn(move || converse(&stream, answer));
        }
    });
    format!("redis://127.0.0.1:{port}")
}

fn converse(stream: &TcpStream, answer: Behaviour) -> Option<()> {
    let (mut reader, mut writer) = (BufReader::new(stream), stream);
    let number = |reader: &mut BufReader<&TcpStream>| {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        line.trim_end().get(1..)?.parse::<usize>().ok()
    };
    loop {
        let mut words = Vec::new();
        for _ in 0..number(&mut reader)? {
            let mut word = vec![0; number(&mut reader)? + 2];
            reader.read_exact(&mut word).ok()?;
            word.truncate(word.len() - 2);
            words.push(String::from_utf8_lossy(&word).into_owned());
        }
        for piece in answer(&words)? {
            writer.write_all(&piece).ok()?;
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}

#[expect(clippy::unnecessary_wraps, reason = "one of the answers")]
fn whole(text: &str) -> Answer {
    Some(vec![text.as_bytes().to_vec()])
}

/// As a server whose ten keys are made; place 0 to 9 is then answered by `misbehave`.
fn ready(words: &[String], misbehave: fn(u64) -> Answer) -> Answer {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["PING"] => whole("+PONG\r\n"),
        ["EXISTS", keys @ ..] => whole(&format!(":{}\r\n", keys.len())),
        ["GET", "isotherm:marker"] => marker(),
        ["GET", key] => misbehave(key.rsplit(':').next().unwrap().parse().unwrap()),
        _ => whole("-ERR unknown command\r\n"),
    }
}

fn marker() -> Answer {
    let text = "isotherm load keys=10 written=10 value=100";
    whole(&format!("${}\r\n{text}\r\n", text.len()))
}

#[test]
fn what_is_no_redis_is_said_to_be_none() {
    let answers: [(Behaviour, &str); 4] = [
        (|_| whole("HTTP/1.1 400 Bad Request\r\n\r\n"), "byte 0x48"),
        (|_| None, "the connection was closed"),
        (|_| whole("$600000000\r\n"), "more than 536870912 bytes"),
        (|_| whole("$2000000\r\n"), "more than 1048676 bytes"),
    ];
    for (answer, expected) in answers {
        let words = refusal(open(&serve(answer), &job(10, 0.0)));
        assert!(words.contains("does not answer as a Redis server does"), "{words}");
        assert!(words.contains(expected), "{expected}: {words}");
    }
}

/// It talks as Redis does, and says the same whatever it is asked.
#[test]
fn a_server_that_answers_ok_to_everything_is_said_to_be_no_redis() {
    let answers: [(Behaviour, &str); 3] = [
        (|_| whole("+OK\r\n"), "PING is not answered with PONG"),
        (|_| whole("+PONG\r\n"), "GET: an answer of another kind"),
        (|_| whole("+PONG\r\n+PONG\r\n"), "a reply that nobody asked for"),
    ];
    for (answer, expected) in answers {
        let error = open(&serve(answer), &job(10, 0.0)).err().unwrap();
        let LoadError::Unreachable(words) = &error else { panic!("{expected}: {error:?}") };
        assert!(words.contains(expected), "{expected}: {words}");
    }
}

#[test]
fn nobody_there_is_said_with_what_to_do() {
    let port = ReservedPort::new();
    let words = refusal(open(&format!("redis://127.0.0.1:{}", port.number), &job(10, 0.0)));
    assert!(words.contains("cannot be reached"), "{words}");
    let words = refusal(open("redis:///nowhere/r.sock", &job(10, 0.0)));
    assert!(words.contains("Is a Redis server listening there?"), "{words}");
}

#[test]
fn a_cluster_is_refused() {
    let address = serve(|words| match words.first().map(String::as_str) {
        Some("PING") => whole("+PONG\r\n"),
        _ => whole("-MOVED 3999 127.0.0.1:6381\r\n"),
    });
    let words = refusal(open(&address, &job(10, 0.0)));
    assert!(words.contains("is a node of a cluster"), "{words}");
}

/// Ten ways to answer a GET.
fn oddly(place: u64) -> Answer {
    match place {
        0 => Some(b"$3\r\nabc\r\n".iter().map(|byte| vec![*byte]).collect()),
        1 => whole("-LOADING Redis is loading the dataset in memory\r\n"),
        2 => whole("-MOVED 3999 127.0.0.1:6381\r\n"),
        3 => whole(":5\r\n"),
        4 => whole("?what\r\n"),
        5 => whole("$3\r\nabc\r\n$3\r\nabc\r\n"),
        6 => whole("$999999999\r\n"),
        7 => whole("*-1\r\n"),
        8 => Some(vec![b"$10\r\nab".to_vec(), Vec::new()]),
        _ => None,
    }
}

#[test]
fn each_odd_answer_is_one_result_and_the_next_operation_is_not_harmed() {
    let address = serve(|words| ready(words, oddly));
    let system = open(&address, &job(10, 0.0)).unwrap();
    let mut lane = system.open(0, 1).unwrap();
    let mut get = |place: u64| {
        lane.submit(0, Operation { kind: 0, place }).unwrap();
        one(&mut *lane).result.map_err(std::borrow::Cow::into_owned)
    };
    let not_redis = "what the server sent is not a reply of Redis";
    let expected = [
        (0, Ok(3)),
        (1, Err("LOADING: the server is still reading its data from disk")),
        (2, Err("MOVED: the key lives on another node of the cluster")),
        (3, Err("a reply of another kind than was asked for")),
        (4, Err(not_redis)),
        (5, Ok(3)),
        (6, Err(not_redis)),
        (7, Ok(0)),
        (9, Err("connection lost")),
    ];
    for (place, expected) in expected {
        assert_eq!(get(place), expected.map_err(str::to_owned), "place {place}");
        assert_eq!(get(0), Ok(3), "after place {place}");
    }
}

#[test]
fn an_answer_that_never_ends_is_waited_for_no_longer_than_asked() {
    let address = serve(|words| ready(words, oddly));
    let system = open(&address, &job(10, 0.0)).unwrap();
    let mut lane = system.open(0, 2).unwrap();
    lane.submit(0, Operation { kind: 0, place: 8 }).unwrap();
    let mut done = Vec::new();
    for wait in [isotherm_load::Wait::No, isotherm_load::Wait::Until(1)] {
        let _ends = bounded::watchdog("looking for an answer");
        lane.reap(wait, &mut done).unwrap();
    }
    assert!(done.is_empty());
    // Others go on meanwhile.
    lane.submit(1, Operation { kind: 0, place: 0 }).unwrap();
    assert_eq!(one(&mut *lane).slot, 1);
}
