import { isRecord } from "#core";
import type { Entry, Part, ResultEntry, Source } from "#core";

import { newResult } from "../../new-entries.ts";
import { readCalls } from "./calls.ts";
import type { Context } from "./context.ts";
import { kindOfMessage, openEnvelope } from "../envelope.ts";
import type { Envelope, Fields } from "../envelope.ts";

/** Reads a range of messages as entries. */
export function readLangchain(start: number, end: number, context: Context): Entry[] {
  const { list } = context;
  const entries: Entry[] = [];
  for (let index = start; index < end; index++) {
    for (const entry of readMessage(list[index], index, context)) entries.push(entry);
  }
  return entries;
}

/** The role of a message; system messages, results and removals do not count. */
export function speakerOf(message: unknown): "user" | "assistant" | undefined {
  const kind = kindOfMessage(message);
  return kind === "human" ? "user" : kind === "ai" ? "assistant" : undefined;
}

function readMessage(wire: unknown, index: number, context: Context): Entry[] {
  const source: Source = { index, wire, mended: wire, entries: 1, at: -1 };
  const envelope = openEnvelope(wire);
  const place = { source, at: -1, fresh: false, content: undefined, parts: undefined };
  if (envelope === undefined) {
    const kind = kindOfMessage(wire);
    if (kind === "ai") return [{ role: "assistant", ...place, calls: [] }];
    return [{ role: kind === "human" ? "user" : "system", ...place }];
  }
  context.envelopes.set(source, envelope);
  if (envelope.kind === "ai") return [{ role: "assistant", ...place, ...readCalls(envelope, source, context) }];
  if (envelope.kind === "tool") return [readResult(envelope, source, context)];
  if (envelope.kind !== "human") return [{ role: "system", ...place }];
  const entries = readHuman(envelope.fields["content"], source);
  source.entries = entries.length;
  return entries.length > 0 ? entries : [{ role: "user", ...place }];
}

function readResult({ fields, prefix }: Envelope, source: Source, { journal }: Context): ResultEntry {
  const given = fields["tool_call_id"];
  const id = typeof given === "string" ? given : typeof given === "number" ? String(given) : "";
  if (typeof given === "number") {
    const finding = {
      rule: "missing-result-id" as const,
      message: `The id is the number ${given}, not text.`,
      callId: id,
    };
    journal.note({ source, suffix: `${prefix}.tool_call_id` }, finding, { type: "rename" });
  }
  return newResult({
    source,
    fresh: id !== (given ?? ""),
    id,
    name: typeof fields["name"] === "string" ? fields["name"] : "",
    error: fields["status"] === "error",
  });
}

/** The result blocks of a human message, as in Anthropic's API, and the rest. Empty if there are no results. */
function readHuman(content: unknown, source: Source): Entry[] {
  if (!Array.isArray(content) || !content.some(isResultBlock)) return [];
  const entries: Entry[] = [];
  const rest: Part[] = [];
  content.forEach((wire: unknown, place) => {
    if (isResultBlock(wire)) entries.push(readBlock(wire, place, source));
    else rest.push({ wire, place, call: undefined });
  });
  if (rest.length > 0) entries.push({ role: "user", source, at: -1, fresh: false, content: undefined, parts: rest });
  return entries;
}

const isResultBlock = (block: unknown): block is Fields => isRecord(block) && block["type"] === "tool_result";

function readBlock(block: Fields, place: number, source: Source): ResultEntry {
  const id = block["tool_use_id"];
  return newResult({
    source,
    id: typeof id === "string" ? id : "",
    name: "",
    error: block["is_error"] === true,
    place,
    wire: block,
  });
}
