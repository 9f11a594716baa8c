import { isUtf8 } from "node:buffer";

import { isObjectText, isRecord, isTooDeep, UndangleError } from "#core";
import type { JsonObject } from "#core";
import type { FileChange } from "#store";

import { isSettled } from "../ledger/call.ts";
import type { InputEntry, Recorded } from "../ledger/entry.ts";
import { changesTurns } from "../ledger/recorded.ts";
import { threadPath } from "../thread-files.ts";
import { callShape, entryShape, queuedShape, list, object, optional, text } from "./portable-shapes.ts";
import type { Shape } from "./portable-shapes.ts";

/** A whole thread as JSON, which another store can import. It contains everything except allowances. */
export interface PortableThread {
  /** Identifies the format and its version. */
  readonly undangle: 1;
  readonly id: string;
  readonly entries: readonly { readonly entry: unknown; readonly calls: readonly unknown[] }[];
  readonly state: JsonObject;
  /** Messages that wait for open calls. */
  readonly queue: readonly unknown[];
  /** The metadata, if there is any. */
  readonly meta?: JsonObject;
  /** The files of the thread, if there are any. */
  readonly files?: readonly PortableFile[];
}

/** A file: its text, or its bytes in base64 if they are not text. */
export type PortableFile =
  | { readonly path: string; readonly text: string }
  | { readonly path: string; readonly base64: string };

export function portableFile({ path, data }: FileChange): PortableFile {
  const bytes = Buffer.from(data ?? []);
  return isUtf8(bytes) ? { path, text: bytes.toString("utf8") } : { path, base64: bytes.toString("base64") };
}

const readFile = (file: PortableFile): FileChange => ({
  path: threadPath(file.path),
  data: new Uint8Array("text" in file ? Buffer.from(file.text, "utf8") : Buffer.from(file.base64, "base64")),
});

/** True for the result of `thread.export()`. */
export const isPortable = (input: unknown): input is JsonObject => isRecord(input) && "undangle" in input;

/** Reads an exported thread. Throws for a value that no ledger could have written, with its path. */
export function readPortable(input: JsonObject): {
  readonly recorded: readonly Recorded[];
  readonly state: JsonObject;
  readonly queue: readonly InputEntry[];
  readonly meta: JsonObject;
  readonly files: readonly FileChange[];
} {
  const fault = (option: string, value: unknown, allowed: string): UndangleError =>
    new UndangleError("options/value", { option, value, allowed: [allowed] });
  const { undangle: version } = input;
  if (version !== 1) throw fault("undangle", version, "1 (a later version of undangle can read it)");
  const wrong = portableShape(input);
  if (wrong !== undefined) throw fault(wrong.at.slice(1), wrong.value, wrong.allowed);
  const { entries: recorded, state = {}, queue = [], meta = {}, files = [] } = input as unknown as Readable; // validated above
  let retraction: number | undefined; // the last one, until a turn follows it
  recorded.forEach((each, i) => {
    const { entry } = each;
    const problem = problemOf(each, { number: i, isLast: i === recorded.length - 1 });
    if (problem !== undefined) throw fault(`entries[${i}]`, entry, problem);
    if (entry.type === "restore" && entry.retraction !== retraction)
      throw fault(`entries[${i}]`, entry, "the number of an earlier retraction that is still in effect");
    if (changesTurns.has(entry.type)) retraction = entry.type === "retract" ? i : undefined;
  });
  const ids = recorded.flatMap(({ calls }) => calls.map(({ id }) => id));
  if (new Set(ids).size < ids.length) throw fault("entries", ids, "calls with distinct ids");
  return { recorded, state, queue, meta, files: files.map(readFile) };
}

interface Readable {
  readonly entries: readonly Recorded[];
  readonly state?: JsonObject;
  readonly queue?: readonly InputEntry[];
  readonly meta?: JsonObject;
  readonly files?: readonly PortableFile[];
}

const fileShape: Shape = (value) =>
  object({ path: text })(value) ??
  (isRecord(value) && "base64" in value ? object({ base64: text }) : object({ text }))(value);

const portableShape = object({
  entries: list(object({ entry: entryShape, calls: list(callShape) })),
  state: optional(object({})),
  queue: optional(list(queuedShape)),
  meta: optional(object({})),
  files: optional(list(fileShape)),
});

/** What makes a thread impossible to resume. Undefined if there is nothing. */
function problemOf(
  { entry, calls }: Recorded,
  { number, isLast }: { readonly number: number; readonly isLast: boolean },
): string | undefined {
  if (calls.length > 0 && entry.type !== "answer") return "calls in a model entry only";
  if (entry.type === "retract" && entry.from >= number) return "a retraction of an entry before it";
  if (!isLast && !calls.every(isSettled)) return "settled calls, except in the last model entry";
  for (const { state, raw, gate } of calls) {
    if (state === "awaiting" && isTooDeep(raw)) return "pending calls whose arguments are not nested too deeply";
    if (state === "awaiting" && (!isObjectText(raw) || gate === undefined || gate.decisions.length === 0))
      return "pending calls with complete arguments and allowed decisions";
  }
  return undefined;
}
