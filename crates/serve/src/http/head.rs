//! The head of a request, read so that no other program in between can read it differently.

use super::refusal::Refusal;

/// The most fields of a head.
const MOST_FIELDS: usize = 64;

/// The methods that are answered.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Method {
    /// To look.
    Get,
    /// To ask for the head of the answer only.
    Head,
    /// To make something.
    Post,
    /// Any other.
    Other,
}

/// The head of a request: what is looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// What is to be done.
    pub method: Method,
    /// The path, as it came: it is only compared.
    pub path: String,
    /// What stands behind the question mark.
    pub query: String,
    /// The host asked for, in small letters.
    pub host: String,
    /// The site whose page asks.
    pub origin: Option<String>,
    /// Whether a browser says that another site's page asks.
    pub is_cross_site: bool,
    /// The token offered.
    pub bearer: Option<Vec<u8>>,
    /// The length of the body, in bytes.
    pub content_length: Option<u64>,
    /// The type of the body, without its parameters, in small letters.
    pub content_type: Option<String>,
    /// Whether the client takes gzip.
    pub takes_gzip: bool,
}

/// Reads the head of a request. Gives it and how many bytes it takes; `None` if it is not whole yet.
pub fn parse_head(bytes: &[u8]) -> Result<Option<(Head, usize)>, Refusal> {
    let mut fields = [httparse::EMPTY_HEADER; MOST_FIELDS];
    let mut request = httparse::Request::new(&mut fields);
    let length = match request.parse(bytes) {
        Ok(httparse::Status::Complete(length)) => length,
        Ok(httparse::Status::Partial) => return Ok(None),
        Err(httparse::Error::TooManyHeaders) => return Err(Refusal::HeadTooLarge(bytes.len())),
        Err(httparse::Error::Version) => return Err(Refusal::WrongVersion),
        Err(error) => return Err(Refusal::malformed(format!("not a request of HTTP: {error}"))),
    };
    // Other programs end lines at a carriage return and a line feed only.
    let lone = bytes[..length]
        .iter()
        .enumerate()
        .any(|(at, &byte)| byte == b'\n' && (at == 0 || bytes[at - 1] != b'\r'));
    if lone || bytes.starts_with(b"\r") {
        return Err(Refusal::malformed("a line of the head does not end in CR LF"));
    }
    let method = match request.method {
        Some("GET") => Method::Get,
        Some("HEAD") => Method::Head,
        Some("POST") => Method::Post,
        _ => Method::Other,
    };
    let target = request.path.unwrap_or_default();
    if !target.starts_with('/') {
        return Err(Refusal::malformed("the target of a request must begin with /"));
    }
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let fields = Fields(request.headers);
    let head = Head {
        method,
        path: path.to_owned(),
        query: query.to_owned(),
        host: fields.text("host")?.ok_or_else(|| Refusal::malformed("there is no Host"))?,
        origin: fields.text("origin")?,
        is_cross_site: fields
            .text("sec-fetch-site")?
            .is_some_and(|site| !["same-origin", "none"].contains(&site.as_str())),
        bearer: fields.bearer()?,
        content_length: fields.content_length()?,
        content_type: fields.text("content-type")?.map(|text| without_parameters(&text)),
        takes_gzip: fields.takes_gzip(),
    };
    Ok(Some((head, length)))
}

fn without_parameters(text: &str) -> String {
    text.split(';').next().unwrap_or_default().trim().to_owned()
}

