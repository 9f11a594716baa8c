import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createContext, runInContext } from "node:vm";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { build } from "esbuild";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { type EmptyProject, packIntoEmptyProject } from "./packaging/empty-project.ts";

const compilers = [
  { name: "TypeScript 5.9", path: "../node_modules/typescript-5.9/bin/tsc" },
  { name: "TypeScript 7", path: "../node_modules/typescript/bin/tsc" },
].map(({ name, path }) => ({ name, path: fileURLToPath(new URL(path, import.meta.url)) }));

/** A history that a provider refuses: the call has no result. */
const broken = {
  model: "gpt-4o",
  messages: [
    { role: "user", content: "What is the weather in Lisbon?" },
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "call_1", type: "function", function: { name: "weather", arguments: '{"city":"Lisbon"}' } }],
    },
    { role: "user", content: "And in Porto?" },
  ],
};

/** What a user writes, with the types that they rely on written out. */
const consumer = `
import { UndangleError, check, explain, repair } from "undangle";

const body = ${JSON.stringify(broken)};
const rules: string[] = check(body, { format: "openai-chat" }).map((problem) => problem.rule);
const repaired = repair(body, { format: "openai-chat", language: "en" });
const messages: { role: string }[] = repaired.output.messages;
const explained: string[] = explain("An assistant message with 'tool_calls' must be followed by tool messages").map((found) => found.rule);
const problem: boolean = new Error() instanceof UndangleError;
if (problem || rules.length === 0 || explained.length === 0 || repaired.edits.length === 0 || repaired.problems.length > 0 || messages.length !== 4) {
  throw new Error(JSON.stringify({ rules, explained, repaired }));
}
// @ts-expect-error: a format that does not exist does not compile
export const wrong = () => check(body, { format: "no-such-format" });
`;

/** A runtime whose `fetch` has more than its call, as Bun's does, and what a user writes there. */
const runtime = `
declare function fetch(input: string, init?: { method?: string }): Promise<{ status: number }>;
declare namespace fetch { function preconnect(url: string): void; }
`;
const wrapper = `
import { wrapFetch } from "undangle";
wrapFetch({ fetch: (input, init) => fetch(input, init) }).preconnect("https://host.example");
wrapFetch({ fetch: wrapFetch({ fetch }) });
// @ts-expect-error: what cannot be called so does not compile
wrapFetch({ fetch: (input: number) => input });
`;

interface Manifest {
  readonly version: string;
  readonly exports: Readonly<Record<string, string | { readonly default: string }>>;
}

interface Settings {
  readonly compilerOptions: object;
  readonly files: readonly string[];
}

const settings = (module: string, moduleResolution: string, files = ["consumer.ts"]) =>
  JSON.stringify({
    // Neither Node's types nor the browser's: the declarations of the root entry have to stand on their own.
    compilerOptions: {
      target: "es2023",
      lib: ["es2023"],
      types: [],
      module,
      moduleResolution,
      strict: true,
      skipLibCheck: false,
      outDir: "built",
    },
    files,
  });

