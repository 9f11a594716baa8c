import { isRecord } from "#core";
import type { Entry, ResultEntry, Source } from "#core";

import { callsIn } from "../../unwrap.ts";
import { newResult } from "../../new-entries.ts";
import { readCalls, readId } from "./calls.ts";
import { mendFields } from "./fields.ts";
import { adoptBlocks } from "./foreign.ts";
import { nameOfResult } from "./message.ts";
import type { Context, Message } from "./message.ts";
import { writeCall } from "./write.ts";

/** Reads a range of messages in a form that the server can decode. */
export function readOllama(list: readonly unknown[], start: number, end: number, context: Context): Entry[] {
  const entries: Entry[] = [];
  for (let index = start; index < end; index++) {
    for (const entry of readMessage(list[index], index, context)) entries.push(entry);
  }
  return entries;
}

function readMessage(wire: unknown, index: number, context: Context): readonly Entry[] {
  const source: Source = { index, wire, mended: wire, entries: 1, at: -1 };
  if (!isRecord(wire)) {
    // The server treats null as an empty message.
    const finding = { rule: "unknown-role" as const, message: `The message is of type ${typeof wire}, not an object.` };
    if (wire !== null) context.journal.note({ source, suffix: "" }, finding);
    return [{ role: "system", ...asRead(source) }];
  }
  const role = roleOf(wire, source, context);
  const named = role === "assistant" && !wire["role"] ? { ...wire, role } : wire;
  const { message: left, results } = adoptBlocks(named, source, readResult, context);
  if (left === undefined) return results;
  const mended = mendFields(left, source, context);
  const { message, calls, fresh } = readCalls(mended, source, context);
  // The server decodes the calls of any message, but uses only those of the assistant.
  source.mended = fresh && role !== "assistant" ? { ...message, tool_calls: calls.map(writeCall) } : message;
  if (role === "tool") return [...results, readResult(mended, source)];
  if (role !== "assistant") return [...results, { role, ...asRead(source) }];
  return [{ role, ...asRead(source), calls, fresh }, ...results];
}

type Role = "user" | "assistant" | "tool" | "system";

/** The server lower-cases a role and accepts any; an unknown role belongs to no turn. */
function roleOf({ role, tool_calls: calls }: Message, source: Source, { journal }: Context): Role {
  const isMissing = role === undefined || role === null || role === "";
  if (isMissing && (callsIn(calls)?.length ?? 0) > 0) {
    const finding = { rule: "unknown-role" as const, message: "The message has calls but no role." };
    journal.note({ source, suffix: ".role" }, finding, { type: "rewrite", reconstructed: true });
    return "assistant";
  }
  if (!isMissing && typeof role !== "string") {
    const message = `The role is of type ${typeof role}, not text.`;
    journal.note({ source, suffix: ".role" }, { rule: "unknown-role", message });
  }
  const lower = typeof role === "string" ? role.toLowerCase() : "";
  return lower === "user" || lower === "assistant" || lower === "tool" ? lower : "system";
}

/** The shared fields of unchanged entries. */
const asRead = (source: Source) => ({ source, at: -1, fresh: false, content: undefined, parts: undefined });

function readResult(message: Message, source: Source): ResultEntry {
  return newResult({
    source,
    id: readId(message["tool_call_id"]),
    name: nameOfResult(message),
  });
}
