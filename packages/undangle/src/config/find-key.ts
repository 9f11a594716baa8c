/** The way to something in a config: keys of objects, and numbers of elements. */
export type KeyPath = readonly (string | number)[];

/** How a person reads a way: `agents.mail.tools[0]`. */
export function showKey(path: KeyPath): string {
  return path
    .map((part, i) => {
      if (typeof part === "number") return `[${part}]`;
      const isPlain = /^[\p{L}_$][\p{L}\d_$]*$/u.test(part);
      return isPlain ? `${i === 0 ? "" : "."}${part}` : `[${JSON.stringify(part)}]`;
    })
    .join("");
}

/** A line and a column, both from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** Where an offset stands in a text. */
export function positionAt(text: string, offset: number): Position {
  const before = text.slice(0, offset).split("\n");
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

/**
 * Where a key stands in the source of a config, or else the nearest key above it: it reads object and array literals, and knows
 * no more of the language than where strings and comments end. Undefined where the source has none of them.
 */
export function findKey(source: string, path: KeyPath): Position | undefined {
  const found = keysOf(source);
  for (let length = path.length; length > 0; length--) {
    const key = found.get(idOf(path.slice(0, length)));
    if (key !== undefined) return positionAt(source, key.at);
  }
  const start = /export\s+default\b/u.exec(source)?.index;
  return start === undefined ? undefined : positionAt(source, start);
}

const idOf = (path: KeyPath): string => JSON.stringify(path);

/** What a bracket has opened: an object or a list that stands somewhere in another one, or anything else. */
interface Frame {
  readonly type: "object" | "list" | "other";
  /** The way to it, from the outermost literal. */
  readonly path: KeyPath;
  /** True in what the file exports by default. */
  readonly isExported: boolean;
  /** The key that stands before a colon, and the number of the element. */
  key: string | undefined;
  index: number;
  /** True where a key, or an element, is about to begin. */
  isFresh: boolean;
}

const tokens =
  /\/\/.*|\/\*[^]*?\*\/|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\[^])*`|[\p{L}_$][\p{L}\p{N}_$]*|\d[\w.]*|=>|\.\.\.|[^\s]/gu;

interface Key {
  readonly at: number;
  readonly isExported: boolean;
}

function keysOf(source: string): ReadonlyMap<string, Key> {
  const keys = new Map<string, Key>();
  const frames: Frame[] = [];
  let before = "";
  let isExported = false;
  for (const { 0: token, index: at } of source.matchAll(tokens)) {
    if (token.startsWith("//") || token.startsWith("/*")) continue;
    const frame = frames.at(-1);
    if (frame?.type === "list" && frame.isFresh && token !== "]") {
      note(keys, [...frame.path, frame.index], { at, isExported: frame.isExported });
      frame.isFresh = false;
    }
    if (token === "{" || token === "[" || token === "(") {
      frames.push(opened(token, frame, { before, isExported }));
      if (frame !== undefined) frame.isFresh = false;
    } else if (token === "}" || token === "]" || token === ")") frames.pop();
    else if (token === "," && frame !== undefined) {
      frame.index += 1;
      frame.key = undefined;
      frame.isFresh = true;
    } else if (frame?.type === "object" && frame.isFresh && isName(token)) {
      frame.key = nameOf(token);
      frame.isFresh = token === "async" || token === "get"; // then the name is what follows
      note(keys, [...frame.path, frame.key], { at, isExported: frame.isExported });
    }
    isExported = frames.length === 0 ? token === "default" || (isExported && token !== ";") : isExported;
    before = token;
  }
  return keys;
}

/** Literals inside literals are one way; behind any other bracket a new one begins. */
function opened(
  token: string,
  outer: Frame | undefined,
  { before, isExported }: { readonly before: string; readonly isExported: boolean },
): Frame {
  const isInside = (before === ":" && outer?.type === "object") || outer?.type === "list";
  const own = outer?.type === "list" ? outer.index : outer?.key;
  const isValue = token === "{" ? ["(", "[", ",", ":", "=", "default", "return"].includes(before) : token === "[";
  return {
    type: !isValue ? "other" : token === "{" ? "object" : "list",
    path: isInside && outer !== undefined && own !== undefined ? [...outer.path, own] : [],
    isExported: isExported && (outer === undefined || isInside || outer.isExported),
    key: undefined,
    index: 0,
    isFresh: true,
  };
}

/** What is exported stands before what only looks like it; else the first of several does. */
function note(keys: Map<string, Key>, path: KeyPath, key: Key): void {
  const id = idOf(path);
  const known = keys.get(id);
  if (known === undefined || (key.isExported && !known.isExported)) keys.set(id, key);
}

const isName = (token: string): boolean => /^["'\p{L}_$]/u.test(token);

const nameOf = (token: string): string => (/^["']/u.test(token) ? token.slice(1, -1) : token);
