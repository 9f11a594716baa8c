/**
 * What the documents show is what happens. A `ts` block runs, and where a `text` block follows it, that is what it prints
 * (`ts fragment` is a piece that cannot run alone). A `console` block is run in `examples/`; a line `…` stands for lines left out.
 */
import { spawnSync } from "node:child_process";
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

const root = fileURLToPath(new URL("../", import.meta.url));
const documents = globSync(["*.md", "docs/**/*.md"], { cwd: root });
const read = (path: string): string => readFileSync(join(root, path), "utf8");
const env = { ...process.env, LANG: "C.UTF-8", LC_ALL: "", NO_COLOR: "1", FORCE_COLOR: undefined };

interface Block {
  readonly path: string;
  readonly line: number;
  readonly kind: string;
  readonly text: string;
  /** What the block right behind it shows, where that is its output. */
  readonly shown: string | undefined;
}

const blocks = documents.flatMap(blocksOf);

function blocksOf(path: string): readonly Block[] {
  const text = read(path);
  return [...text.matchAll(/^```(.+)\n([^]*?)^```\n(?:\n```text\n([^]*?)^```\n)?/gmu)].map((found) => {
    const [, kind = "", inside = "", shown] = found;
    return { path, line: text.slice(0, found.index).split("\n").length, kind, text: inside, shown };
  });
}

describe("snippets", () => {
  test("every block says what it is", () => {
    const kinds = new Set(["ts", "ts fragment", "text", "console", "sh"]);
    expect(blocks.filter(({ kind }) => !kinds.has(kind))).toEqual([]);
  });

  test.each(blocks.filter(({ kind }) => kind === "ts"))("$path:$line runs", ({ text, shown }) => {
    const { stdout, stderr, status } = spawnSync(
      process.execPath,
      ["--input-type=module-typescript", "--no-warnings", "--eval", text],
      { cwd: root, env, encoding: "utf8" },
    );
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout).toBe(shown ?? stdout);
  });

  test("every block that runs has no type errors", () => {
    const folder = mkdtempSync(join(root, "node_modules", ".snippets-"));
    try {
      const strict = { noUncheckedIndexedAccess: false, noUnusedLocals: false, allowJs: false, checkJs: false };
      const config = { extends: join(root, "tsconfig.json"), compilerOptions: strict, include: ["*.ts"] };
      writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
      for (const { path, line, text } of blocks.filter(({ kind }) => kind === "ts"))
        writeFileSync(join(folder, `${path.replaceAll(/\W/gu, "-")}-${line}.ts`), text);
      const tsc = join(root, "node_modules/typescript/bin/tsc");
      const { stdout, status } = spawnSync(process.execPath, [tsc, "-p", folder], { cwd: root, env, encoding: "utf8" });
      expect({ stdout, status }).toEqual({ stdout: "", status: 0 });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test.each(blocks.filter(({ kind }) => kind === "console"))("$path:$line is what the command says", ({ text }) => {
    const [, command = "", expected = ""] = /^\$ npx undangle (.+)\n([^]*)$/u.exec(text) ?? [];
    const args = [...command.matchAll(/"([^"]*)"|(\S+)/gu)].map(([, quoted, plain]) => quoted ?? plain ?? "");
    const { stdout } = spawnSync(process.execPath, [join(root, "bin/undangle.js"), ...args], {
      cwd: join(root, "examples"),
      env,
      encoding: "utf8",
    });
    const pieces = expected.trimEnd().split(/^…$/mu);
    const literally = pieces.map((piece) => piece.replaceAll(/[$()*+.?[\\\]^{|}]/gu, String.raw`\$&`));
    expect(stdout.trimEnd()).toMatch(new RegExp(`^${literally.join("[^]*")}$`, "u"));
  });
});

describe("links", () => {
  const links = documents.flatMap((path) =>
    [...read(path).matchAll(/\]\((?!https?:)([^)\s#]*)(?:#([^)\s]+))?\)/gu)].map(([, target = "", anchor]) => ({
      from: path,
      to: target === "" ? path : join(dirname(path), target),
      anchor,
    })),
  );

  test.each(documents)("those of %s lead somewhere", (path) => {
    const mine = links.filter(({ from }) => from === path);
    expect(mine.filter(({ to }) => !existsSync(join(root, to)))).toEqual([]);
    expect(mine.filter(({ to, anchor }) => anchor !== undefined && !anchorsOf(to).includes(anchor))).toEqual([]);
  });

  test("there are some", () => {
    expect(links.length).toBeGreaterThan(50);
  });
});

/** The anchors that a page's headings get. */
function anchorsOf(path: string): readonly string[] {
  return [...read(path).matchAll(/^#+ (.+)$/gmu)].map(([, title = ""]) =>
    title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );
}
