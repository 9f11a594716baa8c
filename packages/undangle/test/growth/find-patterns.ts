import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import ts from "typescript-5.9";

/** A regular expression of the sources, and its place. */
export interface Pattern {
  readonly place: string;
  readonly pattern: RegExp;
}

const packages = fileURLToPath(new URL("../../..", import.meta.url));

/** The files of the sources, without those that `isExcluded`. */
export const sourceFiles = (isExcluded: (path: string) => boolean): string[] =>
  globSync("*/src/**/*.ts", { cwd: packages })
    .filter((path) => !/\.(?:test|fixture)\.ts$/u.test(path) && !isExcluded(path))
    .toSorted();

/** How often a file builds a regular expression from texts. */
export const builtPatternsIn = (path: string): number =>
  [...readFileSync(`${packages}/${path}`, "utf8").matchAll(/\bRegExp\(/gu)].length;

/** Every regular expression that is written as a literal in a file. */
export function patternsIn(path: string): Pattern[] {
  const source = ts.createSourceFile(path, readFileSync(`${packages}/${path}`, "utf8"), ts.ScriptTarget.Latest);
  const found: Pattern[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) {
      const { line } = source.getLineAndCharacterOfPosition(node.getStart(source));
      const end = node.text.lastIndexOf("/");
      const pattern = new RegExp(node.text.slice(1, end), node.text.slice(end + 1));
      found.push({ place: `${path}:${line + 1}`, pattern });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** False for a pattern that repeats nothing without a limit, and therefore reads each character a fixed number of times. */
export const isUnbounded = ({ source }: RegExp): boolean => /[*+]|\{\d+,\}/u.test(source.replaceAll(/\\./gsu, ""));

/** Texts that make a pattern of the wrong shape slow: what it knows, repeated, and then something that it does not expect. */
export function* attacksOn({ source }: RegExp): Generator<(size: number) => string> {
  const words = wordsIn(source);
  const marks = [...new Set(source.replaceAll(/[\w\s]/gu, ""))].slice(0, 6);
  const pairs = marks.flatMap((one) => marks.filter((other) => other !== one).map((other) => one + other));
  const units = new Set([
    ...signs,
    ...marks,
    ...pairs,
    ...words.slice(0, 10),
    ...words.slice(0, 10).map((word) => `${word} `),
  ]);
  for (const head of ["", ...marks.slice(0, 3), ...words.slice(0, 4)])
    for (const unit of units)
      for (const end of [".", `\u0001${unit}`]) yield (size) => head + unit.repeat(Math.ceil(size / unit.length)) + end;
}

/** The texts that a pattern has in it as they are: `<invoke name="`. */
function wordsIn(source: string): string[] {
  const plain = source
    .replaceAll(/\\[pP]\{[^}]*\}|\\[wWsSdDbB]|\[(?:[^\]\\]|\\.)*\]|\(\?(?:<?[=!]|<\w+>|:)|\{\d+,?\d*\}/gsu, "\uE000")
    .replaceAll(/\\n/gu, "\n")
    .replaceAll(/\\(.)/gsu, "\uE001$1");
  const words = plain.split(/[\uE000^$*+?.()|]+(?<!\uE001.)/u).map((word) => word.replaceAll("\uE001", ""));
  return [...new Set(words.filter((word) => word.length > 1))].slice(0, 24);
}

/** One character of each kind that a pattern may repeat. */
const signs = [" ", "\n", "0", "a", "A", "汉", "-"] as const;