describe("the packed package in an empty project", () => {
  let project: EmptyProject;

  beforeAll(async () => {
    project = await packIntoEmptyProject();
    await project.write("consumer.ts", consumer);
    await project.write("tsconfig.json", settings("nodenext", "nodenext"));
    await project.write("tsconfig.bundler.json", settings("esnext", "bundler"));
    await project.write("runtime.d.ts", runtime);
    await project.write("wrapper.ts", wrapper);
    await project.write("tsconfig.runtime.json", settings("nodenext", "nodenext", ["runtime.d.ts", "wrapper.ts"]));
  }, 120_000);

  afterAll(async () => await project.remove());

  test.each(compilers)("compiles against $name and runs on plain Node", async ({ path }) => {
    await expect(project.node(path, "-p", "tsconfig.json")).resolves.toBe("");
    await expect(project.node("built/consumer.js")).resolves.toBe("");
  });

  test.each(compilers)("compiles against $name for a bundler", async ({ path }) => {
    await expect(project.node(path, "-p", "tsconfig.bundler.json", "--noEmit")).resolves.toBe("");
  });

  test.each(compilers)("has declarations of every entry that compile with $name", async ({ path }) => {
    const { exports } = JSON.parse(await project.read("node_modules/undangle/package.json")) as Manifest;
    const entries = Object.keys(exports).filter((name) => !name.endsWith(".json"));
    const program = entries.map((name, i) => `export * as entry${i} from "undangle${name.slice(1)}";`).join("\n");
    await project.write("entries.ts", program);
    const { compilerOptions, files } = JSON.parse(settings("nodenext", "nodenext", ["entries.ts"])) as Settings;
    const typeRoots = [fileURLToPath(new URL("../node_modules/@types", import.meta.url))];
    const withNode = { ...compilerOptions, types: ["node"], typeRoots };
    await project.write("tsconfig.entries.json", JSON.stringify({ compilerOptions: withNode, files }));
    await expect(project.node(path, "-p", "tsconfig.entries.json", "--noEmit")).resolves.toBe("");
  });

  test.each(compilers)("takes a plain function where fetch is more than that, with $name", async ({ path }) => {
    await expect(project.node(path, "-p", "tsconfig.runtime.json", "--noEmit")).resolves.toBe("");
  });

  test("brings its command, which knows its version", async () => {
    const { version } = JSON.parse(await project.read("node_modules/undangle/package.json")) as Manifest;
    expect(await project.node("node_modules/undangle/bin/undangle.js", "--help")).toContain("undangle");
    expect(await project.node("node_modules/undangle/bin/undangle.js", "--version")).toBe(`${version}\n`);
  });

  test("keeps compiled code in the user's cache, and starts where that cannot be written", async () => {
    vi.stubEnv("NODE_DISABLE_COMPILE_CACHE", undefined);
    for (const folder of ["cache", "package.json"]) {
      vi.stubEnv("XDG_CACHE_HOME", join(project.folder, folder));
      expect(await project.node("node_modules/undangle/bin/undangle.js", "--help")).toContain("undangle");
    }
    vi.unstubAllEnvs();
    expect(await readdir(join(project.folder, "cache/undangle"), { recursive: true })).not.toEqual([]);
  });

  test("says in its own words that the server is missing, where npm cannot fetch it", async () => {
    vi.stubEnv("npm_config_offline", "true");
    const said = await project.node("node_modules/undangle/bin/undangle.js", "serve").catch(String);
    vi.unstubAllEnvs();
    expect(said).toContain("undangle: npm cannot download @undangle/server@");
    expect(said).toContain("npm install @undangle/server");
    expect(said).not.toMatch(/npm (?:error|ERR!)/u);
  });

  test("has the page that explain refers to", async () => {
    const text = "An assistant message with 'tool_calls' must be followed by tool messages";
    const said = await project.node("node_modules/undangle/bin/undangle.js", "explain", text);
    const [, path = "", rule = ""] = /(docs\/\S+\.md)#(\S+) in the package undangle/u.exec(said) ?? [];
    expect(await project.read(`node_modules/undangle/${path}`)).toContain(`\n### ${rule}\n`);
  });

  test("is at most 4 packages and 4 MB", async () => {
    const { packages, bytes } = await project.measure();
    expect(packages).toBeLessThanOrEqual(4);
    expect(bytes).toBeLessThanOrEqual(4_000_000);
  });

  test("has nothing that publint objects to", async () => {
    const tarball = new Uint8Array(project.tarball).buffer;
    const { messages, pkg } = await publint({ pack: { tarball }, strict: true });
    expect(messages.map((message) => formatMessage(message, pkg))).toEqual([]);
  });

  test("has nothing that attw objects to, for a package of ES modules only", async () => {
    const result = await checkPackage(createPackageFromTarballData(new Uint8Array(project.tarball)));
    expect(result.types).toEqual({ kind: "included" });
    const problems = "problems" in result ? result.problems : [];
    const ofOldResolution = (kind: string) => kind === "node10" || kind === "node16-cjs";
    expect(
      problems.filter((problem) => !("resolutionKind" in problem && ofOldResolution(problem.resolutionKind))),
    ).toEqual([]);
  });

  test("has the licence, no tests, and a few files of declarations", async () => {
    const paths = createPackageFromTarballData(new Uint8Array(project.tarball)).listFiles();
    expect(paths.filter((path) => path.endsWith(".d.ts")).length).toBeLessThan(40);
    expect(paths).toContain("/node_modules/undangle/LICENSE");
    expect(paths.filter((path) => /\.(test|fixture|arbitrary)\./u.test(path))).toEqual([]);
  });

  test("has few modules, all of them in use, and only one UndangleError for all entries", async () => {
    const { exports } = JSON.parse(await project.read("node_modules/undangle/package.json")) as Manifest;
    const entries = Object.values(exports).flatMap((entry) => (typeof entry === "string" ? [] : entry.default));
    const worker = "dist/files/search/search-worker.js"; // loaded by its path
    const { metafile } = await build({
      absWorkingDir: join(project.folder, "node_modules/undangle"),
      entryPoints: ["bin/undangle.js", worker, ...entries],
      outdir: "unused",
      bundle: true,
      write: false,
      metafile: true,
      packages: "external",
      format: "esm",
    });
    const archive = createPackageFromTarballData(new Uint8Array(project.tarball));
    const forNodeOnly = "/node_modules/undangle/dist/later-node.js"; // a bundler takes the other branch of "#later"
    const modules = archive.listFiles().filter((path) => path.endsWith(".js") && path !== forNodeOnly);
    const used = Object.keys(metafile.inputs).map((path) => `/node_modules/undangle/${path}`);
    expect(modules.sort()).toEqual(used.sort());
    expect(modules.length).toBeLessThan(70);
    expect(modules.filter((path) => /name ?= ?"UndangleError"/u.test(archive.readFile(path)))).toHaveLength(1);
  });

  test.each(["client", "store/memory", "store/sqlite", "store/postgres", "testing"])(
    "loads nothing of the formats for undangle/%s",
    async (entry) => {
      const program = `
        import { statSync } from "node:fs";
        import { registerHooks } from "node:module";
        import { fileURLToPath } from "node:url";
        const loaded = [];
        registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
        await import("undangle/${entry}");
        const files = loaded.filter((url) => url.startsWith("file:"));
        console.log(files.reduce((sum, url) => sum + statSync(fileURLToPath(url)).size, 0));`;
      await project.write("loaded.mjs", program);
      expect(Number(await project.node("loaded.mjs"))).toBeLessThan(250_000); // the formats alone are more
    },
  );

  test("reads what few programs use with the first use of it", async () => {
    const program = `
      import { registerHooks } from "node:module";
      const read = [];
      let hasPhrases = false;
      registerHooks({
        load(url, context, next) {
          const loaded = next(url, context);
          read.push(url.replace(/.*\\//u, ""));
          hasPhrases ||= String(loaded.source).includes("assistant message with tool calls must be followed by tool");
          return loaded;
        },
      });
      const { convert, explain } = await import("undangle");
      const before = read.includes("later.js") || hasPhrases;
      const { output } = convert([{ role: "user", content: "hi" }], { from: "openai-chat", to: "gemini" });
      console.log(before, read.includes("later.js"), output[0].parts[0].text, typeof explain);`;
    await project.write("later.mjs", program);
    await expect(project.node("later.mjs")).resolves.toBe("false true hi function\n");
  });

  test("bundles for a browser without Node, and works there", async () => {
    const { outputFiles, metafile } = await build({
      stdin: { contents: `export * from "undangle";`, resolveDir: project.folder },
      bundle: true,
      write: false,
      metafile: true,
      platform: "browser",
      format: "iife",
      globalName: "undangle",
      logLevel: "silent",
    });
    const imports = Object.values(metafile.outputs).flatMap((output) => output.imports.map(({ path }) => path));
    expect(imports).toEqual([]);

    // A new context has the language and nothing of Node; these are what every browser and worker adds to it.
    const context = createContext({ TextDecoder, TextEncoder, URL, structuredClone });
    runInContext(outputFiles.map(({ text }) => text).join("\n"), context);
    const program = `JSON.stringify(undangle.repair(JSON.parse(${JSON.stringify(JSON.stringify(broken))})).output.messages[2].role)`;
    expect(runInContext(program, context)).toBe('"tool"');
  });
});
