import { setTimeout as pause } from "node:timers/promises";

import { digestOf } from "../approvals/digest.ts";
import type { LedgerCall } from "../ledger/call.ts";
import { toolError } from "../tool-result.ts";
import type { Tool } from "../tool.ts";
import { createAbortable } from "./abortable.ts";
import { asError } from "./as-error.ts";
import { attemptCall } from "./attempt-call.ts";
import type { Ended } from "./attempt-call.ts";
import { noteEnds } from "./call-events.ts";
import { persist } from "./store-fault.ts";
import type { Session } from "./session.ts";
import { changedCall, invalidArguments, unknownTool } from "./error-outcomes.ts";

/** Runs the tool of a call, and saves what comes of it the moment it is known. */
export function executeCall(session: Session, call: LedgerCall): void {
  session.running.set(call.id, createAbortable());
  void settle(session, call);
}

async function settle(session: Session, call: LedgerCall): Promise<void> {
  const { book, setup, running } = session;
  const { id, name } = call;
  const begin = performance.now();
  setup.logger.info({ threadId: book.threadId, callId: id, tool: name, arguments: call.raw }, "Tool started");
  const ended = await run(session, call).catch((error: unknown): Ended => ({
    state: "failed",
    outcome: { type: "result", ...toolError(error, setup.language) },
  })); // of a tool that was not made by tool()
  running.delete(id);
  if (book.callOf(id)?.state !== "running") {
    setup.logger.warn({ threadId: book.threadId, callId: id, tool: name }, "A tool ended after its call was settled");
    return;
  }
  book.apply({ type: "end", id, ...ended });
  noteEnds(session, [id]);
  const success = ended.state === "succeeded";
  const ms = Math.round(performance.now() - begin);
  setup.logger.info({ threadId: book.threadId, callId: id, tool: name, success, ms }, "Tool ended");
  try {
    await persist(book, setup);
  } catch (error) {
    session.end({ how: "fault", error: asError(error) });
  }
  session.wake();
}

/** What comes of a call; it never throws. */
async function run(session: Session, call: LedgerCall): Promise<Ended> {
  const { setup, running } = session;
  const { tools, language } = setup;
  if (call.decision !== undefined && call.decision.digest !== digestOf(call.name, call.raw))
    return { state: "failed", outcome: changedCall(call.name, language) };
  const tool = tools.get(call.name);
  if (tool === undefined) return { state: "failed", outcome: unknownTool(call.name, tools, language) };
  const validated = await validatedArguments(session, call, tool);
  if (!validated.ok) return { state: "failed", outcome: invalidArguments(call.name, validated.problems, language) };
  let args = validated.value;
  for (let attempt = call.attempts, left = tool.retries.times; ; attempt++, left--) {
    const abortable = running.get(call.id) ?? createAbortable();
    const ended = await attemptCall(session, { tool, call, attempt, abortable, args });
    const mayRetry = ended.state === "failed" || (ended.state === "timed-out" && tool.idempotent);
    if (!mayRetry || left <= 0 || ended.isFinal || session.ending() !== undefined) return ended;
    running.set(call.id, createAbortable()); // the last attempt may have been told to stop
    if (tool.retries.delay > 0) await session.orOver(pause(tool.retries.delay, undefined, { ref: false }));
    if (session.ending() !== undefined) return ended;
    const again = await tool.validate(JSON.parse(call.raw) as Readonly<Record<string, unknown>>); // it was whole
    if (again.ok) args = again.value; // the last attempt may have changed its own
    session.book.mention({ type: "tool_call_running", data: { id: call.id, name: call.name, attempt: attempt + 1 } });
  }
}

/** Arguments were validated when the call was made, but perhaps by another process, or for other arguments. */
function validatedArguments(
  { validated }: Session,
  { id, name, raw }: LedgerCall,
  tool: Tool,
): ReturnType<Tool["validate"]> {
  const known = validated.get(id);
  if (known?.name === name && known.raw === raw) return { ok: true, value: known.value };
  return tool.validate(JSON.parse(raw) as Readonly<Record<string, unknown>>); // it was whole
}
