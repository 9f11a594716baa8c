// Bundles the output of tsc in dist into a few files, because every module adds to the load time.
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { build } from "esbuild";
import { inRoot } from "./run.js";

/** @typedef {string | { readonly default: string }} Target */
/** @typedef {{ readonly exports: Record<string, Target>, readonly imports: Record<"#cli", Target> }} Manifest */

const packageFolder = inRoot("packages/undangle");
const dist = join(packageFolder, "dist");

const root = join(dist, "index.js");

/** Rarely used parts of the root are a separate file, `#later` in package.json, which Node loads on first use. */
const later = new Map([
  ["convert", "./codecs/convert/convert.js"],
  ["explain", "./explain/explain.js"],
]);
writeFileSync(
  join(dist, "later.js"),
  [...later].map(([name, file]) => `export { ${name} } from "${file}";\n`).join(""),
);

/**
 * Entries and lazily loaded files that use most of the root. They import all of it, so that the root becomes a few
 * chunks instead of one for each set of entries. Other entries load only what they use.
 */
const ledToRoot =
  /^(?:adapters\/.*|cli\/commands\/history-commands|config\/index|later|middleware\/public-names|model\/index|.*\/(?:assembler|repair-response))\.js$/u;
const withRoot = 'import "the-root";\n';

/** The beginning of a marked path. esbuild breaks long lines, also inside of texts. */
const marker = new RegExp(Array.from('"own-place:').join("(?:\\\\\\n)?"), "g");

/** @type {Map<string, Map<string, string>>} */
const homes = new Map();

const { outputFiles } = await build({
  absWorkingDir: packageFolder,
  entryPoints: entryPoints(),
  external: ["#later"],
  outbase: "dist",
  outdir: "dist",
  write: false, // the output replaces the input
  bundle: true,
  format: "esm",
  splitting: true, // shared code exists once: one UndangleError, one cache
  chunkNames: "chunks/[name]-[hash]",
  platform: "neutral",
  packages: "external", // dependencies and Node's own modules
  target: "esnext", // tsc has already compiled for Node 22
  charset: "utf8",
  lineLimit: 160, // an uncaught error prints the line that threw it
  minify: true, // loading is mostly parsing; this saves a fifth of it
  logLevel: "warning",
  logOverride: { "ignored-bare-import": "silent" }, // the import of the root only guides the splitting
  plugins: [{ name: "sources", setup: readSources }],
});

for (const name of readdirSync(dist, { recursive: true, encoding: "utf8" })) {
  if (name.endsWith(".js")) rmSync(join(dist, name));
}
for (const { path, text } of outputFiles) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, withOwnPlaces(path, text));
}
writeFileSync(
  join(dist, "later-node.js"),
  `import{createRequire as r}from"node:module";let m;const l=()=>m??=r(import.meta.url)("./later.js");${[
    ...later.keys(),
  ]
    .map((name) => `export const ${name}=(...a)=>l().${name}(...a);`)
    .join("")}\n`,
);

/** The files that are loaded by name: the exports of the package, the command line, and the thread that searches files. */
function entryPoints() {
  const manifest = readFileSync(join(packageFolder, "package.json"), "utf8");
  const { exports, imports } = /** @type {Manifest} */ (JSON.parse(manifest));
  const targets = [
    ...Object.values(exports),
    imports["#cli"],
    "./dist/later.js",
    "./dist/files/search/search-worker.js",
  ];
  return targets
    .map((target) => (typeof target === "string" ? target : target.default))
    .filter((path) => path.endsWith(".js"));
}

function readSources(/** @type {import("esbuild").PluginBuild} */ bundler) {
  bundler.onLoad({ filter: /\.js$/, namespace: "file" }, ({ path }) => {
    const text = readFileSync(path, "utf8");
    return { contents: markOwnPlace(path, (isLedToRoot(path) ? withRoot : "") + enterByFile(path, text)) };
  });
  bundler.onResolve({ filter: /^the-root$/ }, () => ({ path: root }));
}

function isLedToRoot(/** @type {string} */ path) {
  return ledToRoot.test(relative(dist, path).replaceAll("\\", "/"));
}

/** Marks `import.meta.url` with the original path of a module, so that the module finds its files after bundling. */
function markOwnPlace(/** @type {string} */ path, /** @type {string} */ text) {
  const place = relative(dist, path).replaceAll("\\", "/");
  return text.replaceAll("import.meta.url", `new URL("own-place:${place}", import.meta.url).href`);
}

/**
 * Replaces imports from the index of a layer by imports from its files. Otherwise esbuild would include everything that
 * the index exports, and a dynamic import would load it eagerly.
 */
function enterByFile(/** @type {string} */ path, /** @type {string} */ text) {
  return text.replaceAll(
    /^(import|export) \{([^}]*)\} from "#(core|codecs|explain|wire)";$/gm,
    (_, /** @type {string} */ verb, /** @type {string} */ names, /** @type {string} */ layer) =>
      names
        .split(",")
        .map((name) => name.trim())
        .filter((name) => name !== "")
        .map((name) => {
          const [outer = name] = name.split(" as ");
          if (path === root && later.has(outer)) return `${verb} { ${name} } from "#later";`;
          const file = homesIn(layer).get(outer);
          if (file === undefined) throw new Error(`The face of ${layer} exports no ${outer}, or not from a file.`);
          return `${verb} { ${name} } from ${JSON.stringify(join(dist, layer, file))};`;
        })
        .join("\n"),
  );
}

/** The file of each name that the index of a layer exports. */
function homesIn(/** @type {string} */ layer) {
  const known = homes.get(layer);
  if (known !== undefined) return known;
  const face = readFileSync(join(dist, layer, "index.js"), "utf8");
  /** @type {Map<string, string>} */
  const found = new Map();
  for (const [, names = "", file = ""] of face.matchAll(/^export \{([^}]*)\} from "([^"]*)";$/gm)) {
    for (const name of names.split(",")) found.set(name.trim(), file);
  }
  homes.set(layer, found);
  return found;
}

/** Replaces the markers by paths, now that the output file of each module is known. */
function withOwnPlaces(/** @type {string} */ path, /** @type {string} */ text) {
  const toDist = relative(dirname(path), dist).replaceAll("\\", "/") || ".";
  return text.replaceAll(marker, `"${toDist}/`);
}
