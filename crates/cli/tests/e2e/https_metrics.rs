//! Metrics over TLS, from a server that wants a token.

use std::fs::File;
use std::net::TcpListener;
use std::process::{Command, Stdio};

use testing::bounded::{self, Child};

use super::certificates::certificates;
use super::scraped::{AS_LONG_AS_A_TEST, is_installed, place_of};
use super::{Room, isotherm, succeed};

const TOKEN: &str = "a-token-for-this-test";

/// A page on which so many requests of 5 ms have been counted.
fn page(requests: u64) -> String {
    let sum = requests as f64 * 0.005;
    format!(
        "# TYPE a_seconds histogram\na_seconds_bucket{{le=\"0.01\"}} {requests}\n\
         a_seconds_bucket{{le=\"+Inf\"}} {requests}\na_seconds_sum {sum}\na_seconds_count {requests}\n"
    )
}

/// nginx, which gives the page to those who have the token.
fn nginx(room: &Room, place: &str, [certificate, key]: [&str; 2]) -> Child {
    let places = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
    let places = places.map(|name| format!("{name}_temp_path {};\n", room.name(name))).concat();
    let [pid, errors, metrics] =
        ["nginx.pid", "nginx.errors", "metrics"].map(|name| room.name(name));
    let settings = room.file(
        "nginx.conf",
        format!(
            "daemon off;\nmaster_process off;\npid {pid};\nerror_log {errors};\nevents {{}}\nhttp {{\n\
             access_log off;\n{places}server {{\nlisten {place} ssl;\nssl_certificate {certificate};\n\
             ssl_certificate_key {key};\nlocation = /metrics {{\n\
             if ($http_authorization != \"Bearer {TOKEN}\") {{ return 401; }}\n\
             default_type text/plain;\nalias {metrics};\n}}\n}}\n}}\n"
        ),
    );
    let prefix = format!("{}/", room.dir().display());
    let mut command = Command::new("nginx");
    command.args(["-e", "stderr", "-p", &prefix, "-c", &settings]);
    command.stderr(File::create(room.path("nginx.said")).unwrap());
    bounded::spawn_for(&mut command, AS_LONG_AS_A_TEST)
}

/// The same on a free port; ended when it is dropped.
fn serve(room: &Room, certificate: [&str; 2]) -> (Child, String) {
    bounded::until("nginx", || {
        let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let mut nginx = nginx(room, &free.to_string(), certificate);
        place_of(&mut nginx)
            .map(|_| (nginx, format!("prom+https://localhost:{}/metrics", free.port())))
    })
}

fn recording(address: &str, to: &str, variables: &[(&str, &str)]) -> Command {
    let mut command =
        isotherm(&["record", address, "-o", to, "--for", "2s", "--interval", "200ms"]);
    for name in ["TOKEN", "TOKEN_FILE", "CA_FILE"] {
        command.env_remove(format!("ISOTHERM_PROMETHEUS_{name}"));
    }
    for (name, value) in variables {
        command.env(format!("ISOTHERM_PROMETHEUS_{name}"), value);
    }
    command
}

#[test]
fn a_page_is_scraped_over_tls_with_a_token() {
    if !is_installed("nginx") || !is_installed("openssl") {
        return;
    }
    let room = Room::new();
    let Some([authority, certificate, key]) = certificates(&room) else { return };
    room.file("metrics", page(0));
    let (_nginx, address) = serve(&room, [&certificate, &key]);
    let heat = room.name("metrics.heat");
    for (variables, why) in [
        (&[][..], "UnknownIssuer"),
        (&[("CA_FILE", authority.as_str())], "ISOTHERM_PROMETHEUS_TOKEN"),
        (&[("CA_FILE", authority.as_str()), ("TOKEN", "another")], "401"),
        (&[("CA_FILE", key.as_str())], "ISOTHERM_PROMETHEUS_CA_FILE"),
        (&[("CA_FILE", authority.as_str()), ("TOKEN", "spaced one")], "no token in it"),
    ] {
        let output = bounded::output(&mut recording(&address, &heat, variables));
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && said.contains(why), "{why}: {said}");
        assert!(!said.contains("another") && !said.contains("spaced one"), "{said}");
    }
    let token = room.file("token", format!("{TOKEN}\n"));
    let variables = [("CA_FILE", authority.as_str()), ("TOKEN_FILE", token.as_str())];
    let mut command = recording(&address, &heat, &variables);
    command.stdout(Stdio::null()).stderr(File::create(room.path("said")).unwrap());
    let mut child = bounded::spawn_for(&mut command, AS_LONG_AS_A_TEST);
    let mut requests = 0;
    let status = bounded::until("the recording", || {
        requests += 10;
        // Renamed, so that nobody reads a half of it.
        let next = room.file("next", page(requests));
        std::fs::rename(next, room.path("metrics")).unwrap();
        child.try_wait().unwrap()
    });
    let said = std::fs::read_to_string(room.path("said")).unwrap();
    assert!(status.success() && !said.contains(TOKEN), "{said}");
    let numbers: serde_json::Value =
        serde_json::from_str(&succeed(&["stats", "--format", "json", &heat])).unwrap();
    let series = &numbers["series"][0];
    let (events, mean) = (series["events"].as_u64().unwrap(), series["mean_ns"].as_f64().unwrap());
    assert!(events > 0 && events <= requests && events % 10 == 0, "{series}");
    assert!((mean - 5e6).abs() < 1.0, "{series}");
}
