//! Which path answers what, in the order in which requests are refused.

use std::net::TcpStream;

use crate::Access;
use crate::document_cache::{DocumentCache, packed, refusal};
use crate::documents::Snapshot;
use crate::events::{self, Streams};
use crate::heavy::HeavyWork;
use crate::history::LiveHistory;
use crate::http::{Head, Limits, Method, Refusal, Request, Response};
use crate::marks;
use crate::metrics::Metrics;
use crate::parameters::{DocumentRequest, EventsRequest};
use crate::shell::Shell;

/// Below this path is data.
const DATA: &str = "/api/";

/// Everything that answers are made of.
#[derive(Debug)]
pub struct Routes {
    /// Who may ask.
    pub access: Access,
    /// The page, which has no data.
    pub shell: Shell,
    /// What is served.
    pub history: std::sync::Arc<LiveHistory>,
    /// The latest documents.
    pub documents: DocumentCache,
    /// What is made one at a time.
    pub heavy: HeavyWork,
    /// What all streams of events share.
    pub streams: Streams,
    /// Totals to be scraped, if they are.
    pub metrics: Option<Metrics>,
}

/// An answer, or a stream that begins with one.
pub enum Answer {
    /// All of it.
    Whole(Response),
    /// Events that follow.
    Events(Response, EventsRequest),
}

impl Routes {
    /// Answers a request.
    pub fn answer(
        &self,
        request: &mut Request,
        stream: &mut TcpStream,
        limits: &Limits,
    ) -> Result<Answer, Refusal> {
        let scraped = self.metrics.as_ref().filter(|_| request.head.path == "/metrics");
        let is_data = request.head.path.starts_with(DATA) || scraped.is_some();
        self.access.check_site(&request.head, is_data)?;
        if let Some(metrics) = scraped {
            return self.totals(&request.head, metrics).map(Answer::Whole);
        }
        if !is_data {
            return self.part_of_page(&request.head).map(Answer::Whole);
        }
        let can_mark = self.access.may_mark(&request.head)?;
        let head = &request.head;
        match head.path.as_str() {
            "/api/v1/document" => {
                looks(head)?;
                self.document(head, can_mark).map(Answer::Whole)
            }
            "/api/v1/events" => {
                looks(head)?;
                Ok(Answer::Events(Response::stream(), EventsRequest::read(&head.query)?))
            }
            "/api/v1/marks" => {
                makes(head)?;
                if !can_mark {
                    return Err(Refusal::NotAllowed("this token is for looking only"));
                }
                if head.content_type.as_deref() != Some("application/json") {
                    return Err(Refusal::WrongType);
                }
                let body = request.body(stream, limits)?;
                marks::make(&self.history, &body).map(Response::created).map(Answer::Whole)
            }
            "/api/v1/save" => {
                makes(head)?;
                if head.content_length.is_some_and(|length| length > 0) {
                    return Err(Refusal::BodyTooLarge(0));
                }
                self.page(head).map(Answer::Whole)
            }
            _ => Err(Refusal::NotFound),
        }
    }

    /// Writes the events of a stream.
    pub fn write_events(
        &self,
        stream: &mut TcpStream,
        request: &EventsRequest,
        limits: &Limits,
    ) -> std::io::Result<()> {
        events::run(stream, (&self.history, &self.streams, &self.heavy), request, limits)
    }

    fn totals(&self, head: &Head, metrics: &Metrics) -> Result<Response, Refusal> {
        if metrics.is_closed() {
            self.access.may_mark(head)?;
        }
        looks(head)?;
        let text = metrics.text().into_bytes();
        let content_type = "text/plain; version=0.0.4; charset=utf-8";
        Ok(perhaps_packed(head, content_type, || text.clone(), || packed(&text)))
    }

    fn part_of_page(&self, head: &Head) -> Result<Response, Refusal> {
        let (content_type, text) = match head.path.as_str() {
            "/" => ("text/html; charset=utf-8", &self.shell.page),
            "/app.js" => ("text/javascript; charset=utf-8", &self.shell.script),
            "/style.css" => ("text/css; charset=utf-8", &self.shell.style),
            _ => return Err(Refusal::NotFound),
        };
        looks(head)?;
        let text = text.as_bytes();
        Ok(perhaps_packed(head, content_type, || text.to_vec(), || packed(text)))
    }

    fn document(&self, head: &Head, can_mark: bool) -> Result<Response, Refusal> {
        let request = DocumentRequest::read(&head.query)?;
        let shared = (self.history.as_ref(), &self.heavy);
        let document = self.documents.document(shared, &request, can_mark)?;
        let (whole, packed) = (|| document.whole().to_vec(), || document.packed().to_vec());
        Ok(perhaps_packed(head, "application/octet-stream", whole, packed))
    }

    fn page(&self, head: &Head) -> Result<Response, Refusal> {
        let request = DocumentRequest::read_part_of_time(&head.query)?;
        let page = self.heavy.alone(|| Snapshot::of(&self.history).page(&request));
        let page = page.map_err(|error| refusal(&error))?;
        let name = "attachment; filename=\"isotherm.html\"";
        Ok(Response::of("text/html; charset=utf-8", page).with("Content-Disposition", name))
    }
}

fn looks(head: &Head) -> Result<(), Refusal> {
    match head.method {
        Method::Get | Method::Head => Ok(()),
        Method::Post | Method::Other => Err(Refusal::WrongMethod("GET, HEAD")),
    }
}

fn makes(head: &Head) -> Result<(), Refusal> {
    if head.method == Method::Post { Ok(()) } else { Err(Refusal::WrongMethod("POST")) }
}

/// An answer, compressed if the client takes that.
fn perhaps_packed(
    head: &Head,
    content_type: &'static str,
    whole: impl FnOnce() -> Vec<u8>,
    packed: impl FnOnce() -> Vec<u8>,
) -> Response {
    let response = if head.takes_gzip {
        Response::of(content_type, packed()).with("Content-Encoding", "gzip")
    } else {
        Response::of(content_type, whole())
    };
    response.with("Vary", "Accept-Encoding")
}
