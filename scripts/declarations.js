// Turns the declarations that tsc wrote into one file per entry and a few shared chunks: editors and compilers read fewer files, and
// internal types are not published.
import { mkdirSync, readFileSync, readdirSync, rmSync, rmdirSync, writeFileSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { rolldown } from "rolldown";
import { dts } from "rolldown-plugin-dts";
import { inRoot } from "./run.js";

/** @typedef {Record<string, string | { readonly types?: string, readonly default: string }>} Targets */
/** @typedef {{ readonly exports: Targets, readonly imports?: Targets }} Manifest */

for (const name of process.argv.slice(2)) await rollUp(inRoot(`packages/${name}`));

async function rollUp(/** @type {string} */ folder) {
  const dist = join(folder, "dist");
  const manifest = readFileSync(join(folder, "package.json"), "utf8");
  const { exports, imports = {} } = /** @type {Manifest} */ (JSON.parse(manifest));
  const entries = Object.values(exports).flatMap((entry) =>
    typeof entry === "object" && entry.types !== undefined ? [entry.types] : [],
  );
  const bundle = await rolldown({
    cwd: folder,
    input: Object.fromEntries(entries.map((path) => [path.slice("./dist/".length, -".d.ts".length), path])),
    external: (id) => !/^[.#]/u.test(id) && !isAbsolute(id),
    plugins: [
      { name: "layers", resolveId: (id) => declarationsOf(imports[id]) },
      dts({ dtsInput: true, emitDtsOnly: true, tsconfig: false }),
    ],
  });
  const { output } = await bundle.generate({
    entryFileNames: "[name].js",
    chunkFileNames: "chunks/types-[name]-[hash].js",
  });

  for (const name of readdirSync(dist, { recursive: true, encoding: "utf8" })) {
    if (name.endsWith(".d.ts")) rmSync(join(dist, name));
  }
  for (const file of output) {
    const path = join(dist, file.fileName);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, file.type === "chunk" ? file.code : file.source);
  }
  removeEmptyFolders(dist);

  /** The declarations of a layer, which code imports as `#core`. */
  function declarationsOf(/** @type {Targets[string] | undefined} */ layer) {
    return typeof layer === "object" ? join(folder, layer.default.replace(/js$/u, "d.ts")) : undefined;
  }
}

function removeEmptyFolders(/** @type {string} */ folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) removeEmptyFolders(join(folder, entry.name));
  }
  if (readdirSync(folder).length === 0) rmdirSync(folder);
}
