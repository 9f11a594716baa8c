export type Key =
  | { readonly type: "text"; readonly text: string }
  /** Pasted text. Its line breaks do not send it. */
  | { readonly type: "paste"; readonly text: string }
  | { readonly type: "press"; readonly name: KeyName };

export type KeyName =
  | "enter"
  | "newline"
  | "tab"
  | "backspace"
  | "delete"
  | "left"
  | "right"
  | "up"
  | "down"
  | "home"
  | "end"
  | "word-left"
  | "word-right"
  | "kill-before"
  | "kill-after"
  | "kill-word"
  | "clear"
  | "escape"
  | "ctrl-c"
  | "ctrl-d";

/** The keys of a chunk, and a possible start of another key. */
export interface ReadKeys {
  readonly keys: readonly Key[];
  readonly held: string;
}

/** Reads the keys of a chunk, after the held text of the chunk before. */
export function readKeys(held: string, piece: string): ReadKeys {
  const keys: Key[] = [];
  let rest = held + piece;
  while (rest !== "") {
    const read = readOne(rest);
    if (read === undefined) return { keys, held: rest };
    if (read.key !== undefined) keys.push(read.key);
    rest = rest.slice(read.length);
  }
  return { keys, held: "" };
}

/** The keys of the held text if nothing follows: a single Escape, or an incomplete paste. */
export function heldKeys(held: string): readonly Key[] {
  if (isPasting(held)) return [pasteOf(held.slice(pasteStart.length))];
  return held === "\u001B" ? [{ type: "press", name: "escape" }] : [];
}

export const isPasting = (held: string): boolean => held.startsWith(pasteStart);

interface One {
  readonly key: Key | undefined;
  readonly length: number;
}

const pasteStart = "\u001B[200~";
const pasteEnd = "\u001B[201~";

/** The first key of a text; undefined if it is incomplete. */
function readOne(text: string): One | undefined {
  if (text.startsWith(pasteStart)) return readPaste(text);
  if (text.startsWith("\u001B")) return readEscape(text);
  const plain = /^[^\p{Cc}]+/v.exec(text)?.[0];
  if (plain !== undefined) return { key: { type: "text", text: plain }, length: plain.length };
  return { key: pressed(controls[text.charAt(0)]), length: 1 };
}

function readPaste(text: string): One | undefined {
  const end = text.indexOf(pasteEnd);
  if (end === -1) return undefined;
  return { key: pasteOf(text.slice(pasteStart.length, end)), length: end + pasteEnd.length };
}

const pasteOf = (text: string): Key => ({ type: "paste", text: text.replaceAll(/\r\n?/g, "\n") });

function readEscape(text: string): One | undefined {
  const behind = text.slice(1);
  const sequence = /^(?:\[[0-?]*[ -\/]*[@-~]|O[ -~])/v.exec(behind)?.[0];
  if (sequence !== undefined) return { key: pressed(sequences[sequence]), length: 1 + sequence.length };
  if (/^(?:\[[0-?]*[ -\/]*|O)?$/v.test(behind)) return undefined; // the sequence may continue
  const meta = behind.charAt(0);
  if (meta === "\u001B") return { key: pressed("escape"), length: 1 };
  return { key: pressed(metas[meta]), length: 2 };
}

const pressed = (name: KeyName | undefined): Key | undefined =>
  name === undefined ? undefined : { type: "press", name };

const controls: Readonly<Record<string, KeyName>> = {
  "\r": "enter",
  "\n": "newline",
  "\t": "tab",
  "\u007F": "backspace",
  "\b": "backspace",
  "\u0001": "home",
  "\u0002": "left",
  "\u0003": "ctrl-c",
  "\u0004": "ctrl-d",
  "\u0005": "end",
  "\u0006": "right",
  "\u000B": "kill-after",
  "\u000C": "clear",
  "\u000E": "down",
  "\u0010": "up",
  "\u0015": "kill-before",
  "\u0017": "kill-word",
};

/** After the escape character. */
const sequences: Readonly<Record<string, KeyName>> = {
  "[A": "up",
  "[B": "down",
  "[C": "right",
  "[D": "left",
  "[H": "home",
  "[F": "end",
  OA: "up",
  OB: "down",
  OC: "right",
  OD: "left",
  OH: "home",
  OF: "end",
  "[1~": "home",
  "[7~": "home",
  "[4~": "end",
  "[8~": "end",
  "[3~": "delete",
  "[1;5C": "word-right",
  "[1;5D": "word-left",
  "[1;3C": "word-right",
  "[1;3D": "word-left",
  "[13;2u": "newline",
};

/** With Alt, or after Escape. */
const metas: Readonly<Record<string, KeyName>> = {
  b: "word-left",
  f: "word-right",
  "\r": "newline",
  "\n": "newline",
  "\u007F": "kill-word",
};
