//! Sending totals to a server by OTLP/HTTP: protobuf, gzip.
//!
//! Protocol: <https://opentelemetry.io/docs/specs/otlp/#otlphttp>.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use flate2::Compression;
use flate2::write::GzEncoder;
use isotherm_frame::protobuf::{Fields, Malformed};
use thiserror::Error;
use ureq::tls::{Certificate, RootCerts, TlsConfig};

use crate::otlp_address::OtlpAddress;

/// The longest that a server may take to answer.
const TIMEOUT: Duration = Duration::from_secs(10);
/// The longest answer that is read, bytes.
const LONGEST: u64 = 1 << 20;
/// How much of an answer is shown.
const SHOWN: usize = 200;
/// How often it is looked whether the program is asked to stop.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// How long the answer to the last totals is waited for once it is.
const LAST_WAIT: Duration = Duration::from_secs(1);
/// Pauses before an export is tried again; a server may ask for a longer one, up to [`LONGEST_PAUSE`].
const PAUSES: [Duration; 3] =
    [Duration::from_millis(500), Duration::from_secs(1), Duration::from_secs(2)];
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// Sends exports to one server.
#[derive(Debug)]
pub struct Exporter {
    agent: ureq::Agent,
    address: OtlpAddress,
    headers: Vec<(String, String)>,
}

/// What the server says of an export that it took.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Receipt {
    /// Points that it did not keep.
    pub rejected: u64,
    /// Why, or what else it says.
    pub message: String,
}

/// Why an export was not taken.
#[derive(Debug, Error)]
pub enum ExportError {
    /// A header that HTTP cannot carry.
    #[error("the value of header '{0}' has characters that HTTP does not allow")]
    Header(String),
    /// A file of certificates that cannot be used.
    #[error("{path}: no certificates: {why}")]
    Certificates {
        /// Its path.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// The server cannot be reached, or broke off.
    #[error("{address}: {why}")]
    Unreachable {
        /// Where.
        address: OtlpAddress,
        /// What happened.
        why: String,
    },
    /// The server does not take it.
    #[error("{address}: the server answers {status}{}", hint(*status, answer))]
    Refused {
        /// Where.
        address: OtlpAddress,
        /// The status of HTTP.
        status: u16,
        /// The beginning of what it says.
        answer: String,
        /// How long it wants to be left alone.
        retry_after: Option<Duration>,
    },
}

fn hint(status: u16, answer: &str) -> String {
    let what = match status {
        401 | 403 => "; set OTEL_EXPORTER_OTLP_HEADERS to what it asks for",
        404 => {
            "; look at the path: Prometheus has /api/v1/otlp/v1/metrics (with \
             --web.enable-otlp-receiver), VictoriaMetrics /opentelemetry/v1/metrics"
        }
        _ => "",
    };
    if answer.is_empty() { what.to_owned() } else { format!(" ({answer}){what}") }
}

impl ExportError {
    /// Whether the same export may be taken later.
    pub fn is_temporary(&self) -> bool {
        match self {
            ExportError::Unreachable { .. } => true,
            // https://opentelemetry.io/docs/specs/otlp/#retryable-response-codes
            ExportError::Refused { status, .. } => matches!(status, 429 | 502 | 503 | 504),
            ExportError::Header(_) | ExportError::Certificates { .. } => false,
        }
    }

    fn retry_after(&self) -> Option<Duration> {
        match self {
            ExportError::Refused { retry_after, .. } => *retry_after,
            _ => None,
        }
    }
}

impl Exporter {
    /// For this server, with these headers in each request. `certificates` is a file of PEM with the
    /// authorities to trust instead of Mozilla's.
    ///
    /// # Errors
    /// If the file cannot be used, or a header cannot be sent.
    pub fn new(
        address: OtlpAddress,
        headers: Vec<(String, String)>,
        certificates: Option<&Path>,
    ) -> Result<Exporter, ExportError> {
        if let Some((name, _)) = headers.iter().find(|(name, value)| !can_be_sent(name, value)) {
            return Err(ExportError::Header(name.clone()));
        }
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let tls = TlsConfig::builder()
            .root_certs(certificates.map_or(Ok(RootCerts::WebPki), authorities)?)
            .unversioned_rustls_crypto_provider(provider)
            .build();
        let settings = ureq::Agent::config_builder()
            .timeout_global(Some(TIMEOUT))
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .proxy(None)
            .user_agent(concat!("isotherm/", env!("CARGO_PKG_VERSION")))
            .tls_config(tls)
            .build();
        Ok(Exporter { agent: settings.into(), address, headers })
    }

    /// Sends the body of a request, and again after pauses while the server cannot take it. `pause` waits
    /// as long as it is given and says whether to go on: once it says no, an answer that does not come within a
    /// second is not waited for.
    ///
    /// # Errors
    /// If the server refuses it, or did not take it in any of four tries.
    pub fn send(
        self: &Arc<Exporter>,
        body: &[u8],
        pause: &mut dyn FnMut(Duration) -> bool,
    ) -> Result<Receipt, ExportError> {
        let packed: Arc<[u8]> = gzip(body).into();
        let mut pauses = PAUSES.iter();
        loop {
            let error = match self.try_while(&packed, pause) {
                Ok(receipt) => return Ok(receipt),
                Err(error) => error,
            };
            let next = pauses.next().filter(|_| error.is_temporary());
            let Some(&usual) = next else { return Err(error) };
            let asked = error.retry_after().unwrap_or_default().min(LONGEST_PAUSE);
            if !pause(usual.max(asked)) {
                return Err(error);
            }
        }
    }

