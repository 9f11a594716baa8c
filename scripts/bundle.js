// Turns what tsc wrote into dist into a few files, because a process pays for each module that it loads.
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { build } from "esbuild";
import { inRoot } from "./run.js";

/** @typedef {string | { readonly default: string }} Target */
/** @typedef {{ readonly exports: Record<string, Target>, readonly imports: Record<"#cli", Target> }} Manifest */

const packageFolder = inRoot("packages/undangle");
const dist = join(packageFolder, "dist");

const root = join(dist, "index.js");

/** What few programs use of the root is a file of its own, `#later` in package.json, which Node reads with the first use of it. */
const later = new Map([
  ["convert", "./codecs/convert/convert.js"],
  ["explain", "./explain/explain.js"],
]);
writeFileSync(
  join(dist, "later.js"),
  [...later].map(([name, file]) => `export { ${name} } from "${file}";\n`).join(""),
);

/**
 * Entries, and files that are loaded when they are needed, that use most of the root. They are led to all of it, so that the root is a
 * few chunks and not one for each set of entries. Other entries load only what they use.
 */
const ledToRoot =
  /^(?:adapters\/.*|cli\/commands\/history-commands|config\/index|later|middleware\/public-names|model\/index|.*\/(?:assembler|repair-response))\.js$/u;
const withRoot = 'import "the-root";\n';

/** @type {Map<string, Map<string, string>>} */
const homes = new Map();

const { outputFiles } = await build({
  absWorkingDir: packageFolder,
  entryPoints: entryPoints(),
  external: ["#later"],
  outbase: "dist",
  outdir: "dist",
  write: false, // the output takes the place of the input
  bundle: true,
  format: "esm",
  splitting: true, // what two entries use exists once: one UndangleError, one cache
  chunkNames: "chunks/[name]-[hash]",
  platform: "neutral",
  packages: "external", // dependencies, and Node's own modules
  target: "esnext", // tsc has written what Node 22 understands
  charset: "utf8",
  lineLimit: 160, // an error that nobody catches shows the line that threw it
  minify: true, // most of what an import costs is reading names and signs: a fifth less of it
  logLevel: "warning",
  logOverride: { "ignored-bare-import": "silent" }, // that of the root: it is there to be followed, not to be kept
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

/** The files that are loaded by name: those that the package exports, and the command line. */
function entryPoints() {
  const manifest = readFileSync(join(packageFolder, "package.json"), "utf8");
  const { exports, imports } = /** @type {Manifest} */ (JSON.parse(manifest));
  const targets = [...Object.values(exports), imports["#cli"], "./dist/later.js"];
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

/** A module that asks where it stands is told the place that it had before it was bundled, seen from its new one. */
function markOwnPlace(/** @type {string} */ path, /** @type {string} */ text) {
  const place = relative(dist, path).replaceAll("\\", "/");
  return text.replaceAll("import.meta.url", `new URL("own-place:${place}", import.meta.url).href`);
}

/**
 * Imports from the face of a layer become imports from the files behind it: esbuild puts all that a face leads to where one
 * of its names is used, and an import that waits until it is needed would not wait.
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

/** The file of each name that the face of a layer exports. */
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

/** Puts the paths where the marks are: only now it is known which file a module went to. */
function withOwnPlaces(/** @type {string} */ path, /** @type {string} */ text) {
  const toDist = relative(dirname(path), dist).replaceAll("\\", "/") || ".";
  return text.replaceAll('"own-place:', `"${toDist}/`);
}
