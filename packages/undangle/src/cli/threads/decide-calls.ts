import { errorText, suggest, UndangleError } from "#core";
import type { Decision, PendingCall, RunEnd, ToolCallEnd } from "#engine";

import { printable, printableLines } from "../terminal/printable.ts";
import { commandsToDecide, pendingText } from "./again.ts";
import type { Desk } from "./desk.ts";
import { missingTools } from "./missing-tools.ts";

/** `undangle threads decide`: approves and rejects pending calls, and resumes the agent. */
export async function decideCalls(desk: Desk): Promise<number> {
  const { options, session, reader, io } = desk;
  const [id = ""] = desk.operands;
  const found = await desk.find(id);
  const pending = await reader.thread(id).pending();
  const decisions = read(desk, pending);
  if (typeof decisions === "string") return await desk.refuse(decisions);
  const resolved = desk.resolve(found);
  const called = new Map((await reader.thread(id).calls()).map((call) => [call.id, call.name]));
  const missing = missingTools(
    pending.map(({ id: call, name, path }) =>
      path === undefined ? name : (called.get(call.split("/")[0] ?? "") ?? name),
    ), // a sub-agent has its own tools
    resolved.options,
  );
  if (missing.length > 0) return await desk.refuse(desk.texts.unknownTools(missing, resolved.name));
  const fault = resolved.model.checkKey?.();
  if (fault !== undefined) return await desk.refuse(printable(errorText(fault, desk.language)));
  if (resolved.modelOrigin === "demo") await session.remark(`${desk.texts.demo}\n`);
  const agent = desk.hire(resolved.options);
  const by = options.by ?? [io.env["USER"], io.env["USERNAME"]].find((name) => (name ?? "") !== "");
  const run = agent.thread(id).decide(decisions, by === undefined ? {} : { by });
  const ended: ToolCallEnd[] = [];
  let isAnswered = false;
  for await (const { type, data, path } of run) {
    if (type === "model_end" && data.purpose === undefined && path === undefined) isAnswered = true;
    if (type !== "tool_call_end") continue;
    ended.push(data);
    if (options.json !== true) await session.out.write(`${endLine(data, desk)}\n`);
  }
  const end = await run.result;
  if (end.error !== undefined && ["decision/refused", "decision/none"].includes(end.error.code))
    return await desk.refuse(printable(errorText(end.error, desk.language)));
  await tell(id, { end: isAnswered ? end : { ...end, text: "" }, ended }, desk); // earlier text was already printed
  return end.status === "failed" ? 1 : 0;
}

interface Ended {
  readonly end: RunEnd;
  readonly ended: readonly ToolCallEnd[];
}

async function tell(id: string, { end, ended }: Ended, { options, session, texts, language }: Desk): Promise<void> {
  const { status, text, pending, error } = end;
  if (options.json === true) {
    const fault = error === undefined ? {} : { error: { code: error.code, message: error.message } };
    await session.out.write(`${JSON.stringify({ id, status, text, calls: ended, pending, ...fault })}\n`);
    return;
  }
  if (text !== "") await session.out.write(`${printableLines(text)}\n`);
  if (pending.length > 0)
    await session.remark(
      `${texts.waiting(pending.map(pendingText), commandsToDecide(id, pending[0]?.id ?? "all", { options, texts }))}\n`,
    );
  if (error !== undefined) await session.remark(`${texts.runFailed(printable(errorText(error, language)))}\n`);
}

function endLine({ id, name, status }: ToolCallEnd, { texts, session }: Desk): string {
  const look = status === "succeeded" || status === "responded" ? "green" : "yellow";
  return `${printable(`${id} ${name}`)}: ${session.paint(look, texts.states[status])}`;
}

/** The decisions of the options by call, or a problem. */
function read(
  { operands: [thread = ""], options, texts, language }: Desk,
  pending: readonly PendingCall[],
): Readonly<Record<string, Decision>> | string {
  const waiting = pending.map(({ id }) => id);
  if (waiting.length === 0) return noneWaits(thread, language);
  const given = [
    ...(options.approve ?? [])
      .flatMap((value) => value.split(","))
      .map((call) => ({ call: call.trim(), decision: approve })),
    ...(options.reject ?? []).map(rejection),
  ];
  if (given.length === 0) return texts.nothingDecided(waiting);
  const decisions = new Map<string, Decision>();
  for (const { call, decision } of given.toSorted((a, b) => Number(a.call === "all") - Number(b.call === "all"))) {
    if (call === "all") {
      for (const id of waiting) if (!decisions.has(id)) decisions.set(id, decision);
    } else if (!waiting.includes(call)) return texts.unknownCall(call, suggest(call, waiting), waiting);
    else if (decisions.has(call)) return texts.twice(call);
    else decisions.set(call, decision);
  }
  if (given.filter(({ call }) => call === "all").length > 1) return texts.twice("all");
  return Object.fromEntries(decisions);
}

const noneWaits = (thread: string, language: Desk["language"]): string =>
  errorText(new UndangleError("decision/none", { threadId: thread }), language);

const approve: Decision = { type: "approve" };

function rejection(value: string): { readonly call: string; readonly decision: Decision } {
  const equals = value.indexOf("=");
  if (equals === -1) return { call: value, decision: { type: "reject" } };
  return { call: value.slice(0, equals), decision: { type: "reject", reason: value.slice(equals + 1) } };
}