    /// Sends once, on a thread that is left alone where nobody waits for it any more.
    fn try_while(
        self: &Arc<Exporter>,
        packed: &Arc<[u8]>,
        pause: &mut dyn FnMut(Duration) -> bool,
    ) -> Result<Receipt, ExportError> {
        let unreachable = |why: &str| ExportError::Unreachable {
            address: self.address.clone(),
            why: why.to_owned(),
        };
        let (tell, outcome) = channel();
        let (exporter, body) = (Arc::clone(self), Arc::clone(packed));
        let send = move || {
            // Who waited may be gone.
            let _ = tell.send(exporter.try_once(&body));
        };
        let spawned = std::thread::Builder::new().name("isotherm-export".into()).spawn(send);
        spawned.map_err(|error| unreachable(&error.to_string()))?;
        let mut left_at: Option<Instant> = None;
        loop {
            match outcome.recv_timeout(LOOK_EVERY) {
                Ok(receipt) => return receipt,
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(unreachable("sending broke off"));
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
            if left_at.is_none() && !pause(Duration::ZERO) {
                left_at = Some(Instant::now() + LAST_WAIT);
            }
            if left_at.is_some_and(|left_at| Instant::now() >= left_at) {
                return Err(unreachable("stopped before it had answered"));
            }
        }
    }

    fn try_once(&self, packed: &[u8]) -> Result<Receipt, ExportError> {
        let mut request = self.agent.post(self.address.url());
        for (name, value) in &self.headers {
            request = request.header(name, value);
        }
        let request = request
            .header("Content-Type", "application/x-protobuf")
            .header("Content-Encoding", "gzip");
        let mut answer = request.send(packed).map_err(|error| self.unreachable(error))?;
        let status = answer.status().as_u16();
        let seconds = answer.headers().get("retry-after").and_then(|value| value.to_str().ok());
        let retry_after =
            seconds.and_then(|text| text.trim().parse().ok()).map(Duration::from_secs);
        let body = answer.body_mut().with_config().limit(LONGEST).read_to_vec();
        let body = body.map_err(|error| self.unreachable(error))?;
        if (200..300).contains(&status) {
            return Ok(receipt(&body).unwrap_or_default());
        }
        let answer = shown(&body);
        Err(ExportError::Refused { address: self.address.clone(), status, answer, retry_after })
    }

    fn unreachable(&self, error: ureq::Error) -> ExportError {
        let why = match error {
            ureq::Error::Timeout(_) => format!("no answer within {} s", TIMEOUT.as_secs()),
            ureq::Error::HostNotFound => "there is no such host".to_owned(),
            ureq::Error::Io(error) if error.kind() == std::io::ErrorKind::ConnectionRefused => {
                "nothing listens there".to_owned()
            }
            ureq::Error::Io(error) => error.to_string(),
            error => error.to_string(),
        };
        ExportError::Unreachable { address: self.address.clone(), why }
    }
}

/// Whether HTTP allows this name and value of a header.
fn can_be_sent(name: &str, value: &str) -> bool {
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    let is_visible = |byte: u8| byte == b'\t' || (byte >= b' ' && byte != 0x7f);
    !name.is_empty() && name.bytes().all(is_token) && value.bytes().all(is_visible)
}

fn authorities(path: &Path) -> Result<RootCerts, ExportError> {
    let failed = |why: String| ExportError::Certificates { path: path.to_owned(), why };
    let found = isotherm_client::authorities(path).map_err(failed)?;
    let found: Vec<_> = found.iter().map(|one| Certificate::from_der(one).to_owned()).collect();
    Ok(found.into_iter().into())
}

fn gzip(body: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    // Writing into memory does not fail.
    let written = encoder.write_all(body).and_then(|()| encoder.finish());
    written.unwrap_or_default()
}

/// What `ExportMetricsServiceResponse` says of points that were not kept.
fn receipt(body: &[u8]) -> Result<Receipt, Malformed> {
    let mut receipt = Receipt::default();
    for field in Fields::of(body) {
        let (1, partial) = field? else { continue };
        for field in Fields::of(partial.bytes()?) {
            match field? {
                (1, points) => receipt.rejected = points.whole()?,
                (2, message) => receipt.message = message.text()?,
                _ => {}
            }
        }
    }
    Ok(receipt)
}

/// The beginning of an answer, of which nothing moves a cursor.
fn shown(body: &[u8]) -> String {
    let text = String::from_utf8_lossy(&body[..body.len().min(SHOWN)]);
    let plain = |one: char| if one.is_control() || one == '\u{fffd}' { ' ' } else { one };
    text.chars().map(plain).collect::<String>().split_whitespace().collect::<Vec<_>>().join(" ")
}
