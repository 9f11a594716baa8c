import { globSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import type * as TypeScript from "typescript-5.9";
import { describe, expect, test } from "vitest";

const ts = createRequire(import.meta.url)("typescript-5.9") as typeof TypeScript; // the compiler of `npm run types` has no API
const root = fileURLToPath(new URL("../", import.meta.url));
const read = (path: string): string => readFileSync(root + path, "utf8");

/** Areas whose file names, declared names and comments use the words of the glossary too. */
const areas = [
  "packages/undangle/src/wire",
  "packages/undangle/src/codecs/stream",
  "packages/undangle/src/codecs/*/stream",
  "packages/undangle/src/codecs/*/response",
  "packages/undangle/src/engine",
  "packages/undangle/src/explain",
  "packages/undangle/src/report",
  "packages/undangle/src/client",
  "packages/server/src",
  "packages/studio/src",
];

/**
 * Names of the API, of wire formats and of other areas that contain a banned word. `AnswerContext` and its field `answer`
 * are names of the API; `answer` is also the stored type of an entry.
 */
const allowedNames: ReadonlySet<string> = new Set(["seal", "Seal", "AnswerContext", "answer", "FinalAnswerOf"]);

/** The words in the third column of the glossary's tables. */
const banned = read("docs/glossary.md")
  .split("\n")
  .filter((line) => line.startsWith("| **"))
  .flatMap((line) => Array.from(line.split("|")[3]?.matchAll(/`([^`]+)`/gu) ?? [], ([, word = ""]) => word));
const pattern = new RegExp(String.raw`(?<![\w-])(?:${[...new Set(banned)].join("|")})(?![\w-])`, "iu");

/** The banned word in a text. Code and the one allowed phrase do not count. */
function bannedIn(text: string): string | undefined {
  return pattern.exec(text.replaceAll(/`[^`]*`|final answers?/giu, ""))?.[0];
}

test("the glossary bans words, and the test finds them", () => {
  expect(banned.length).toBeGreaterThan(30);
  expect(bannedIn("It was mended.")).toBe("mended");
  expect(bannedIn("Please give your final answer by calling `answer`.")).toBeUndefined();
});

const pages = globSync(["README.md", "SECURITY.md", "AGENTS.md", "CHANGELOG.md", "docs/**/*.md"], {
  cwd: root,
});

test.each(pages.filter((path) => !path.endsWith("glossary.md")))("headings of %s", (path) => {
  const headings = read(path)
    .replaceAll(/^```[^]*?^```/gmu, "")
    .split("\n")
    .filter((line) => /^#{1,6} /u.test(line) && line !== "### Seal"); // a name of the API
  expect(headings.filter((line) => bannedIn(line) !== undefined)).toEqual([]);
});

/** Modules whose texts users read. */
const texts = globSync(
  [
    "packages/undangle/src/{adapters,cli,client,codecs,config,core,engine,explain,files,middleware,model,report,store,testing,wire}/**/*.ts",
    "packages/server/src/**/*.ts",
    "packages/studio/src/**/*.{ts,tsx}",
    "scripts/*.{js,ts}",
  ],
  { cwd: root },
).filter((path) => !/\.(?:test|fixture)\.tsx?$|chinese\.ts$|notice|demo\/words\.ts$/u.test(path)); // words of users

describe("texts", () => {
  test.each(texts)("%s", (path) => {
    expect(proseIn(path).filter((text) => bannedIn(text) !== undefined)).toEqual([]);
  });
});

/** Texts of a module that read as sentences. The texts of providers, under `errors` and in patterns, are theirs. */
function proseIn(path: string): readonly string[] {
  const found: string[] = [];
  const visit = (node: TypeScript.Node): void => {
    if (ts.isPropertyAssignment(node) && ts.isIdentifier(node.name) && node.name.text === "errors") return;
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return;
    if (ts.isStringLiteralLike(node)) found.push(node.text);
    if (ts.isTemplateExpression(node))
      found.push(node.head.text + node.templateSpans.map(({ literal }) => ` ${literal.text}`).join(""));
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(path, read(path), ts.ScriptTarget.Latest, true));
  return found.filter((text) => /\p{L} \p{L}/u.test(text));
}

const sources = globSync(
  areas.map((area) => `${area}/**/*.{ts,tsx}`),
  { cwd: root },
).filter((path) => !/\.(?:test|fixture)\.ts$/u.test(path));

describe("names and comments of areas", () => {
  test("there are some", () => {
    expect(sources.length).toBeGreaterThan(60);
    expect(sources.flatMap(commentsIn).length).toBeGreaterThan(5 * sources.length);
  });

  test.each([...new Set(sources)])("%s", (path) => {
    const name = path
      .replace(/^.*\//u, "")
      .replace(/\.tsx?$/u, "")
      .replaceAll("-", " ");
    expect(
      [name, ...declaredIn(path).map(wordsOf), ...commentsIn(path)].filter((text) => bannedIn(text) !== undefined),
    ).toEqual([]);
  });
});

/** The words of a name: `isTextVisible` is "is Text Visible". */
const wordsOf = (name: string): string =>
  name
    .replaceAll(/([a-z\d])([A-Z])/gu, "$1 $2")
    .replaceAll(/([A-Z])([A-Z][a-z])/gu, "$1 $2")
    .replaceAll(/[_$]/gu, " ");

/** The names that a module declares. Names that it imports, and keys of wire formats, are declared elsewhere. */
function declaredIn(path: string): readonly string[] {
  const found: string[] = [];
  const visit = (node: TypeScript.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return;
    if (isNamed(node) && node.name !== undefined && ts.isIdentifier(node.name)) found.push(node.name.text);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(path, read(path), ts.ScriptTarget.Latest, true));
  return found.filter((name) => !allowedNames.has(name));
}

const isNamed = (node: TypeScript.Node): node is TypeScript.NamedDeclaration =>
  ts.isVariableDeclaration(node) ||
  ts.isFunctionDeclaration(node) ||
  ts.isInterfaceDeclaration(node) ||
  ts.isTypeAliasDeclaration(node) ||
  ts.isParameter(node) ||
  ts.isPropertySignature(node) ||
  ts.isBindingElement(node);

function commentsIn(path: string): readonly string[] {
  const text = read(path);
  const found = new Map<number, string>(); // by place: a comment belongs to every node that starts after it
  const visit = (node: TypeScript.Node): void => {
    const ranges = [ts.getLeadingCommentRanges(text, node.pos), ts.getTrailingCommentRanges(text, node.end)];
    for (const { pos, end } of ranges.flatMap((each) => each ?? [])) found.set(pos, text.slice(pos, end));
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true));
  return [...found.values()];
}