struct Fields<'h>(&'h [httparse::Header<'h>]);

impl<'h> Fields<'h> {
    fn all(&self, name: &str) -> impl Iterator<Item = &'h [u8]> {
        self.0.iter().filter(move |field| field.name.eq_ignore_ascii_case(name)).map(|f| f.value)
    }

    /// The one value of a field; two are refused, as nobody knows which of them counts.
    fn one(&self, name: &str) -> Result<Option<&'h [u8]>, Refusal> {
        let mut all = self.all(name);
        match (all.next(), all.next()) {
            (_, Some(_)) => Err(Refusal::malformed(format!("there are two of the field {name}"))),
            (first, None) => Ok(first),
        }
    }

    /// The same as text in small letters.
    fn text(&self, name: &str) -> Result<Option<String>, Refusal> {
        let Some(value) = self.one(name)? else { return Ok(None) };
        let text = std::str::from_utf8(value).ok().filter(|text| text.is_ascii());
        let text =
            text.ok_or_else(|| Refusal::malformed(format!("the field {name} is no text")))?;
        Ok(Some(text.trim().to_ascii_lowercase()))
    }

    fn bearer(&self) -> Result<Option<Vec<u8>>, Refusal> {
        let Some(value) = self.one("authorization")? else { return Ok(None) };
        let (scheme, rest) = value.split_at_checked(7).unwrap_or((value, b""));
        Ok(scheme.eq_ignore_ascii_case(b"bearer ").then(|| rest.trim_ascii().to_vec()))
    }

    /// Bodies have a length and no other form: where two fields say where a body ends, programs that
    /// read the one and the other are made to see different requests.
    fn content_length(&self) -> Result<Option<u64>, Refusal> {
        let length = self.one("content-length")?;
        if self.all("transfer-encoding").next().is_some() {
            return Err(match length {
                Some(_) => Refusal::malformed("Content-Length and Transfer-Encoding together"),
                None => Refusal::NoLength,
            });
        }
        let Some(length) = length else { return Ok(None) };
        let digits = !length.is_empty() && length.iter().all(u8::is_ascii_digit);
        let number = std::str::from_utf8(length).ok().filter(|_| digits);
        let number = number.and_then(|digits| digits.parse().ok());
        number.map(Some).ok_or_else(|| Refusal::malformed("Content-Length is no number"))
    }

    fn takes_gzip(&self) -> bool {
        let values =
            self.all("accept-encoding").filter_map(|value| std::str::from_utf8(value).ok());
        let mut codings = values.flat_map(|value| value.split(','));
        codings.any(|coding| {
            let mut parts = coding.split(';').map(str::trim);
            let named = parts.next().is_some_and(|name| name.eq_ignore_ascii_case("gzip"));
            let refused = |part: &str| part.replace(' ', "").trim_end_matches(['0', '.']) == "q=";
            named && !parts.any(refused)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(text: &str) -> Result<Option<(Head, usize)>, Refusal> {
        parse_head(text.replace('\n', "\r\n").as_bytes())
    }

    fn status(text: &str) -> u16 {
        // ends: it is the status of an answer, not of a process
        head(text).map_or_else(|refusal| refusal.status().0, |_| 200)
    }

    #[test]
    fn a_request_is_read() {
        let text = "GET /api/v1/document?from=1&to=2 HTTP/1.1\nHost: LocalHost:7414\n\
                    authorization: bearer abc\nAccept-Encoding: br, gzip;q=0.5\nOrigin: http://A\n\n";
        let (head, length) = head(text).unwrap().unwrap();
        assert_eq!((head.path.as_str(), head.query.as_str()), ("/api/v1/document", "from=1&to=2"));
        assert_eq!(
            (head.host.as_str(), head.origin.as_deref()),
            ("localhost:7414", Some("http://a"))
        );
        assert_eq!(head.bearer.as_deref(), Some(b"abc".as_slice()));
        assert!(head.takes_gzip && head.method == Method::Get && head.content_length.is_none());
        assert_eq!(length, text.replace('\n', "\r\n").len());
    }

    #[test]
    fn a_part_of_a_head_is_waited_for() {
        assert_eq!(head("GET / HTTP/1.1\nHost: a\n"), Ok(None));
        assert_eq!(parse_head(b""), Ok(None));
    }

    #[test]
    fn what_two_programs_could_read_differently_is_refused() {
        let post = |fields: &str| status(&format!("POST /x HTTP/1.1\nHost: a\n{fields}\n\n"));
        assert_eq!(post("Content-Length: 5"), 200);
        assert_eq!(post("Content-Length: 5\nContent-Length: 5"), 400);
        assert_eq!(post("Content-Length: 5\nContent-Length: 6"), 400);
        assert_eq!(post("Content-Length: 5, 5"), 400);
        assert_eq!(post("Content-Length: +5"), 400);
        assert_eq!(post("Content-Length: 0x5"), 400);
        assert_eq!(post("Content-Length: 99999999999999999999"), 400);
        assert_eq!(post("Content-Length: 5\nTransfer-Encoding: chunked"), 400);
        assert_eq!(post("Transfer-Encoding: chunked"), 411);
        assert_eq!(post("Content-Length : 5"), 400);
        assert_eq!(post("X: a\n folded"), 400);
        assert_eq!(post("Host: b"), 400);
        assert_eq!(post("Authorization: Bearer a\nAuthorization: Bearer b"), 400);
        assert_eq!(status("GET http://a/ HTTP/1.1\nHost: a\n\n"), 400);
        assert_eq!(status("GET / HTTP/1.1\n\n"), 400);
        assert_eq!(status("GET / HTTP/2.0\nHost: a\n\n"), 505);
        let lone = parse_head(b"GET / HTTP/1.1\nHost: a\r\n\r\n");
        // ends: it is the status of an answer, not of a process
        assert_eq!(lone.unwrap_err().status().0, 400);
        let many = "X: y\n".repeat(65);
        assert_eq!(status(&format!("GET / HTTP/1.1\nHost: a\n{many}\n")), 431);
    }

    #[test]
    fn gzip_may_be_refused() {
        let takes = |coding: &str| {
            let text = format!("GET / HTTP/1.1\nHost: a\nAccept-Encoding: {coding}\n\n");
            head(&text).unwrap().unwrap().0.takes_gzip
        };
        assert!(takes("gzip") && takes("deflate, GZIP; q=1.0"));
        assert!(!takes("gzip;q=0") && !takes("gzip; q=0.000") && !takes("identity"));
    }
}
