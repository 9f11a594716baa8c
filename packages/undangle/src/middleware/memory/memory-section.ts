import type { Language } from "#core";
import type { ModelRequest } from "#model";

import { freeTag } from "../free-tag.ts";
import { memoryTexts, slot } from "./memory-texts.ts";

/** A file of the memory. Its text is empty if there is no such file. */
export interface LoadedSource {
  readonly path: string;
  readonly text: string;
  /** Why it could not be read. */
  readonly problem?: string;
}

export interface SectionOptions {
  /** The most characters of each file. */
  readonly limit: number;
  /** The text around the files. */
  readonly prompt: string;
  readonly language: Language;
  readonly tools: ModelRequest["tools"];
}

/** The system text with the files, or undefined if there is nothing to show. */
export function memorySection(
  loaded: readonly LoadedSource[],
  { limit, prompt, language, tools }: SectionOptions,
): string | undefined {
  const texts = memoryTexts[language];
  const readFile = tools.some(({ name }) => name === "read_file") ? "read_file" : undefined;
  const files = loaded.map((source) => ({ ...source, ...visibleText(source.text, limit) }));
  const tag = freeTag("agent_memory", files.map(({ text }) => text).join("\n"));
  const blocks = files.flatMap(({ path, text, rest, problem }) => {
    if (problem !== undefined) return [texts.unread(path, oneLine(problem))];
    if (text === "") return [];
    const block = `<${tag} path=${quoted(path)}>\n${text}\n</${tag}>`;
    return [rest === undefined ? block : `${block}\n${texts.cut(path, { ...rest, readFile })}`];
  });
  if (blocks.length === 0) return undefined;
  return prompt.replaceAll(slot, () => blocks.join("\n\n"));
}

/** What is not shown of a file. */
export interface RestOfFile {
  readonly shown: number;
  readonly total: number;
  /** The number of whole lines of the file before the rest. */
  readonly offset: number;
}

/** The text of a file without comments, and at most as long as the limit. It ends after a line if possible. */
export function visibleText(file: string, limit: number): { readonly text: string; readonly rest?: RestOfFile } {
  const kept = withoutComments(file);
  const whole = kept.map(({ text }) => text).join("");
  const text = whole.trim();
  if (text.length <= limit) return { text };
  const lineEnd = text.lastIndexOf("\n", limit - 1) + 1;
  const isInPair = /[\uDC00-\uDFFF]/.test(text.charAt(limit)); // without u: it reads units
  const shown = lineEnd > limit / 2 ? lineEnd : limit - (isInPair ? 1 : 0);
  const before = file.slice(0, placeInFile(kept, whole.indexOf(text) + shown));
  const offset = before.match(/\r\n|\n|\r/gu)?.length ?? 0;
  return { text: text.slice(0, shown).trimEnd(), rest: { shown, total: text.length, offset } };
}

/** A part of a file, and where it begins in the file. */
interface Kept {
  readonly start: number;
  readonly text: string;
}

/** The parts of a text between `<!-- … -->`. A comment without an end is text. */
function withoutComments(file: string): readonly Kept[] {
  const kept: Kept[] = [];
  let start = 0;
  for (let open = file.indexOf("<!--"); open !== -1; open = file.indexOf("<!--", start)) {
    const close = file.indexOf("-->", open + 4);
    if (close === -1) break;
    kept.push({ start, text: file.slice(start, open) });
    start = close + 3;
  }
  return [...kept, { start, text: file.slice(start) }];
}

function placeInFile(kept: readonly Kept[], index: number): number {
  let left = index;
  for (const { start, text } of kept) {
    if (left <= text.length) return start + left;
    left -= text.length;
  }
  return index; // an index is never after the end
}

const quoted = (path: string): string => JSON.stringify(path).replaceAll("<", "\\u003c");

const oneLine = (text: string): string => text.replaceAll(/\s+/gu, " ").slice(0, 500);
