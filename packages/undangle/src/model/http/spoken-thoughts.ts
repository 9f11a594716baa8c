import type { AssembledTurn, StreamPart, TurnPart } from "#core";

/** Separates reasoning from text, if a model writes both into one stream. */
export interface SpokenThoughts {
  readonly part: (part: StreamPart) => readonly StreamPart[];
  readonly turn: (turn: AssembledTurn) => AssembledTurn;
}

const openings = ["<think>", "<mm:think>"] as const;

/**
 * Text between `<think>` and `</think>` at the start of a response is reasoning. A server that is not configured for
 * the model passes it on as text. A tag anywhere else is text. Only the two tags and the white space around them are
 * removed.
 */
export function spokenThoughts(): SpokenThoughts {
  let state: "undecided" | "thinking" | "between" | "speaking" = "undecided";
  let held = ""; // a possible start of a tag
  let closing = "";

  const say = (text: string): readonly Said[] => {
    if (state === "speaking") return [{ type: "text-delta", text }];
    held += text;
    if (state === "undecided") {
      const begin = held.trimStart();
      const opening = openings.find((tag) => begin.startsWith(tag));
      if (opening === undefined) {
        if (openings.some((tag) => tag.startsWith(begin))) return [];
        return letGo();
      }
      state = "thinking";
      closing = opening.replace("<", "</");
      held = begin.slice(opening.length);
    }
    if (state === "thinking") {
      const end = held.indexOf(closing);
      const safe = end === -1 ? held.length - overlap(held, closing) : end;
      const thought = held.slice(0, safe);
      held = held.slice(end === -1 ? safe : end + closing.length);
      if (end !== -1) state = "between";
      const said: readonly Said[] = thought === "" ? [] : [{ type: "reasoning-delta", text: thought }];
      return end === -1 ? said : [...said, ...say("")];
    }
    held = held.trimStart();
    return held === "" ? [] : letGo();
  };

  /** Releases held text that cannot become a tag. */
  const letGo = (): readonly Said[] => {
    const text = held;
    held = "";
    const type = state === "thinking" ? "reasoning-delta" : "text-delta";
    state = "speaking";
    return text === "" ? [] : [{ type, text }];
  };

  return {
    part(part) {
      const { choice } = part;
      if (part.type === "text-delta") return say(part.text).map((said) => ({ ...said, choice }));
      if (part.type === "reasoning-delta" || part.type === "anomaly") return [part]; // such parts may precede the text
      const rest = letGo().map((said) => ({ ...said, choice }));
      return [...rest, part.type === "finish" ? { ...part, turn: apart(part.turn) } : part];
    },
    turn: apart,
  };
}

interface Said {
  readonly type: "text-delta" | "reasoning-delta";
  readonly text: string;
}

/** The number of characters at the end of a text that may start a tag. */
function overlap(text: string, tag: string): number {
  for (let length = Math.min(text.length, tag.length - 1); length > 0; length--) {
    if (text.endsWith(tag.slice(0, length))) return length;
  }
  return 0;
}

const tagged = /^\s*<((?:mm:)?think)>([^]*?)(?:<\/\1>\s*([^]*))?$/u;

/** The same for a complete turn. */
function apart(turn: AssembledTurn): AssembledTurn {
  const at = turn.parts.findIndex(({ type }) => type === "text" || type === "call");
  const first = turn.parts[at];
  const found = first?.type === "text" ? tagged.exec(first.text) : null;
  if (first?.type !== "text" || found === null) return turn;
  const [, , thought = "", said = ""] = found;
  const split: readonly TurnPart[] = [
    ...(thought === "" ? [] : [{ type: "reasoning", text: thought } as const]),
    ...(said === "" ? [] : [{ ...first, text: said }]),
  ];
  const parts = turn.parts.toSpliced(at, 1, ...split);
  return {
    ...turn,
    parts,
    text: said + turn.text.slice(first.text.length),
    reasoning: parts.map((part) => (part.type === "reasoning" ? part.text : "")).join(""),
  };
}
