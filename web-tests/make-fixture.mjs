// Writes the report of the fixtures: node make-fixture.mjs report.html
import { writeFileSync } from "node:fs";
import { report } from "./fixtures.mjs";

writeFileSync(process.argv[2] ?? "fixture.html", report());
