//! What a source says is never markup, a header or a line of a stream.

use isotherm_frame::{Account, Event, Mark, Timestamp};

use crate::client::{Site, VIEW, frame};
use crate::streams::Client;

/// Names and texts that somebody would like to see obeyed.
const PAYLOADS: &[&str] = &[
    "<script>alert(1)</script>",
    "</script><script>alert(1)</script>",
    "<!--<script>",
    "]]><img src=x onerror=alert(1)>",
    "\"><svg onload=alert(1)>",
    "javascript:alert(1)",
    "\r\nSet-Cookie: a=b",
    "\n\nevent: restart\ndata: {}\n\n",
    "\r\rid: 0\r\r",
    "data: x\u{2028}\u{2029}\u{85}",
    "\u{202e}gpj.exe",
    "\u{1b}]0;title\u{7}",
    "\u{0}",
    "%0d%0aX: y",
    "${alert(1)}{{7*7}}",
    "__proto__",
    "constructor",
    "../../etc/passwd",
];

#[test]
fn names_and_texts_stay_data() {
    let site = Site::new();
    site.feed(0, "read", (0, 3));
    let (head, _) = site.document("");
    let (tick, layout) = (head["live"]["tick"].as_u64().unwrap(), &head["live"]["layout"]);
    let mut client = Client::connect(&site, tick, layout.as_str().unwrap());
    for payload in PAYLOADS {
        let mark =
            Mark { at: Timestamp::new(1_700_000_000_500_000_000), text: (*payload).to_owned() };
        let frame = Event::Frame(frame(payload, 3));
        let message = Event::Message((*payload).to_owned());
        site.history.take(0, &[frame, Event::Mark(mark), message], &Account::default());
    }
    site.history.end(0, PAYLOADS[7]);
    // Each event is one of ours: nothing in between began one of its own.
    let mut kinds = Vec::new();
    while kinds.last().is_none_or(|kind| kind != "over") {
        let event = client.next();
        assert!(["columns", "summary", "mark", "message", "over"].contains(&event.kind.as_str()));
        assert!(event.tick >= tick);
        kinds.push(event.kind);
    }
    assert_eq!(kinds.iter().filter(|kind| *kind == "mark").count(), PAYLOADS.len());
    let (head, document) = site.document("");
    assert_eq!(head["entries"].as_array().unwrap().len(), 2 + PAYLOADS.len());
    // What is shown has no character that a terminal or a browser obeys.
    let length = u32::from_le_bytes(document[..4].try_into().unwrap()) as usize;
    let text = std::str::from_utf8(&document[4..4 + length]).unwrap();
    for hidden in ["\\u0000", "\\u001b", "\\r", "\u{202e}", "\u{2028}"] {
        assert!(!text.contains(hidden), "{hidden:?}");
    }
    let saved = site.ask_with(VIEW, "POST /api/v1/save");
    assert_eq!(saved.status, 200);
    let page = saved.text();
    for markup in ["<script>alert", "<img src=x", "<svg onload", "\u{1b}", "\u{202e}"] {
        assert!(!page.contains(markup), "{markup:?}");
    }
    let reply = site.ask_with(VIEW, "GET /api/v1/document?%0d%0aX:%20y=1");
    assert_eq!((reply.status, reply.field("X")), (400, None));
}
