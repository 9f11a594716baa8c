import { spawnSync } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

const root = fileURLToPath(new URL("../", import.meta.url));
const read = (path: string): string => readFileSync(root + path, "utf8");

describe("lock files", () => {
  /** A lock file with registry addresses installs only where those can be reached. */
  const addresses = (lock: string): readonly string[] => lock.match(/"resolved": "(?!packages\/|\.)[^"]*"/gu) ?? [];
  const locks = globSync("{package-lock.json,*/package-lock.json,packages/*/package-lock.json}", { cwd: root });

  test("there is one", () => {
    expect(locks).toContain("package-lock.json");
  });

  test.each(locks)("%s names no registry", (path) => {
    expect(addresses(read(path))).toEqual([]);
  });

  test("a registry's address would be noticed", () => {
    expect(addresses(`"resolved": "https://registry.example/node-1.0.0.tgz"`)).toHaveLength(1);
    expect(addresses(`"resolved": "packages/undangle"`)).toEqual([]);
  });

  test.each([".npmrc", ...globSync("bench/.npmrc", { cwd: root })])("%s keeps it so", (path) => {
    expect(read(path)).toContain("omit-lockfile-registry-resolved=true");
  });
});

describe("commands in the documents", () => {
  const documents = globSync(["*.md", "docs/**/*.md"], { cwd: root });
  const { scripts } = JSON.parse(read("package.json")) as { readonly scripts: Readonly<Record<string, string>> };

  /** What a document tells people to run that does not exist: scripts of npm, and files given to node. */
  function missing(text: string): readonly string[] {
    const named = [...text.matchAll(/\bnpm run ([\w:-]+)/gu)].map(([, name = ""]) => name);
    const files = [...text.matchAll(/\bnode ((?:scripts|bin|examples|bench)\/[\w./-]+)/gu)].map(
      ([, file = ""]) => file,
    );
    const short = [...text.matchAll(/\bnpm (start|test)\b/gu)].map(([, name = ""]) => name);
    return [
      ...[...named, ...short].filter((name) => !Object.hasOwn(scripts, name)).map((name) => `npm run ${name}`),
      ...files.filter((file) => !existsSync(root + file)).map((file) => `node ${file}`),
    ];
  }

  test.each(documents)("those of %s exist", (path) => {
    expect(missing(read(path))).toEqual([]);
  });

  const ofOurs = documents.flatMap((path) =>
    [...read(path).matchAll(/\bnpx undangle ([a-z]+)/gu)].map(([, name = ""]) => name),
  );

  test.each([...new Set(ofOurs)])("`npx undangle %s` exists", (name) => {
    const { status, stderr } = spawnSync(process.execPath, [`${root}bin/undangle.js`, name, "--help"], {
      encoding: "utf8",
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  });

  test("one that does not exist would be noticed", () => {
    expect(missing("Run `npm run no-such` or `node scripts/no-such.js`, then `npm test`.")).toEqual([
      "npm run no-such",
      "node scripts/no-such.js",
    ]);
  });
});
