// Whether a value has the shape that Grafana's own types give it.
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const here = dirname(fileURLToPath(import.meta.url));
const types = join(here, "node_modules/@grafana/schema/dist/types");

/** Types by a name of ours: where they are declared, and what they are called there. */
const DECLARED = {
  Dashboard: ["raw/dashboard/x/types.gen", "Dashboard"],
  Panel: ["raw/dashboard/x/types.gen", "Panel"],
  HeatmapOptions: ["raw/composable/heatmap/panelcfg/x/types.gen", "Options"],
  LinesOptions: ["raw/composable/timeseries/panelcfg/x/types.gen", "Options"],
  LinesField: ["raw/composable/timeseries/panelcfg/x/types.gen", "FieldConfig"],
};

/** The compiler's view of the types above. */
function declared() {
  const text = Object.entries(DECLARED)
    .map(([name, [file, original]]) => `import type { ${original} as T${name} } from "${join(types, file)}";\nexport declare const ${name}: T${name};\n`)
    .join("");
  const root = join(here, "grafana.virtual.ts");
  const options = { strict: true, noEmit: true, module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler, skipLibCheck: true, types: [] };
  const host = ts.createCompilerHost(options);
  const [read, exists] = [host.getSourceFile, host.fileExists];
  host.getSourceFile = (name, version) => (name === root ? ts.createSourceFile(name, text, version) : read(name, version));
  host.fileExists = (name) => name === root || exists(name);
  const program = ts.createProgram([root], options, host);
  const faults = ts.getPreEmitDiagnostics(program).map((fault) => ts.flattenDiagnosticMessageText(fault.messageText, " "));
  if (faults.length > 0) throw new Error(faults.join("\n"));
  const [checker, file] = [program.getTypeChecker(), program.getSourceFile(root)];
  const found = checker.getExportsOfModule(checker.getSymbolAtLocation(file));
  return { checker, types: new Map(found.map((symbol) => [symbol.name, checker.getTypeOfSymbolAtLocation(symbol, file)])) };
}

const view = declared();

/** What of `value` is not as the type of this name has it: places and reasons, none if all is. */
export function faults(name, value) {
  const type = view.types.get(name);
  if (!type) throw new Error(`no type ${name}`);
  return differences(value, type, name);
}

function differences(value, type, place) {
  const { checker } = view;
  const is = (flag) => (type.flags & flag) !== 0;
  if (is(ts.TypeFlags.Any | ts.TypeFlags.Unknown)) return [];
  if (is(ts.TypeFlags.Union)) {
    const nothing = ts.TypeFlags.Undefined | ts.TypeFlags.Null;
    const possible = type.types.filter((one) => value === null || (one.flags & nothing) === 0);
    const each = possible.map((one) => differences(value, one, place));
    // Of several possibilities the one that comes nearest says what is wrong.
    return each.reduce((best, one) => (one.length < best.length ? one : best));
  }
  if (is(ts.TypeFlags.Intersection)) return type.types.flatMap((one) => differences(value, one, place));
  const wanted = checker.typeToString(type);
  const differs = [`${place}: ${JSON.stringify(value)} is no ${wanted}`];
  if ("value" in type) return type.value === value ? [] : differs;
  if (is(ts.TypeFlags.BooleanLiteral)) return String(value) === wanted ? [] : differs;
  if (is(ts.TypeFlags.StringLike)) return typeof value === "string" ? [] : differs;
  if (is(ts.TypeFlags.NumberLike)) return typeof value === "number" ? [] : differs;
  if (is(ts.TypeFlags.Null | ts.TypeFlags.Undefined)) return value === null ? [] : differs;
  if (checker.isArrayType(type)) {
    const [one] = checker.getTypeArguments(type);
    return Array.isArray(value) ? value.flatMap((item, at) => differences(item, one, `${place}[${at}]`)) : differs;
  }
  if (!is(ts.TypeFlags.Object) || typeof value !== "object" || value === null || Array.isArray(value)) return differs;
  return ofObject(value, type, place);
}

function ofObject(value, type, place) {
  const { checker } = view;
  const index = checker.getIndexInfosOfType(type)[0];
  const known = new Map(checker.getPropertiesOfType(type).map((one) => [one.name, one]));
  const missing = [...known.values()].filter((one) => !(one.flags & ts.SymbolFlags.Optional) && !(one.name in value));
  const found = Object.entries(value).flatMap(([name, item]) => {
    const property = known.get(name);
    const inside = property ? checker.getTypeOfSymbol(property) : index?.type;
    return inside ? differences(item, inside, `${place}.${name}`) : [`${place}.${name}: there is no such property`];
  });
  return [...missing.map((one) => `${place}.${one.name} is missing`), ...found];
}
