import { isRecord, UndangleError } from "#core";
import type { AssembledTurn } from "#core";
import type { ModelStream } from "#model";

/** What a model answers with, when it is a stream: one that is made by hand may be something else. */
export function checkStream(stream: ModelStream, model: string): ModelStream {
  const given: unknown = stream;
  const isStream = typeof given === "object" && given !== null && Symbol.asyncIterator in given && "turn" in given;
  if (isStream) return stream;
  const message = "what its stream() gave is no stream of a model: it has to be async iterable, with a method turn().";
  throw new UndangleError("model/failed", { model, message });
}

/** What a model says that it said, when it is a turn: one that is made by hand may lack something, and the error names it. */
export function checkTurn(turn: AssembledTurn | undefined, model: string): AssembledTurn | undefined {
  if (turn === undefined) return undefined;
  const problem = problemIn(turn);
  if (problem === undefined) return turn;
  const message = `what its turn() gave is no turn of a model: ${problem}.`;
  throw new UndangleError("model/failed", { model, message });
}

const finishes: readonly unknown[] = ["stop", "tool_calls", "length", "content_filter", "error"];
const states: readonly unknown[] = ["ready", "truncated", "malformed", "repaired"];

function problemIn(turn: unknown): string | undefined {
  if (!isRecord(turn)) return "it is no object";
  const { finish, error, calls, parts, complete } = turn;
  if (finish === null || error !== undefined) return undefined; // it broke off, and nothing of it counts
  if (!finishes.includes(finish)) return `\`finish\` is none of ${finishes.join(", ")}`;
  if (typeof complete !== "boolean") return "`complete` is neither true nor false";
  if (!Array.isArray(calls)) return "`calls` is no list";
  if (!Array.isArray(parts)) return "`parts` is no list";
  return firstOf(calls, "calls", problemInCall) ?? firstOf(parts, "parts", problemInPart);
}

function firstOf(
  list: readonly unknown[],
  name: string,
  problemInOne: (one: unknown) => string | undefined,
): string | undefined {
  for (let i = 0; i < list.length; i++) {
    const problem = problemInOne(list[i]);
    if (problem !== undefined) return `\`${name}[${i}]${problem}`;
  }
  return undefined;
}

function problemInCall(call: unknown): string | undefined {
  if (!isRecord(call)) return "` is no object";
  if (typeof call["id"] !== "string") return ".id` is no text";
  if (typeof call["name"] !== "string") return ".name` is no text";
  if (typeof call["raw"] !== "string") return ".raw` is no text";
  if (!states.includes(call["state"])) return `.state\` is none of ${states.join(", ")}`;
  if (call["arguments"] !== null && !isRecord(call["arguments"])) return ".arguments` is neither an object nor null";
  return undefined;
}

function problemInPart(part: unknown): string | undefined {
  if (!isRecord(part)) return "` is no object";
  switch (part["type"]) {
    case "text":
    case "reasoning":
      return typeof part["text"] === "string" ? undefined : ".text` is no text";
    case "call":
      return isRecord(part["call"]) ? undefined : ".call` is no object";
    case "media":
      return isRecord(part["source"]) ? undefined : ".source` is no object";
    default:
      return ".type` is none of text, reasoning, media, call";
  }
}
