import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
// TypeScript 7 has no stable parser for programs yet; that of 5.9 reads the same syntax.
import ts from "typescript-5.9";

/** A file of the repository: its path from the root, with `/`, and its text. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

/** What a rule has to say about one file: one sentence for each violation, none when it holds. */
export type FileRule = (file: SourceFile) => readonly string[];

const root = fileURLToPath(new URL("../../", import.meta.url));

/** All program files of the repository, ours only: nothing installed, built or recorded. */
export function sourceFiles(): readonly SourceFile[] {
  const isNotOurs = (path: string) => /(^|[\\/])(node_modules|dist|fixtures|\.git)$/u.test(path);
  return globSync("{packages,test,scripts,examples,bench,bin}/**/*.{ts,tsx,js,jsx}", { cwd: root, exclude: isNotOurs })
    .map((path) => path.replaceAll("\\", "/"))
    .map((path) => ({ path, text: readFileSync(root + path, "utf8") }));
}

/** Whether a file is there for tests only: its name says so, and the build leaves it out. */
export const isForTests = (path: string): boolean => /\.(test|fixture|arbitrary)\.ts$/u.test(path);

/** The syntax tree of a file, with parents. */
export const parse = ({ path, text }: SourceFile): ts.SourceFile =>
  ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);

/** Calls `visit` for a node and everything below it. */
export function walk(node: ts.Node, visit: (node: ts.Node) => void): void {
  visit(node);
  ts.forEachChild(node, (child) => walk(child, visit));
}

/** One `file:line` for a message. */
export function place(node: ts.Node): string {
  const file = node.getSourceFile();
  return `${file.fileName}:${file.getLineAndCharacterOfPosition(node.getStart()).line + 1}`;
}
