//! Nobody gets in: what is answered with which status.

use std::io::Write;
use std::net::TcpStream;
use std::time::Duration;

use isotherm_serve::Limits;
use testing::bounded;

use crate::client::{OPERATE, Reply, Site, VIEW};

#[test]
fn the_page_has_no_data_and_needs_no_token() {
    let site = Site::new();
    for (path, content_type) in [
        ("/", "text/html; charset=utf-8"),
        ("/app.js", "text/javascript; charset=utf-8"),
        ("/style.css", "text/css; charset=utf-8"),
    ] {
        let reply = site.ask(&format!("GET {path}"), "");
        assert_eq!(
            (reply.status, reply.field("Content-Type")),
            (200, Some(content_type)),
            "{path}"
        );
        let policy = reply.field("Content-Security-Policy").unwrap();
        assert!(policy.starts_with("default-src 'none'; script-src 'self'"), "{policy}");
        assert!(!policy.contains("unsafe"), "{policy}");
        for (name, value) in [
            ("X-Content-Type-Options", "nosniff"),
            ("Referrer-Policy", "no-referrer"),
            ("Cache-Control", "no-store"),
        ] {
            assert_eq!(reply.field(name), Some(value), "{name}");
        }
        assert!(reply.field("Set-Cookie").is_none() && !reply.head.contains("Access-Control"));
        let head = site.ask(&format!("HEAD {path}"), "");
        assert_eq!((head.status, head.body.len()), (200, 0));
        assert_eq!(head.field("Content-Length"), reply.field("Content-Length"));
    }
}

#[test]
fn data_is_for_who_has_a_token() {
    let site = Site::new();
    let data = ["/api/v1/document", "/api/v1/events", "/api/", "/api/v1/other"];
    let half = &OPERATE[..OPERATE.len() - 1];
    for path in data {
        let line = format!("GET {path}");
        assert_eq!(site.ask(&line, "").status, 401, "{path}");
        for token in ["", half, "Bearer", "x".repeat(9_000).as_str()] {
            assert_eq!(site.ask_with(token, &line).status, 401, "{path} {token}");
        }
        let basic = format!("Authorization: Basic {OPERATE}\r\n");
        assert_eq!(site.ask(&line, &basic).status, 401);
        // Nowhere else than in the field.
        assert_eq!(site.ask(&format!("{line}?token={OPERATE}"), "").status, 401);
        assert_eq!(site.ask(&line, &format!("Cookie: token={OPERATE}\r\n")).status, 401);
    }
    let refused = site.ask("GET /api/v1/document", "");
    assert_eq!(refused.field("WWW-Authenticate"), Some("Bearer"));
    assert!(refused.text().starts_with("{\"error\":\"no valid token"));
    for token in [OPERATE, VIEW] {
        assert_eq!(site.ask_with(token, "GET /api/v1/document").status, 200);
        assert_eq!(site.ask_with(token, "GET /api/v1/other").status, 404);
    }
}

