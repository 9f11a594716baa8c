import { emptyLine, insert, lineOf, pressIn } from "./line.ts";
import type { Line } from "./line.ts";
import type { Key } from "./keys.ts";

/** The input of the user and its history. */
export interface Composer {
  readonly line: Line;
  /** Oldest first. */
  readonly history: readonly string[];
  /** The position in the history; its length while the user writes a new message. */
  readonly place: number;
  /** The text before the user went back in the history. */
  readonly draft: string;
  /** The completions after Tab. */
  readonly offered: readonly string[];
}

/** A composer after a key, and the message if the key sent one. */
export interface Composed {
  readonly composer: Composer;
  readonly said?: string;
}

/** Returns the completions of a text. */
export type Complete = (text: string) => readonly string[];

export const newComposer = (history: readonly string[]): Composer => ({
  line: emptyLine,
  history,
  place: history.length,
  draft: "",
  offered: [],
});

/** An empty input. The old text was not sent, so it is not in the history. */
export const cleared = (composer: Composer): Composer => newComposer(composer.history);

/** The composer with a text. */
export const withText = (composer: Composer, text: string): Composer => ({ ...cleared(composer), line: lineOf(text) });

/** The composer after a key. Enter sends, unless the line ends with a backslash, which starts a new line. */
export function compose(composer: Composer, key: Key, complete: Complete): Composed {
  const { line } = composer;
  const plain = { ...composer, offered: [] };
  if (key.type !== "press") return { composer: { ...plain, line: insert(line, key.text) } };
  switch (key.name) {
    case "enter":
      return entered(plain);
    case "tab":
      return { composer: completed(plain, complete) };
    case "up":
    case "down": {
      const moved = pressIn(line, key.name);
      return {
        composer: moved === undefined ? recalled(plain, key.name === "up" ? -1 : 1) : { ...plain, line: moved },
      };
    }
    default:
      return { composer: { ...plain, line: pressIn(line, key.name) ?? line } };
  }
}

const mostRemembered = 1000;

function entered(composer: Composer): Composed {
  const { text } = composer.line;
  if (/(?:^|[^\\])(?:\\\\)*\\$/u.test(text))
    return { composer: { ...composer, line: lineOf(`${text.slice(0, -1)}\n`) } };
  if (text.trim() === "") return { composer: cleared(composer) };
  const history = remembered(composer.history, text.trimEnd());
  return { composer: newComposer(history), said: text.trimEnd() }; // pasted text may end with line breaks
}

/** The history with a new message. Repeated messages are stored once. */
const remembered = (history: readonly string[], text: string): readonly string[] =>
  history.at(-1) === text ? history : [...history, text].slice(-mostRemembered);

function recalled(composer: Composer, by: -1 | 1): Composer {
  const { history, place, line } = composer;
  const next = place + by;
  if (next < 0 || next > history.length) return composer;
  const draft = place === history.length ? line.text : composer.draft;
  return { ...composer, place: next, draft, line: lineOf(history[next] ?? draft) };
}

/** The text up to the common prefix of all completions. */
function completed(composer: Composer, complete: Complete): Composer {
  const { text, cursor } = composer.line;
  if (cursor !== text.length) return composer;
  const offered = complete(text);
  const [first] = offered;
  if (first === undefined) return composer;
  if (offered.length === 1) return { ...composer, line: lineOf(first) };
  let common = first;
  while (!offered.every((each) => each.startsWith(common))) common = common.slice(0, -1);
  return { ...composer, line: lineOf(common.length > text.length ? common : text), offered };
}
