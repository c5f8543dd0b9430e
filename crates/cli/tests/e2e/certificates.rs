//! Certificates for servers of tests.

use std::process::Command;

use testing::bounded;

use super::Room;

/// Certificates of an authority of our own: its own, and one for this machine with its key.
pub fn certificates(room: &Room) -> Option<[String; 3]> {
    let [ca, ca_key, request] = ["ca.pem", "ca.key", "request.pem"].map(|name| room.name(name));
    let [own, own_key] = ["own.pem", "own.key"].map(|name| room.name(name));
    let names =
        room.file("names.txt", "subjectAltName=DNS:localhost,DNS:db1.example.org,IP:127.0.0.1");
    let key = ["-newkey", "rsa:2048", "-nodes", "-subj"];
    let openssl = |arguments: &[&str]| {
        let output = bounded::try_output(Command::new("openssl").args(arguments));
        output.is_ok_and(|output| output.status.success())
    };
    let made = openssl(
        &[&["req", "-x509"], &key[..], &["/CN=ours", "-keyout", &ca_key, "-out", &ca]].concat(),
    ) && openssl(
        &[&["req"], &key[..], &["/CN=localhost", "-keyout", &own_key, "-out", &request]].concat(),
    ) && openssl(&[
        "x509",
        "-req",
        "-in",
        &request,
        "-CA",
        &ca,
        "-CAkey",
        &ca_key,
        "-CAcreateserial",
        "-extfile",
        &names,
        "-out",
        &own,
    ]);
    made.then_some([ca, own, own_key])
}