#[test]
fn other_hosts_and_sites_are_refused() {
    let site = Site::new();
    let port = site.address.port();
    let host = |host: &str| {
        let reply = site.raw(&format!("GET / HTTP/1.1\r\nHost: {host}\r\n\r\n"));
        reply.status
    };
    assert_eq!(host(&format!("localhost:{port}")), 200);
    assert_eq!(host(&format!("LOCALHOST:{port}")), 200);
    assert_eq!(host("proxy.example.org"), 200);
    for foreign in ["evil.example", "127.0.0.1", "localhost", "proxy.example.org:81", ""] {
        assert_eq!(host(foreign), 421, "{foreign}");
    }
    assert_eq!(host(&format!("evil.example:{port}")), 421);
    assert_eq!(site.raw("GET / HTTP/1.1\r\n\r\n").status, 400);

    let asked = |line: &str, field: &str| {
        site.ask(line, &format!("Authorization: Bearer {OPERATE}\r\n{field}\r\n")).status
    };
    let document = "GET /api/v1/document";
    assert_eq!(asked(document, &format!("Origin: http://{}", site.address)), 200);
    assert_eq!(asked(document, "Origin: https://proxy.example.org"), 200);
    assert_eq!(asked(document, "Sec-Fetch-Site: same-origin"), 200);
    for origin in ["http://evil.example", "null", "http://127.0.0.1", "file://", "https://a@b"] {
        assert_eq!(asked(document, &format!("Origin: {origin}")), 403, "{origin}");
        assert_eq!(asked("GET /", &format!("Origin: {origin}")), 403, "{origin}");
    }
    assert_eq!(asked(document, "Sec-Fetch-Site: cross-site"), 403);
    assert_eq!(asked(document, "Sec-Fetch-Site: same-site"), 403);
    // A link on another page may lead here.
    assert_eq!(asked("GET /", "Sec-Fetch-Site: cross-site"), 200);
    // Preflight is never answered with consent.
    let preflight = site.ask("OPTIONS /api/v1/marks", "Origin: http://evil.example\r\n");
    assert_eq!(preflight.status, 403);
    assert!(!preflight.head.contains("Access-Control"));
}

