// What the live page asks its server: documents, and the stream that tells when there is more.

/** Where the token is kept until the tab is closed. */
const TOKEN_KEY = "isotherm token";

/** The shortest and the longest pause between two tries to reach the server, milliseconds. */
const PAUSES = [500, 15_000];

/** A stream that lasted so long was a good one, milliseconds. */
const GOOD_STREAM = 5_000;

/**
 * The token of the address, which is wiped from it at once, or the one that this tab knows already.
 * @returns {string}
 */
function takeToken() {
  const parts = new URLSearchParams(location.hash.replace(/^#/, "").replace(/\+/g, "%2B"));
  const given = parts.get("token");
  if (given !== null) {
    sessionStorage.setItem(TOKEN_KEY, given);
    parts.delete("token");
    const rest = [...parts].map(([key, value]) => `${key}=${encodeURIComponent(value)}`).join("&");
    history.replaceState(null, "", rest === "" ? location.pathname : `#${rest}`);
  }
  return sessionStorage.getItem(TOKEN_KEY) ?? "";
}

/** An answer that is no success, as the server words it. */
class Refused extends Error {
  /**
   * @param {number} status
   * @param {string} text
   */
  constructor(status, text) {
    super(text);
    this.status = status;
  }
}

/**
 * Asks the server; fails with what it says.
 * @param {string} token
 * @param {string} path
 * @param {RequestInit} [options]
 * @returns {Promise<Response>}
 */
async function ask(token, path, options = {}) {
  const answer = await fetch(`/api/v1/${path}`, { ...options, headers: { ...options.headers, authorization: `Bearer ${token}` }, cache: "no-store" });
  if (answer.ok) return answer;
  const said = await answer.json().catch(() => null);
  const text = answer.status === 401 ? "This address has no valid token: open the one that isotherm serve printed." : said?.error ?? `The server answers ${answer.status}.`;
  throw new Refused(answer.status, text);
}

/**
 * The document as it is now.
 * @param {string} token
 * @returns {Promise<LiveDocument>}
 */
async function askDocument(token) {
  const answer = await ask(token, "document");
  return /** @type {LiveDocument} */ (openDocument(new Uint8Array(await answer.arrayBuffer())));
}

/**
 * What a live page is told by an event with columns: only its head is read.
 * @param {string} data in base64
 * @returns {LiveHead}
 */
function liveHeadOf(data) {
  const bytes = (/** @type {number} */ count) => Uint8Array.from(atob(data.slice(0, Math.ceil(count / 3) * 4)), (sign) => sign.charCodeAt(0));
  const length = 4 + new DataView(bytes(4).buffer).getUint32(0, true);
  return JSON.parse(new TextDecoder().decode(bytes(length).subarray(4, length))).live;
}

/**
 * The lines of a stream.
 * @param {ReadableStream<Uint8Array>} stream
 */
async function* linesOf(stream) {
  const [reader, decoder] = [stream.getReader(), new TextDecoder()];
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const lines = (rest + decoder.decode(value, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
}

/**
 * The events of a stream of server-sent events, until it ends.
 * @param {ReadableStream<Uint8Array>} stream
 * @param {(name: string, data: string) => void} take
 */
async function readEvents(stream, take) {
  let [name, data] = ["message", ""];
  for await (const line of linesOf(stream)) {
    if (line === "") {
      if (data !== "") take(name, data);
      [name, data] = ["message", ""];
    } else if (line.startsWith("event:")) name = line.slice(6).trim();
    else if (line.startsWith("data:")) data += line.slice(5).trim();
  }
}

/**
 * Listens for as long as the page is open; after a lost connection again, more and more seldom.
 * @param {string} token
 * @param {() => string} where what the stream is asked for
 * @param {{ event: (name: string, data: string) => void, lost: (why: string) => void, found: () => void }} told
 */
async function listenToServer(token, where, told) {
  for (let pause = PAUSES[0]; ; pause = Math.min(pause * 2, PAUSES[1])) {
    let why = "the connection was lost";
    const begun = performance.now();
    try {
      const answer = await ask(token, `events?${where()}`);
      if (answer.body) {
        told.found();
        await readEvents(answer.body, told.event);
      }
    } catch (trouble) {
      if (trouble instanceof Refused && trouble.status === 401) throw trouble;
      why = trouble instanceof Refused ? trouble.message : why;
    }
    if (performance.now() - begun > GOOD_STREAM) pause = PAUSES[0];
    told.lost(why);
    await new Promise((resume) => setTimeout(resume, pause));
  }
}
