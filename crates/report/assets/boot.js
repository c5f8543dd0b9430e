// Unpacks the page's script, which then unpacks the data with the same function. The only script
// that stands in the page as it is; the other has its own checksum in the page's policy.
"use strict";

/**
 * The bytes of an element's text: base64 of gzip.
 * @param {string} id
 * @returns {Promise<Uint8Array>}
 */
async function unpacked(id) {
  if (typeof DecompressionStream === "undefined") {
    throw new Error("This browser cannot unpack the report: it has no DecompressionStream. The numbers below need none; for the maps, open it in Chrome or Edge 80, Firefox 113, Safari 16.4 or later.");
  }
  const binary = atob(document.getElementById(id)?.textContent?.trim() ?? "");
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = binary.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** @param {unknown} trouble */
function showTrouble(trouble) {
  const place = document.getElementById("trouble");
  if (place) {
    place.hidden = false;
    place.textContent = trouble instanceof Error ? trouble.message : String(trouble);
  }
  document.documentElement.dataset.ready = "failed";
}

// A live page has its script in a file of its own.
if (document.getElementById("isotherm-script")) unpacked("isotherm-script").then((bytes) => {
  const script = document.createElement("script");
  script.textContent = new TextDecoder().decode(bytes);
  document.body.append(script);
}).catch(showTrouble);
