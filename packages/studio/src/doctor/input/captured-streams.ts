import { detectStream } from "undangle/report";

import type { FoundStream } from "./found.ts";

/** The lines of a capture. */
export interface Capture {
  /** The server-sent events. */
  readonly events: string;
  /** The other lines, such as requests and headers, with the same numbers. */
  readonly rest: string;
}

/** Finds server-sent events in a text, also after a time or the name of a container. Undefined if there are none. */
export function readCapture(text: string): Capture | undefined {
  const isPlain = plainField.test(text);
  const field = isPlain ? plainField : fieldAfterPrefix;
  if (!isPlain && !field.test(text)) return undefined;
  const events: string[] = [];
  const rest: string[] = [];
  for (const line of text.split("\n")) {
    const lead = field.exec(line)?.groups?.["lead"]?.length;
    rest.push(lead === undefined ? line : "");
    if (lead !== undefined) events.push(line.slice(lead));
    else if (line.trim() === "") events.push("");
    if (!isPlain && lead !== undefined && line.startsWith("data:", lead)) events.push(""); // the blank line has no prefix
  }
  return { events: events.join("\n"), rest: rest.join("\n") };
}

const plainField = /^(?<lead>)(?:data|event|id|retry):/mu;
const fieldAfterPrefix = /^(?<lead>[^{}"\n]{1,120}?[\s|>\]:])(?:data: ?[[{]|event: ?\w)/mu;

/** The text without what `curl -v` and `curl -i` print around the events. */
export const withoutTransfer = (text: string): string =>
  text.replaceAll(/^(?:[*<>](?: .*)?|[{}] \[\d+ bytes data\]|HTTP\/[\d.]+ \d+.*(?:\r?\n[\w-]+:.*)*)\r?$/gmu, "");

/** The responses in server-sent events. A new one begins with its first event, or with another id after the end. */
export function streamsIn(text: string): readonly FoundStream[] {
  const responses: string[][] = [[]];
  let hasBegun = false;
  let hasEnded = false;
  let id: string | undefined;
  for (const line of text.split("\n")) {
    const data = line.startsWith("data:") ? line.slice(5).trimStart() : "";
    const chunkId = /^\{"id":\s?"([^"]+)","object":\s?"chat\.completion\.chunk"/u.exec(data)?.[1];
    const begins = firstEvent.test(data.slice(0, 200));
    if ((begins && hasBegun) || (hasEnded && chunkId !== undefined && id !== undefined && chunkId !== id)) {
      const before = responses.at(-1) ?? [];
      responses.push(before.at(-1)?.startsWith("event:") === true ? before.splice(-1) : []); // it names this event
      hasEnded = false;
    }
    hasBegun ||= begins;
    hasEnded ||= data.startsWith("[DONE]");
    id = chunkId ?? id;
    responses.at(-1)?.push(line);
  }
  return responses.flatMap((lines) => {
    const response = lines.join("\n");
    const format = detectStream(response);
    return format === undefined ? [] : [{ type: "stream", text: response, format }];
  });
}

const firstEvent = /"type":\s?"(?:message_start|response\.created)"/u;
