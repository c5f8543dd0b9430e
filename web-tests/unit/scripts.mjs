// The report's pure scripts, run outside a page.
import { runInNewContext } from "node:vm";
import { bare, source } from "../pack.mjs";

/** What these scripts define under these names; comments dropped as in the page. */
export function scripts(files, names) {
  const text = files.map((file) => bare(source(file))).join("");
  return runInNewContext(`${text}\n({ ${names.join(", ")} })`, { TextDecoder, DataView, atob, Float64Array, Int32Array, Uint8Array, JSON, URLSearchParams });
}
