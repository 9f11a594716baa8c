/** A path in a config: keys and indexes. */
export type KeyPath = readonly (string | number)[];

/** A readable path: `agents.mail.tools[0]`. */
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

/** The position of an offset in a text. */
export function positionAt(text: string, offset: number): Position {
  const before = text.slice(0, offset).split("\n");
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

/**
 * The position of a key in the source of a config, or of its nearest parent. It reads object and array literals, and
 * otherwise only knows strings and comments. Undefined if the source has none of them.
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

/** An open bracket: an object or list inside another, or anything else. */
interface Frame {
  readonly type: "object" | "list" | "other";
  /** The path from the outermost literal. */
  readonly path: KeyPath;
  /** True inside the default export. */
  readonly isExported: boolean;
  /** The key before a colon, and the index of the element. */
  key: string | undefined;
  index: number;
  /** True where a key or an element starts. */
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
      frame.isFresh = token === "async" || token === "get"; // the name follows
      note(keys, [...frame.path, frame.key], { at, isExported: frame.isExported });
    }
    isExported = frames.length === 0 ? token === "default" || (isExported && token !== ";") : isExported;
    before = token;
  }
  return keys;
}

/** Nested literals extend the path; any other bracket starts a new path. */
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

/** The default export takes precedence; otherwise the first match. */
function note(keys: Map<string, Key>, path: KeyPath, key: Key): void {
  const id = idOf(path);
  const known = keys.get(id);
  if (known === undefined || (key.isExported && !known.isExported)) keys.set(id, key);
}

const isName = (token: string): boolean => /^["'\p{L}_$]/u.test(token);

const nameOf = (token: string): string => (/^["']/u.test(token) ? token.slice(1, -1) : token);
