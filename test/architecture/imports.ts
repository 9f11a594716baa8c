import { posix } from "node:path";
import ts from "typescript-5.9";
import { type FileRule, type SourceFile, isForTests, parse, place, walk } from "./source-files.ts";

/**
 * Which layers a layer may import. It is one line: core < explain; core < codecs < report; core < codecs < wire < adapters; core < codecs < model; core < store;
 * {core, codecs, store, model} < engine < files < middleware; middleware < config; {wire, adapters, config} < testing < cli.
 */
const layers: Readonly<Record<string, readonly string[]>> = {
  core: [],
  codecs: ["core"],
  wire: ["core", "codecs"],
  explain: ["core"],
  report: ["core", "codecs"],
  adapters: ["core", "codecs", "wire", "undangle"],
  store: ["core"],
  model: ["core", "codecs"],
  engine: ["core", "codecs", "store", "model"],
  files: ["core", "codecs", "store", "model", "engine"],
  middleware: ["core", "codecs", "store", "model", "engine", "files"],
  config: ["core", "codecs", "store", "model", "engine", "files", "middleware"],
  client: ["core", "codecs", "explain", "engine"],
  testing: ["core", "codecs", "wire", "adapters", "store", "model", "engine", "files", "middleware", "config"],
  cli: [
    "core",
    "codecs",
    "explain",
    "report",
    "wire",
    "adapters",
    "store",
    "model",
    "engine",
    "files",
    "middleware",
    "config",
    "testing",
  ],
  // The package's root face, `src/*.ts`: it has to run in a browser, so it takes only what does.
  "": ["core", "codecs", "explain", "wire"],
  // The same face, as adapters see it: they use the package as its users do, with the language of the process.
  undangle: [],
};

/** Which of our packages a package may import, by its public entries. */
const packages: Readonly<Record<string, readonly string[]>> = {
  undangle: [],
  server: ["undangle"],
  studio: ["undangle"],
};

/** The layers that run anywhere and depend on nothing; the root face runs anywhere too. */
const withoutDependencies = ["core", "codecs", "explain", "report", "wire", ""];

/** Imports go down the line of layers, enter another layer by its face only, and stay inside their own by relative path. */
export const importDirection: FileRule = (file) => {
  const from = locate(file.path);
  if (from === undefined) return [];
  return importsOf(file).flatMap(({ specifier, typeOnly, at }) => {
    const complaint = complain(file, from, specifier, typeOnly);
    return complaint === undefined ? [] : [`${at}: ${complaint}`];
  });
};

/** The names of all layers that the table knows. */
export const layerNames: readonly string[] = Object.keys(layers).filter((name) => name !== "");

interface Location {
  readonly package: string;
  readonly layer: string;
}

interface Import {
  readonly specifier: string;
  readonly typeOnly: boolean;
  readonly at: string;
}

function locate(path: string): Location | undefined {
  const match = /^packages\/([^/]+)\/src\/(?:([^/]+)\/)?[^/]/u.exec(path);
  return match?.[1] === undefined
    ? undefined
    : { package: match[1], layer: match[1] === "undangle" ? (match[2] ?? "") : "" };
}

function complain(file: SourceFile, from: Location, specifier: string, typeOnly: boolean): string | undefined {
  if (specifier.startsWith(".")) return complainOfRelative(file, from, specifier);
  if (specifier.startsWith("#")) return complainOfLayer(file, from, specifier.slice(1), typeOnly);
  const ours = /^(?:@undangle\/)?(undangle|server|studio)(?:\/|$)/u.exec(specifier)?.[1];
  if (ours !== undefined) {
    const allowed = packages[from.package]?.includes(ours) === true;
    return allowed ? undefined : `package ${from.package} may not import package "${specifier}"`;
  }
  const runsAnywhere = from.package === "undangle" && withoutDependencies.includes(from.layer);
  if (!runsAnywhere || isForTests(file.path)) return undefined;
  return specifier.startsWith("node:")
    ? `${nameOf(from)} runs in browsers too and may not import "${specifier}"`
    : `${nameOf(from)} has no dependencies and may not import "${specifier}"`;
}

function complainOfRelative(file: SourceFile, from: Location, specifier: string): string | undefined {
  const target = posix.join(posix.dirname(file.path), specifier);
  const to = locate(target);
  if (to?.package !== from.package || to.layer !== from.layer) {
    return `"${specifier}" leaves ${nameOf(from)}; another layer is entered by its face, as "#layer"`;
  }
  const isOwnFace = from.layer !== "" && target === `packages/undangle/src/${from.layer}/index.ts`;
  return isOwnFace && !isForTests(file.path)
    ? `"${specifier}" is the layer's own face; import the file itself`
    : undefined;
}

function complainOfLayer(file: SourceFile, from: Location, layer: string, typeOnly: boolean): string | undefined {
  if (from.package !== "undangle") return `"#${layer}" belongs to package undangle`;
  if (layer === "" || !Object.hasOwn(layers, layer))
    return `"#${layer}" is not a layer; a layer is entered by its face only`;
  // A test may look up the line (a law of core is tested on real formats), but no test enters by the back door.
  if (isForTests(file.path)) return undefined;
  if (layer === from.layer) return `"#${layer}" is the layer's own face; import the file itself`;
  if (layers[from.layer]?.includes(layer) !== true) return `${nameOf(from)} may not import "#${layer}"`;
  return from.layer === "client" && !typeOnly ? `client may import only types of "#${layer}"` : undefined;
}

const nameOf = ({ package: name, layer }: Location): string =>
  name === "undangle" ? layer || "the root face" : `package ${name}`;

function importsOf(file: SourceFile): readonly Import[] {
  const found: Import[] = [];
  const add = (node: ts.Node, typeOnly: boolean) => {
    if (ts.isStringLiteralLike(node)) found.push({ specifier: node.text, typeOnly, at: place(node) });
  };
  walk(parse(file), (node) => {
    if (ts.isImportDeclaration(node))
      add(node.moduleSpecifier, node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword);
    else if (ts.isExportDeclaration(node) && node.moduleSpecifier) add(node.moduleSpecifier, node.isTypeOnly);
    else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) add(node.argument.literal, true);
    else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword && node.arguments[0]) {
      add(node.arguments[0], false);
    }
  });
  return found;
}
