//! The least a client can do: connections that send a prepared statement and read its answer, one
//! `epoll` on each of two threads, nothing counted but answers, nothing checked. What it costs in
//! CPU is what the kernel asks of any client; `benches/pg_load.py --bare` measures it beside the
//! others.
//!
//! `bare_postgres SOCKET-FOLDER USER DATABASE ROWS CLIENTS SECONDS`, of a server that asks for no
//! password. Prints the transactions a second.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a program for developers")]

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use isotherm_frame::Random;
use rustix::event::epoll;
use rustix::net::{RecvFlags, SendFlags, recv, send};

const THREADS: usize = 2;
/// The end of every answer: `ReadyForQuery`, idle.
const READY: &[u8] = b"Z\0\0\0\x05I";

struct Server {
    path: String,
    user: String,
    database: String,
    rows: u32,
}

fn message(kind: u8, body: &[u8]) -> Vec<u8> {
    let length = u32::try_from(body.len() + 4).unwrap();
    [&[kind], &length.to_be_bytes()[..], body].concat()
}

impl Server {
    fn connect(&self) -> UnixStream {
        let mut stream = UnixStream::connect(&self.path).unwrap();
        let version = 196_608_u32.to_be_bytes();
        let names = format!("user\0{}\0database\0{}\0\0", self.user, self.database);
        let start = message(0, &[&version[..], names.as_bytes()].concat());
        stream.write_all(&start[1..]).unwrap();
        until_ready(&mut stream);
        let parse = b"s\0select touched from isotherm_1.blocks where id = $1\0\0\x01\0\0\0\x17";
        stream.write_all(&[message(b'P', parse), message(b'S', b"")].concat()).unwrap();
        until_ready(&mut stream);
        stream
    }

    /// Keeps so many connections busy; how many answers there were.
    fn load(&self, clients: usize, span: Duration) -> u64 {
        let streams: Vec<UnixStream> = (0..clients).map(|_| self.connect()).collect();
        let watched = epoll::create(epoll::CreateFlags::CLOEXEC).unwrap();
        let flags = epoll::EventFlags::IN | epoll::EventFlags::ET;
        for (number, stream) in (0..).zip(&streams) {
            epoll::add(&watched, stream, epoll::EventData::new_u64(number), flags).unwrap();
        }
        let mut random = Random::new(u64::try_from(clients).unwrap());
        let mut ask = |stream: &UnixStream| {
            let row = u32::try_from(random.below(u64::from(self.rows))).unwrap();
            let bind =
                [b"\0s\0\0\x01\0\x01\0\x01\0\0\0\x04", &row.to_be_bytes()[..], b"\0\x01\0\x01"];
            let parts = [message(b'B', &bind.concat()), message(b'E', b"\0\0\0\0\0")];
            let all = [parts.concat(), message(b'S', b"")].concat();
            assert_eq!(send(stream, &all, SendFlags::empty()).unwrap(), all.len());
        };
        streams.iter().for_each(&mut ask);
        let (mut events, mut room) = (Vec::with_capacity(clients), vec![0; 16 << 10]);
        let (begun, mut answers) = (Instant::now(), 0);
        while begun.elapsed() < span {
            events.clear();
            epoll::wait(&watched, rustix::buffer::spare_capacity(&mut events), None).unwrap();
            for event in &events {
                let stream = &streams[usize::try_from(event.data.u64()).unwrap()];
                let (read, _) = recv(stream, &mut room[..], RecvFlags::DONTWAIT).unwrap();
                assert!(room[..read].ends_with(READY), "an answer came in parts");
            }
            answers += u64::try_from(events.len()).unwrap();
            for event in &events {
                ask(&streams[usize::try_from(event.data.u64()).unwrap()]);
            }
        }
        answers
    }
}

fn until_ready(stream: &mut UnixStream) {
    let mut answer = Vec::new();
    let mut room = [0; 4_096];
    while !answer.ends_with(READY) {
        let read = stream.read(&mut room).unwrap();
        assert!(read > 0, "the server hung up: {}", String::from_utf8_lossy(&answer));
        answer.extend_from_slice(&room[..read]);
    }
}

fn main() {
    let given: Vec<String> = std::env::args().skip(1).collect();
    let [folder, user, database, rows, clients, seconds] = &given[..] else {
        println!("bare_postgres SOCKET-FOLDER USER DATABASE ROWS CLIENTS SECONDS");
        return;
    };
    let server = Server {
        path: format!("{folder}/.s.PGSQL.5432"),
        user: user.clone(),
        database: database.clone(),
        rows: rows.parse().unwrap(),
    };
    let (clients, span): (usize, u64) = (clients.parse().unwrap(), seconds.parse().unwrap());
    let server = &server;
    let answers: u64 = std::thread::scope(|scope| {
        let shares = (0..THREADS.min(clients))
            .map(|thread| clients / THREADS + usize::from(thread < clients % THREADS));
        let threads: Vec<_> = shares
            .map(|share| scope.spawn(move || server.load(share, Duration::from_secs(span))))
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    println!("{answers}");
}
