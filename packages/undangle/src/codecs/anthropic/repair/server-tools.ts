import { hashHex, isRecord, quotePrefix, wordOf } from "#core";
import type { AssistantEntry, Entry, Part } from "#core";

import { blockAt } from "./context.ts";
import type { Context } from "./context.ts";
import { eachRun, typeOf } from "./turns.ts";

/** True for a block of a server tool. */
export const isServerPart = (part: Part): boolean => typeOf(part) === "server_tool_use" || isServerResult(part);

/**
 * Pairs the blocks of server tools. A call has its result in the same turn, waits for the client, or ends the history.
 */
export function pairServerTools(entries: readonly Entry[], context: Context): void {
  if (!entries.some((entry) => entry.parts?.some(isServerPart) === true)) return;
  const loop: Loop = { asked: new Set(), open: new Map(), changes: new Map(), context };
  const lastRun = entries.findLastIndex((entry) => entry.role !== "system");
  eachRun(entries, (run, start) => {
    const [first] = run;
    if (first?.role === "system") return;
    if (first?.role !== "assistant") {
      if (!run.some((entry) => entry.role === "result")) loop.asked.clear();
      if (!run.every((entry) => entry.role === "result")) dropOpen(loop);
      return;
    }
    const assistants = run.filter((entry): entry is AssistantEntry => entry.role === "assistant");
    for (const entry of assistants) readServerParts(entry, loop);
    const waits = assistants.some((entry) => entry.calls.length > 0);
    const isLast = start + run.length > lastRun;
    if (!waits) dropOpen(loop, isLast ? new Set<Entry>(run) : undefined);
  });
  for (const entry of entries) applyChanges(entry, loop.changes);
}

/** A part and its message. */
interface PartOf {
  readonly entry: AssistantEntry;
  readonly part: Part;
}

/** The server calls of a tool loop: all calls, and those without a result so far. */
interface Loop {
  readonly asked: Set<unknown>;
  readonly open: Map<unknown, PartOf[]>;
  /** The replacement of a part, or undefined to remove it. */
  readonly changes: Map<Part, unknown>;
  readonly context: Context;
}

function readServerParts(entry: AssistantEntry, loop: Loop): void {
  for (const part of entry.parts ?? []) {
    const isCall = typeOf(part) === "server_tool_use";
    if (!isCall && !isServerResult(part)) continue;
    const key = isCall ? "id" : "tool_use_id";
    const id = wireId(part, key);
    if (isCall) {
      loop.asked.add(id);
      const same = loop.open.get(id);
      if (same === undefined) loop.open.set(id, [{ entry, part }]);
      else same.push({ entry, part });
    } else if (!loop.asked.has(id)) {
      quoteResult({ entry, part }, loop);
      continue;
    } else loop.open.delete(id);
    if (!isServerId(id)) rename({ entry, part }, key, mintId(id), loop);
  }
}

/** Removes calls that can no longer get a result. Calls of entries in `paused` still can. */
function dropOpen(loop: Loop, paused?: ReadonlySet<Entry>): void {
  for (const [id, calls] of loop.open) {
    const isPaused = ({ entry }: PartOf): boolean => paused?.has(entry) === true;
    for (const call of calls) if (!isPaused(call)) dropCall(call, loop);
    if (calls.some(isPaused)) continue;
    loop.open.delete(id);
    loop.asked.delete(id);
  }
}

function isServerResult(part: Part): boolean {
  const type = typeOf(part);
  return typeof type === "string" && type.endsWith("_tool_result") && type !== "mcp_tool_result";
}

const wireId = (part: Part, key: string): unknown => (isRecord(part.wire) ? part.wire[key] : undefined);

const isServerId = (id: unknown): boolean => typeof id === "string" && /^srvtoolu_[a-zA-Z0-9_]+$/.test(id);

const mintId = (id: unknown): string => `srvtoolu_${hashHex(typeof id === "string" ? id : "")}`;

function rename({ entry, part }: PartOf, key: string, id: string, { changes, context }: Loop): void {
  const before = wireId(part, key);
  changes.set(part, isRecord(part.wire) ? { ...part.wire, [key]: id } : part.wire);
  if (entry.source === undefined) return;
  const message = `${JSON.stringify(before) ?? "A missing id"} is not the id of a server tool call.`;
  const at = blockAt(entry.source, part.place, `.${key}`);
  context.journal.note(at, { rule: "server-call-id", message }, { type: "rename" });
}

/** Only the server can add a result to its call, so the call is removed. */
function dropCall({ entry, part }: PartOf, { changes, context }: Loop): void {
  changes.set(part, undefined);
  if (entry.source === undefined) return;
  const message = `The server tool call ${wordOf(wireId(part, "id"))} has no result in its turn.`;
  const change = { type: "remove" as const, lossless: false };
  context.journal.note(blockAt(entry.source, part.place), { rule: "unpaired-server-call", message }, change);
}

function quoteResult({ entry, part }: PartOf, { changes, context }: Loop): void {
  const content = isRecord(part.wire) ? part.wire["content"] : part.wire;
  const said = typeof content === "string" ? content : (JSON.stringify(content) ?? "");
  const after = { type: "text", text: `${quotePrefix[context.policy.language]}\n${said}` };
  changes.set(part, after);
  if (entry.source === undefined) return;
  const finding = {
    rule: "orphan-server-result" as const,
    message: "The result of a server tool has no call before it.",
  };
  const change = { type: "quote" as const };
  context.journal.note(blockAt(entry.source, part.place), finding, change);
}

function applyChanges(entry: Entry, changes: ReadonlyMap<Part, unknown>): void {
  if (entry.parts?.some((part) => changes.has(part)) !== true) return;
  entry.fresh = true;
  entry.parts = entry.parts.flatMap((part) => {
    if (!changes.has(part)) return [part];
    const wire = changes.get(part);
    return wire === undefined ? [] : [{ ...part, wire }];
  });
}
