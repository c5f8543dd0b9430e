//! Encryption.

use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use rustix::fd::BorrowedFd;
use rustix::io::Errno;
use rustix::net::{RecvFlags, SendFlags};
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, aws_lc_rs, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{
    ClientConfig, ClientConnection, DigitallySignedStruct, RootCertStore, SignatureScheme,
};

use super::address::{Logon, Place, TlsMode};
use super::raw;
use crate::authorities;

/// One encrypted connection.
#[derive(Debug)]
pub struct Tls {
    connection: ClientConnection,
}

impl Tls {
    /// Agrees with the server on keys; the socket waits a little with each read.
    pub fn begin(socket: BorrowedFd<'_>, logon: &Logon) -> Result<Tls, String> {
        let host = match &logon.place {
            Place::Host(host, _) => host.clone(),
            Place::Socket(_) => "localhost".to_owned(),
        };
        let name = ServerName::try_from(host).map_err(|error| error.to_string())?;
        let connection = ClientConnection::new(Arc::new(configuration(logon)?), name);
        let mut tls = Tls { connection: connection.map_err(|error| error.to_string())? };
        let deadline = Instant::now() + logon.timeout;
        while tls.connection.is_handshaking() {
            match tls.step(socket) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                other => other.map_err(|error| error.to_string())?,
            }
            if Instant::now() > deadline {
                return Err("TLS took too long to begin".to_owned());
            }
        }
        Ok(tls)
    }

    fn step(&mut self, socket: BorrowedFd<'_>) -> io::Result<()> {
        let mut raw = Raw { socket, receive: RecvFlags::empty(), send: SendFlags::empty() };
        while self.connection.wants_write() {
            self.connection.write_tls(&mut raw)?;
        }
        if self.connection.is_handshaking() && self.connection.read_tls(&mut raw)? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.connection.process_new_packets().map_err(io::Error::other)?;
        Ok(())
    }

    /// Takes bytes; 0 is the end.
    pub fn receive(
        &mut self,
        socket: BorrowedFd<'_>,
        into: &mut [u8],
        flags: RecvFlags,
    ) -> Result<usize, Errno> {
        loop {
            match self.connection.reader().read(into) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(0),
                other => return other.map_err(|error| number(&error)),
            }
            self.is_behind(socket)?;
            let mut raw = Raw { socket, receive: flags, send: SendFlags::DONTWAIT };
            if self.connection.read_tls(&mut raw).map_err(|error| number(&error))? == 0 {
                return Ok(0);
            }
            self.connection.process_new_packets().map_err(|_| Errno::PROTO)?;
        }
    }

    /// Takes bytes to be sent and sends what goes; gives how many were taken.
    pub fn send(
        &mut self,
        socket: BorrowedFd<'_>,
        bytes: &[u8],
        flags: SendFlags,
    ) -> Result<usize, Errno> {
        let taken = self.connection.writer().write(bytes).map_err(|error| number(&error))?;
        let waits = !flags.contains(SendFlags::DONTWAIT);
        while self.is_behind_with(socket, flags)? && waits {}
        Ok(taken)
    }

    /// Whether something is still to be sent after sending what goes without waiting.
    pub fn is_behind(&mut self, socket: BorrowedFd<'_>) -> Result<bool, Errno> {
        self.is_behind_with(socket, SendFlags::DONTWAIT)
    }

    fn is_behind_with(&mut self, socket: BorrowedFd<'_>, send: SendFlags) -> Result<bool, Errno> {
        let mut raw = Raw { socket, receive: RecvFlags::DONTWAIT, send };
        while self.connection.wants_write() {
            match self.connection.write_tls(&mut raw) {
                Ok(_) => {}
                Err(error)
                    if error.kind() == io::ErrorKind::WouldBlock
                        && send.contains(SendFlags::DONTWAIT) =>
                {
                    return Ok(true);
                }
                Err(error) => return Err(number(&error)),
            }
        }
        Ok(false)
    }
}

/// A socket as the standard library reads and writes, with the flags of this moment.
#[derive(Debug)]
struct Raw<'a> {
    socket: BorrowedFd<'a>,
    /// How to read.
    receive: RecvFlags,
    /// How to write.
    send: SendFlags,
}

impl io::Read for Raw<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        Ok(raw::receive(self.socket, into, self.receive)?)
    }
}

impl io::Write for Raw<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Ok(raw::send(self.socket, bytes, self.send)?)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The system's number of an error; a broken protocol where it has none.
fn number(error: &io::Error) -> Errno {
    Errno::from_io_error(error).unwrap_or(Errno::PROTO)
}

/// Whom to trust.
fn configuration(logon: &Logon) -> Result<ClientConfig, String> {
    let provider = Arc::new(aws_lc_rs::default_provider());
    let config = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?;
    if logon.tls == TlsMode::VerifyFull {
        let roots = roots(logon.authorities.as_deref())?;
        return Ok(config.with_root_certificates(roots).with_no_client_auth());
    }
    let anyone = Arc::new(Anyone { provider });
    Ok(config.dangerous().with_custom_certificate_verifier(anyone).with_no_client_auth())
}

fn roots(file: Option<&Path>) -> Result<RootCertStore, String> {
    let mut roots = RootCertStore::empty();
    let Some(file) = file else {
        roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
        return Ok(roots);
    };
    let unreadable = |error: &dyn std::fmt::Display| {
        format!("cannot read certificates from {}: {error}", file.display())
    };
    for certificate in authorities(file).map_err(|error| unreadable(&error))? {
        roots.add(certificate).map_err(|error| unreadable(&error))?;
    }
    Ok(roots)
}

/// Takes any certificate, as `sslmode=require` means: nobody else can listen, but whom we talk to
/// is not known. That the server has the certificate's key is still verified.
#[derive(Debug)]
struct Anyone {
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for Anyone {
    fn verify_server_cert(
        &self,
        _end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls12_signature(message, cert, dss, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls13_signature(message, cert, dss, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}