#[test]
fn only_who_operates_marks() {
    let site = Site::new();
    let mark = |token: &str, kind: &str, body: &str| {
        let fields = format!(
            "Authorization: Bearer {token}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        let host = site.address;
        site.raw(&format!("POST /api/v1/marks HTTP/1.1\r\nHost: {host}\r\n{fields}"))
    };
    let json = "application/json; charset=utf-8";
    let made = mark(OPERATE, json, "{\"text\": \" deploy \", \"at_us\": 1700000000000001}");
    assert_eq!(made.status, 201, "{}", made.text());
    assert_eq!(made.text(), "{\"at_us\":1700000000000001.0,\"text\":\"deploy\"}");
    let kept = site.history.take_marks(0);
    assert_eq!(kept[0].at.as_nanos(), 1_700_000_000_000_001_000);
    assert_eq!((kept[0].text.as_str(), kept.len()), ("deploy", 1));
    assert_eq!(mark(VIEW, json, "{\"text\": \"deploy\"}").status, 403);
    assert_eq!(mark("x", json, "{\"text\": \"deploy\"}").status, 401);
    assert_eq!(mark(OPERATE, "text/plain", "{\"text\": \"deploy\"}").status, 415);
    let long = format!("{{\"text\": \"{}\"}}", "x".repeat(501));
    for wrong in [
        "",
        "{}",
        "[]",
        "{\"text\": \"\"}",
        "{\"text\": 1}",
        "{\"text\":\"a\",\"x\":1}",
        "{\"text\":\"a\",\"recording\":1}",
        "{\"text\":\"a\",\"at_us\":1e300}",
        long.as_str(),
    ] {
        let reply = mark(OPERATE, json, wrong);
        assert_eq!(reply.status, 400, "{wrong}: {}", reply.text());
    }
    assert_eq!(mark(OPERATE, json, &"x".repeat(4_097)).status, 413);
    assert_eq!(site.ask_with(OPERATE, "GET /api/v1/marks").status, 405);
    assert_eq!(site.ask_with(OPERATE, "POST /api/v1/document").status, 405);
    assert_eq!(site.history.take_marks(0).len(), 0);
}

#[test]
fn no_path_leads_to_a_file() {
    let site = Site::new();
    for path in [
        "/../../etc/passwd",
        "/%2e%2e/etc/passwd",
        "//etc/passwd",
        "/app.js/..",
        "/app.js%00",
        "/./app.js",
        "/favicon.ico",
        "/index.html",
        "/APP.JS",
        "/\\etc\\passwd",
    ] {
        assert_eq!(site.ask(&format!("GET {path}"), "").status, 404, "{path}");
    }
    assert_eq!(site.ask("GET http://127.0.0.1/", "").status, 400);
    assert_eq!(site.ask("GET *", "").status, 400);
}

/// Waits until a client is answered.
fn wait_for_an_answer(site: &Site) {
    bounded::until("an answer", || (site.ask("GET /", "").status == 200).then_some(()));
}

/// Whoever writes less than a whole head is waited for so long.
fn impatient() -> Limits {
    let soon = Duration::from_millis(100);
    Limits { head_time: soon, body_time: soon, ..Limits::default() }
}

#[test]
fn what_is_too_long_or_too_slow_is_refused() {
    let site = Site::new();
    let long = "x".repeat(17 << 10);
    assert_eq!(site.ask("GET /", &format!("X: {long}\r\n")).status, 431);
    assert_eq!(site.ask(&format!("GET /{long}"), "").status, 431);
    let many = "X: y\r\n".repeat(80);
    assert_eq!(site.ask("GET /", &many).status, 431);

    let site = Site::with(impatient(), &["disk:"]);
    // wall clock: the server's limits are what is tested; no duration is asserted.
    let slow = |request: &str| {
        let mut stream = bounded::connect(site.address).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        Reply::read(&mut stream).status
    };
    assert_eq!(slow("GET / HTTP/1.1\r\nHost: 127"), 408);
    let fields = format!("Host: {}\r\nAuthorization: Bearer {OPERATE}\r\n", site.address);
    let fields = format!("{fields}Content-Type: application/json\r\nContent-Length: 99\r\n\r\n{{");
    assert_eq!(slow(&format!("POST /api/v1/marks HTTP/1.1\r\n{fields}")), 408);
    // The others are answered meanwhile and afterwards; this client may itself be too slow.
    wait_for_an_answer(&site);
}

#[test]
fn requests_in_requests_are_refused() {
    let site = Site::new();
    let with = |fields: &str| {
        let host = site.address;
        let own = format!("Host: {host}\r\nAuthorization: Bearer {OPERATE}\r\n{fields}");
        let inside = format!("GET / HTTP/1.1\r\nHost: {host}\r\n\r\n");
        site.raw(&format!("POST /api/v1/save HTTP/1.1\r\n{own}\r\n{inside}"))
    };
    for (fields, status) in [
        ("Content-Length: 0\r\nContent-Length: 40\r\n", 400),
        ("Content-Length: 0\r\nTransfer-Encoding: chunked\r\n", 400),
        ("Transfer-Encoding: chunked\r\n", 411),
        ("Content-Length: 0, 40\r\n", 400),
        ("Content-Length : 0\r\n", 400),
        ("Transfer-Encoding : chunked\r\nContent-Length: 0\r\n", 400),
        ("X: a\r\n b\r\n", 400),
    ] {
        let reply = with(fields);
        assert_eq!(reply.status, status, "{fields}");
        // One answer, whatever follows.
        assert_eq!(reply.text().matches("HTTP/1.1").count(), 0, "{fields}");
    }
    // Of two requests on one connection one is answered.
    let one = format!("GET / HTTP/1.1\r\nHost: {}\r\n\r\n", site.address);
    let reply = site.raw(&format!("{one}{one}"));
    assert_eq!((reply.status, reply.field("Connection")), (200, Some("close")));
    assert_eq!(reply.text(), "<!doctype html>");
}

#[test]
fn too_many_clients_are_told_to_come_again() {
    // Each waits for its request, for longer than the test takes.
    let patient = Limits { connections: 3, head_time: bounded::LIMIT, ..Limits::default() };
    let site = Site::with(patient, &["disk:"]);
    let held: Vec<TcpStream> = (0..3).map(|_| bounded::connect(site.address).unwrap()).collect();
    let refused = site.ask("GET /", "");
    assert_eq!((refused.status, refused.field("Retry-After")), (503, Some("5")));
    drop(held);
    // The server sees that they are gone as soon as it looks.
    wait_for_an_answer(&site);
}
