import type { Message, Result, Text } from "#codecs";
import { isRecord, parseJson } from "#core";

import type { SummaryTexts } from "./summary-texts.ts";

type ToolMessage = Extract<Message, { readonly role: "tool" }>;

/** The most characters of a result that the provider could not read as a whole. */
export const clippedLength = 4_000;

export interface Clipping {
  /** For each result: undefined to leave it, or the file of the whole result, or null if there is none. */
  readonly paths: readonly (string | null | undefined)[];
  readonly texts: SummaryTexts;
}

/** The text of a result. */
export const resultText = ({ parts }: Result): string =>
  parts
    .map((part) => (part.type === "text" ? part.text : part.type === "value" ? JSON.stringify(part.value) : ""))
    .join("\n");

/** True for a result that is worth clipping. */
export const isLong = (result: Result): boolean => resultText(result).length > clippedLength;

/** True for a result of a file, of which the model can read the rest. */
export const isFileResult = ({ name }: Result): boolean => name === "read_file";

/** A message in which long results are cut, with a note that says where the rest is. Media stays. */
export function clipMessage(message: ToolMessage, turn: Message | undefined, { paths, texts }: Clipping): ToolMessage {
  const results = message.results.map((result, place) => {
    const path = paths[place];
    if (path === undefined) return result;
    const text = resultText(result);
    const note = isFileResult(result) ? fileClip(text, argumentsOf(turn, place), texts) : undefined;
    const parts: Result["parts"] = [
      textPart(note ?? plainClip(text, path, texts)),
      ...result.parts.filter(({ type }) => type === "media"),
    ];
    return { ...result, parts };
  });
  return { ...message, results };
}

const textPart = (text: string): Text => ({ type: "text", path: "", text });

/** The first lines of a file, and the offset of the next one. Undefined if the text does not have numbered lines. */
function fileClip(text: string, args: unknown, texts: SummaryTexts): string | undefined {
  const path = isRecord(args) ? (args["file_path"] ?? args["path"]) : undefined;
  if (typeof path !== "string") return undefined;
  const shown = text.slice(0, clippedLength);
  const end = shown.lastIndexOf("\n");
  const whole = end === -1 ? "" : shown.slice(0, end);
  const line = lineNumber(whole.slice(whole.lastIndexOf("\n") + 1));
  if (line === undefined) return undefined;
  const isWhole = lineNumber(text.slice(end + 1, end + 40)) !== line; // a long line continues in rows 5.1, 5.2, …
  const offset = isWhole ? line : line - 1;
  return `${whole}\n${texts.clippedFile({ path, offset, characters: text.length - whole.length })}`;
}

/** The number of a row of `read_file`. */
function lineNumber(row: string): number | undefined {
  const [, number] = /^ *(\d+)(?:\.\d+)? {2}/u.exec(row) ?? [];
  return number === undefined ? undefined : Number(number);
}

function plainClip(text: string, path: string | null, texts: SummaryTexts): string {
  const shown = text.slice(0, clippedLength).toWellFormed();
  return `${shown}\n${texts.clipped({ path: path ?? undefined, characters: text.length - shown.length })}`;
}

/** The arguments of the call of a result. */
function argumentsOf(turn: Message | undefined, place: number): unknown {
  const calls = turn?.role === "assistant" ? turn.parts.filter((part) => part.type === "call") : [];
  const input = calls[place]?.input;
  if (input === undefined) return undefined;
  return "value" in input ? input.value : parseJson(input.text);
}
