import { hashHex, isRecord, quotePrefix } from "#core";
import type { AssistantEntry, Entry, Part } from "#core";

import { blockAt } from "./context.ts";
import type { Context } from "./context.ts";
import { eachRun, typeOf } from "./turns.ts";

interface PartOf {
  readonly entry: AssistantEntry;
  readonly part: Part;
}

/** A call of a tool that runs on Anthropic's side. */
interface ServerCall extends PartOf {
  readonly id: unknown;
}

/** Pairs the blocks of server tools: a call has its result in the same turn, or waits for the client, or ends the history. */
export function pairServerTools(entries: readonly Entry[], context: Context): void {
  if (!entries.some((entry) => entry.parts?.some(isServerPart) === true)) return;
  const loop: Loop = { asked: new Set(), open: [] };
  const lastRun = entries.findLastIndex((entry) => entry.role !== "system");
  eachRun(entries, (run, start) => {
    const [first] = run;
    if (first?.role === "system") return;
    if (first?.role !== "assistant") {
      if (!run.some((entry) => entry.role === "result")) loop.asked.clear();
      if (!run.every((entry) => entry.role === "result")) dropOpen(loop, context);
      return;
    }
    const assistants = run.filter((entry): entry is AssistantEntry => entry.role === "assistant");
    for (const entry of assistants) readServerParts(entry, loop, context);
    const waits = assistants.some((entry) => entry.calls.length > 0);
    const isLast = start + run.length > lastRun;
    if (!waits) dropOpen(loop, context, isLast ? new Set<Entry>(run) : undefined);
  });
}

/** The server calls of a tool loop: all that were made in it, and those that have no result yet. */
interface Loop {
  readonly asked: Set<unknown>;
  open: readonly ServerCall[];
}

function readServerParts(entry: AssistantEntry, loop: Loop, context: Context): void {
  const renamed = new Map<unknown, string>();
  for (const part of entry.parts ?? []) {
    const isCall = typeOf(part) === "server_tool_use";
    if (!isCall && !isServerResult(part)) continue;
    const key = isCall ? "id" : "tool_use_id";
    const id = wireId(part, key);
    if (isCall) {
      loop.asked.add(id);
      loop.open = [...loop.open, { entry, part, id }];
    } else if (!loop.asked.has(id)) {
      quoteResult(entry, part, context);
      continue;
    } else loop.open = loop.open.filter((call) => call.id !== id);
    if (isServerId(id)) continue;
    const minted = renamed.get(id) ?? mintId(id);
    renamed.set(id, minted);
    rename({ entry, part }, key, minted, context);
  }
}

/** Drops the calls that nobody will answer any more; those of the entries in `paused` may still be. */
function dropOpen(loop: Loop, context: Context, paused?: ReadonlySet<Entry>): void {
  const isPaused = ({ entry }: ServerCall): boolean => paused?.has(entry) === true;
  for (const call of loop.open) {
    if (isPaused(call)) continue;
    dropCall(call, context);
    loop.asked.delete(call.id);
  }
  loop.open = loop.open.filter(isPaused);
}

/** A block of a tool that runs on the server. */
export const isServerPart = (part: Part): boolean => typeOf(part) === "server_tool_use" || isServerResult(part);

function isServerResult(part: Part): boolean {
  const type = typeOf(part);
  return typeof type === "string" && type.endsWith("_tool_result") && type !== "mcp_tool_result";
}

const wireId = (part: Part, key: string): unknown => (isRecord(part.wire) ? part.wire[key] : undefined);

const isServerId = (id: unknown): boolean => typeof id === "string" && /^srvtoolu_[a-zA-Z0-9_]+$/.test(id);

const mintId = (id: unknown): string => `srvtoolu_${hashHex(typeof id === "string" ? id : "")}`;

function rename({ entry, part }: PartOf, key: string, id: string, { journal }: Context): void {
  const before = wireId(part, key);
  if (entry.source !== undefined) {
    journal.note(
      blockAt(entry.source, part.place, `.${key}`),
      {
        rule: "server-call-id",
        message: `${JSON.stringify(before) ?? "A missing id"} is not the id of a server tool call.`,
      },
      { type: "rename", before, after: id },
    );
  }
  replace(entry, part, isRecord(part.wire) ? { ...part.wire, [key]: id } : part.wire);
}

function replace(entry: AssistantEntry, part: Part, wire: unknown): void {
  entry.parts = (entry.parts ?? []).map((other) => (other.place === part.place ? { ...other, wire } : other));
  entry.fresh = true;
}

/** Nobody can answer a server's call but the server: without its result the call goes. */
function dropCall({ entry, part }: ServerCall, { journal }: Context): void {
  if (entry.source !== undefined) {
    journal.note(
      blockAt(entry.source, part.place),
      {
        rule: "unpaired-server-call",
        message: `The server tool call ${String(wireId(part, "id"))} has no result in its turn.`,
      },
      { type: "remove", before: part.wire, lossless: false },
    );
  }
  entry.parts = (entry.parts ?? []).filter((other) => other.place !== part.place);
  entry.fresh = true;
}

function quoteResult(entry: AssistantEntry, part: Part, { journal, policy }: Context): void {
  const content = isRecord(part.wire) ? part.wire["content"] : part.wire;
  const text = `${quotePrefix[policy.language]}\n${typeof content === "string" ? content : (JSON.stringify(content) ?? "")}`;
  const after = { type: "text", text };
  if (entry.source !== undefined) {
    journal.note(
      blockAt(entry.source, part.place),
      { rule: "orphan-server-result", message: "The result of a server tool has no call before it." },
      { type: "quote", before: part.wire, after },
    );
  }
  replace(entry, part, after);
}
