import { existsSync, readFileSync, readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { importDirection, layerNames } from "./architecture/imports.ts";
import { facesOnlyAtLayerRoots, namedAfterIdeas, noUrlPathnames, smallFiles } from "./architecture/layout.ts";
import { noImpureGlobals, noModuleState } from "./architecture/purity.ts";
import { type FileRule, sourceFiles } from "./architecture/source-files.ts";

const packageFolder = new URL("../packages/undangle/", import.meta.url);
const files = sourceFiles();

interface RuleCase {
  readonly name: string;
  readonly rule: FileRule;
  /** `[path, text]` of files that the rule has to refuse. */
  readonly bad: readonly (readonly [path: string, text: string])[];
  /** The near misses, which it has to let pass. */
  readonly good: readonly (readonly [path: string, text: string])[];
}

const inCore = (text: string) => ["packages/undangle/src/core/repair.ts", text] as const;
const inCodecs = (text: string) => ["packages/undangle/src/codecs/anthropic/decode.ts", text] as const;
const inLayer = (layer: string, text: string) => [`packages/undangle/src/${layer}/some-file.ts`, text] as const;

const rules: readonly RuleCase[] = [
  {
    name: "imports go down the line of layers, through the face of a layer",
    rule: importDirection,
    bad: [
      inCore(`import { decode } from "#codecs";`),
      inCore(`import type { Codec } from "#codecs";`),
      inCore(`export { explain } from "#wire";`),
      inCore(`const wire = await import("#wire");`),
      inCore(`type Codec = import("#codecs").Codec;`),
      inCore(`import { repair } from "#core";`),
      inCore(`import { repair } from "./index.ts";`),
      inCore(`import { decode } from "../codecs/index.ts";`),
      inCore(`import { version } from "../version.ts";`),
      inCore(`import { readFileSync } from "node:fs";`),
      inCore(`import picomatch from "picomatch";`),
      inCore(`import { serve } from "@undangle/server";`),
      inCodecs(`import { repair } from "../../core/repair.ts";`),
      inCodecs(`import { repair } from "#core/repair";`),
      inCodecs(`import { explain } from "#wire";`),
      inLayer("wire", `import { parse } from "yaml";`),
      inLayer("adapters", `import { sqliteStore } from "#store";`),
      inLayer("store", `import { decode } from "#codecs";`),
      inLayer("model", `import { wrapFetch } from "#wire";`),
      inLayer("engine", `import { wrapFetch } from "#wire";`),
      inLayer("files", `import { todos } from "#middleware";`),
      inLayer("client", `import { repair } from "#core";`),
      inLayer("testing", `import { run } from "#cli";`),
      inLayer("middleware", `import { scriptedModel } from "#testing";`),
      inLayer("cli", `import { client } from "#client";`),
      ["packages/undangle/src/index.ts", `export { run } from "#cli";`],
      ["packages/undangle/src/index.ts", `export { repair } from "./core/index.ts";`],
      ["packages/undangle/src/core/repair.test.ts", `import { decode } from "../codecs/anthropic/decode.ts";`],
      ["packages/server/src/http.ts", `import { repair } from "../../undangle/src/core/repair.ts";`],
      ["packages/server/src/http.ts", `import { repair } from "#core";`],
      ["packages/studio/src/page.ts", `import { serve } from "@undangle/server";`],
    ],
    good: [
      inCore(`import { pair } from "./rules/pairing.ts";`),
      ["packages/undangle/src/core/rules/pairing.ts", `import { pair } from "../history.ts";`],
      inCodecs(`import { repair } from "#core";`),
      inCodecs(`import { detect } from "../detect.ts";`),
      inLayer("wire", `import { decode } from "#codecs";\nimport { repair } from "#core";`),
      inLayer("middleware", `import { createAgent } from "#engine";\nimport { state } from "#files";`),
      inLayer("client", `import type { History } from "#core";`),
      inLayer("testing", `import { wrapFetch } from "#wire";`),
      inLayer("cli", `import { readFileSync } from "node:fs";\nimport { scriptedModel } from "#testing";`),
      inLayer("store", `import { DatabaseSync } from "node:sqlite";`),
      ["packages/undangle/src/index.ts", `export { repair } from "#core";\nimport { language } from "./language.ts";`],
      [
        "packages/undangle/src/core/repair.test.ts",
        `import { test } from "vitest";\nimport { decode } from "#codecs";`,
      ],
      ["packages/server/src/http.ts", `import { repair } from "undangle";`],
      ["test/e2e.test.ts", `import { repair } from "undangle";`],
    ],
  },
  {
    name: "core, codecs and wire have no clock, no chance, no timers and no process",
    rule: noImpureGlobals,
    bad: [
      inCore(`export const now = () => Date.now();`),
      inCore(`export const today = () => new Date();`),
      inCore(`export const id = () => Math.random();`),
      inCore(`export const id = () => crypto.randomUUID();`),
      inCodecs(`const begin = performance.now();`),
      inCodecs(`if (process.env.DEBUG) {}`),
      inLayer("wire", `globalThis.language = "en";`),
      inLayer("wire", `setTimeout(() => {}, 10);`),
      inLayer("wire", `const options = { wait: setInterval };`),
    ],
    good: [
      inCore(`export const seed = (Math.max(1, 2) * 3).toFixed();`),
      inCore(`export const isDate = (value: unknown): value is Date => value instanceof Date;`),
      inCore(`export const read = (tool: { process: number; Date: Date }) => tool.process;`),
      inCore(`export const step = (process: () => void) => process();`),
      inCore(`// Date.now() would break determinism`),
      ["packages/undangle/src/core/repair.test.ts", `const begin = performance.now();`],
      inLayer("engine", `export const now = () => Date.now();`),
    ],
  },
  {
    name: "core, codecs and wire keep no state in a module",
    rule: noModuleState,
    bad: [
      inCore(`let language = "en";`),
      inCore(`export let language = "en";`),
      inCodecs(`var count = 0;`),
      inLayer("wire", `const seen = new Map<string, number>();`),
      inLayer("wire", `const seen = new Set();`),
    ],
    good: [
      inCore(`const checked = new WeakMap<object, boolean>();`),
      inCore(`const roles = new Set(["user", "assistant"]);`),
      inCore(`const none: ReadonlySet<string> = new Set();`),
      inCore(`export function count() {\n  let sum = 0;\n  return sum;\n}`),
      ["packages/undangle/src/language.ts", `let language = "en";`],
    ],
  },
  {
    name: "no file is longer than 500 lines",
    rule: smallFiles,
    bad: [inCore("a\n".repeat(501)), ["test/some.test.ts", "a\n".repeat(501)]],
    good: [
      inCore("\n".repeat(500)),
      ["packages/undangle/src/core/catalogue/pairing.ts", "\n".repeat(900)],
      ["packages/undangle/src/codecs/anthropic/bodies.fixture.ts", "\n".repeat(900)],
    ],
  },
  {
    name: "files are named after ideas, in kebab-case",
    rule: namedAfterIdeas,
    bad: [
      ["packages/undangle/src/core/types.ts", ""],
      ["packages/undangle/src/core/constants.ts", ""],
      ["packages/undangle/src/cli/utils.ts", ""],
      ["test/helpers.ts", ""],
      ["packages/undangle/src/core/repairHistory.ts", ""],
    ],
    good: [
      ["packages/undangle/src/core/call-types.ts", ""],
      ["packages/undangle/src/core/repair.property.test.ts", ""],
    ],
  },
  {
    name: "paths of files come from fileURLToPath",
    rule: noUrlPathnames,
    bad: [
      ["test/some.test.ts", ["const folder = new URL('../', import.meta.url)", "pathname;"].join(".")],
      ["test/some.test.ts", ["globSync('*.md', { cwd: root", "pathname });"].join(".")],
    ],
    good: [["test/some.test.ts", `const { pathname } = new URL(request.url, base);`]],
  },
  {
    name: "only the root of a layer has an index.ts",
    rule: facesOnlyAtLayerRoots,
    bad: [["packages/undangle/src/codecs/anthropic/index.ts", ""]],
    good: [
      ["packages/undangle/src/codecs/index.ts", ""],
      ["packages/undangle/src/index.ts", ""],
    ],
  },
];

/** The text in a test's name is only its beginning: some are long on purpose. */
const titled = (cases: RuleCase["bad"]) => cases.map(([path, text]) => [path, text.slice(0, 60), text] as const);

describe.each(rules)("$name", ({ rule, bad, good }) => {
  test("it holds in the whole repository", () => {
    expect(files.flatMap(rule)).toEqual([]);
  });

  test.each(titled(bad))("it refuses %s with %j", (path, _title, text) => {
    expect(rule({ path, text })).not.toEqual([]);
  });

  test.each(titled(good))("it lets pass %s with %j", (path, _title, text) => {
    expect(rule({ path, text })).toEqual([]);
  });
});

describe("layers", () => {
  interface Manifest {
    readonly imports: Readonly<Record<string, unknown>>;
    readonly exports: Readonly<Record<string, string | { readonly default: string }>>;
  }
  // The manifest is ours and in the repository; its shape is checked by the expectations below.
  const manifest = JSON.parse(readFileSync(new URL("package.json", packageFolder), "utf8")) as Manifest;
  const folders = readdirSync(new URL("src/", packageFolder), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);

  test("there are sources to look at", () => {
    expect(files.filter(({ path }) => path.startsWith("packages/undangle/src/")).length).toBeGreaterThan(10);
  });

  test("every folder of src is a layer of the table", () => {
    expect(folders.filter((name) => !layerNames.includes(name))).toEqual([]);
  });

  test.each(folders)("%s has a face, which leads to its source here and to its build elsewhere", (layer) => {
    expect(existsSync(new URL(`src/${layer}/index.ts`, packageFolder))).toBe(true);
    expect(manifest.imports[`#${layer}`]).toEqual({
      "undangle-source": `./src/${layer}/index.ts`,
      default: `./dist/${layer}/index.js`,
    });
  });

  /** What each public entry exports at run time. Adding or removing a name is a decision: make it here too. */
  const publicNames: Readonly<Record<string, readonly string[]>> = {
    undangle: [
      "UndangleError",
      "anthropicMiddleware",
      "assemble",
      "check",
      "contextOverflow",
      "convert",
      "cutPoints",
      "detect",
      "estimateTokens",
      "explain",
      "renderNotice",
      "repair",
      "repairAsync",
      "rules",
      "setLanguage",
      "trim",
      "wrapFetch",
    ],
    "undangle/agent": [
      "appendSystemText",
      "createAgent",
      "createDeepAgent",
      "defineMiddleware",
      "file",
      "filesystem",
      "hasProcessEnded",
      "image",
      "inexactNumbers",
      "loopGuard",
      "mcpTools",
      "memory",
      "memoryStore",
      "patchToolCalls",
      "processName",
      "promptCaching",
      "reduction",
      "skills",
      "subagents",
      "summarization",
      "telemetry",
      "todos",
      "tool",
    ],
    "undangle/ai-sdk": ["repairModelMessages", "repairStep", "repairUIMessages", "undangleModel"],
    "undangle/client": ["ServerRefusal", "createClient"],
    "undangle/config": [
      "agentNames",
      "defaultStorePath",
      "defineConfig",
      "demoAgent",
      "inlineConfig",
      "isAgentFile",
      "languageFor",
      "loadAgentFile",
      "loadConfig",
      "openAgent",
      "openStore",
      "resolveAgent",
      "withoutPassword",
    ],
    "undangle/files": [
      "bubblewrap",
      "canonicalPath",
      "compositeFiles",
      "diskFiles",
      "memoryFiles",
      "stateFiles",
      "storeFiles",
    ],
    "undangle/langchain": ["undangle"],
    "undangle/models": [
      "aiSdkModel",
      "anthropic",
      "demoModel",
      "fallback",
      "gemini",
      "mistral",
      "modelNamed",
      "ollama",
      "openai",
      "openaiCompatible",
    ],
    "undangle/store/memory": ["memoryStore"],
    "undangle/store/postgres": ["postgresStore"],
    "undangle/store/sqlite": ["sqliteStore"],
    "undangle/testing": ["faultNames", "faults", "scriptedModel", "testFiles", "testStore", "wireServer"],
  };

  test("every public entry is in the table of names", () => {
    const entries = Object.keys(manifest.exports).filter((entry) => entry !== "./package.json");
    expect(entries.map((entry) => entry.replace(/^\./u, "undangle")).sort()).toEqual(Object.keys(publicNames).sort());
  });

  test.each(Object.entries(publicNames))("%s exports exactly the names in the table", async (entry, names) => {
    const target = manifest.exports[entry.replace("undangle", ".")];
    const built = typeof target === "object" ? target.default : "";
    const path = built.replace("./dist/", "").replace(/\.js$/u, ".ts");
    const module = (await import(new URL(`src/${path}`, packageFolder).href)) as Readonly<Record<string, unknown>>;
    expect(Object.keys(module).sort()).toEqual([...names].sort());
  });
});
