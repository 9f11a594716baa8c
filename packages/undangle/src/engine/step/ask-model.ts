import { anomaliesChinese, errorText, UndangleError } from "#core";
import type { Anomaly, AssembledTurn, Language } from "#core";
import type { ModelPart, ModelRequest, ModelStream } from "#model";

import { readArguments } from "../arguments-text.ts";
import type { EventData } from "../events.ts";
import { emitEnds } from "../journal/call-events.ts";
import { persist } from "../journal/retry-store.ts";
import { callId, present } from "../ledger/call.ts";
import type { LedgerCall } from "../ledger/call.ts";
import { entryText } from "../ledger/entry.ts";
import type { TurnEntry, TurnEntryPart } from "../ledger/entry.ts";
import { noUsage } from "../ledger/ledger.ts";
import type { Usage } from "../ledger/ledger.ts";
import { silent } from "../logger.ts";
import type { AnswerContext, AskAgain, EndRun } from "../middleware/middleware.ts";
import { thrownText } from "../result/thrown.ts";
import { hiddenByMode, offeredTools, systemOf } from "../run/run-mode.ts";
import type { Session } from "../run/session.ts";
import { checkPart, checkStream, checkTurn, usageOf } from "./check-model-turn.ts";
import { pendingView, callView } from "../views/call-view.ts";
import { proposedCalls, stoppedCalls } from "./propose-calls.ts";

/** Requests one turn from the model, and saves it. */
export async function ask(session: Session): Promise<EndRun | AskAgain | undefined> {
  const { journal, setup } = session;
  if (journal.events.isHolding()) {
    await persist(journal, setup); // otherwise readers would get nothing of this turn until its end
    if (session.ending() !== undefined) return undefined;
  }
  const step = (journal.ledger().run?.steps ?? 0) + 1;
  const hooks = session.hooks();
  let request = requestOf(session);
  if (hooks !== undefined) {
    request = hooks.show(request);
    const returned = hooks.beforeModel(request);
    const changed = returned instanceof Promise ? await session.orOver(returned) : returned;
    if (session.ending() !== undefined) return undefined;
    if (changed !== undefined && "type" in changed) return changed;
    request = changed ?? request;
  }
  journal.events.emit({ type: "model_start", data: { step, model: setup.model.name, at: setup.now() } });
  const reader = createTurnReader(session);
  let turn: AssembledTurn | undefined;
  try {
    turn = await session.orOver(readFrom(session, request, reader)); // a model may ignore the signal
  } catch (error) {
    discardTurn(session, reader, error);
    return undefined;
  }
  if (turn === undefined || turn.finish === null || turn.error !== undefined || session.ending() !== undefined) {
    discardTurn(session, reader, turn?.error === undefined ? undefined : new Error(turn.error.message));
    return undefined;
  }
  const hidden = hiddenFrom(session, turn, reader);
  const proposed = proposedCalls(session, turn, { results: reader.results, hidden });
  const calls = proposed instanceof Promise ? await session.orOver(proposed) : proposed;
  const saved = calls ?? stoppedCalls(session, turn, reader.results);
  const shown = shownArguments(saved);
  if (shown === undefined) {
    discardTurn(session, reader, new Error("the text of the arguments of a call (`raw`) is no JSON"));
    return undefined;
  }
  saveTurn(session, turn, { calls: saved, shown, model: reader.model(), hidden });
  return afterTurn(session);
}

/**
 * The tools that the mode or hooks hid from the request of a turn. The tool of the final answer has no effects and is
 * never hidden.
 */
function hiddenFrom(session: Session, turn: AssembledTurn, reader: TurnReader): readonly string[] {
  const { tools, output } = session.setup;
  const byMode = hiddenByMode(session.mode(), tools);
  const byHooks = session.hooks()?.hiddenFrom(turn, reader.stream()) ?? [];
  return [...byMode, ...byHooks.filter((name) => name !== output?.tool.name)];
}

/** Runs the `afterModel` hooks on the last turn. */
export async function afterTurn(session: Session): Promise<EndRun | AskAgain | undefined> {
  const given = session.hooks()?.afterModel(() => turnView(session));
  return given instanceof Promise ? session.orOver(given) : given;
}

/** The last turn, for hooks. */
function turnView({ journal, setup }: Session): AnswerContext["answer"] {
  const { entry, calls } = journal.recorded().at(-1) ?? {};
  if (entry?.type !== "answer") return { text: "", calls: [], finish: "stop" };
  return {
    text: entryText(entry),
    calls: calls?.map((call) => callView(call, setup.language)) ?? [],
    finish: entry.finish,
  };
}

/** Reads the stream of the model to its end. */
async function readFrom(
  session: Session,
  request: ModelRequest,
  reader: TurnReader,
): Promise<AssembledTurn | undefined> {
  const { setup } = session;
  const returned = session.hooks()?.ask(request) ?? setup.model.stream(request);
  const stream = checkStream(returned instanceof Promise ? await returned : returned, setup.model.name);
  reader.readFrom(stream);
  for await (const part of stream) {
    if (session.ending() !== undefined) break;
    reader.read(checkPart(part, setup.model.name));
  }
  const turn = checkTurn(await stream.turn(), session.setup.model.name);
  if (session.hooks() !== undefined && turn !== undefined && !reader.hasContent()) emitTurn(session, turn); // a hook has already read the stream
  return turn;
}

function requestOf(session: Session): ModelRequest {
  const { journal, setup, signal } = session;
  const { output, language } = setup;
  return {
    system: systemOf(setup, session.mode()),
    messages: journal.messages.slice(),
    tools: offeredTools(session.mode(), setup),
    output: output?.tool.schema,
    knownIds: journal.providerIds,
    language,
    signal,
  };
}

/** Emits a complete turn at once. */
function emitTurn({ journal }: Session, { parts, calls }: AssembledTurn): void {
  const first = journal.ledger().calls;
  for (const part of parts) {
    if (part.type === "text" || part.type === "reasoning") {
      if (part.text !== "") journal.events.emit({ type: `${part.type}_delta`, data: { text: part.text } });
    }
  }
  for (const [place, { name, raw }] of calls.entries()) {
    const id = callId(first + place);
    journal.events.emit({ type: "tool_call_start", data: { id, name } });
    if (raw !== "") journal.events.emit({ type: "tool_call_delta", data: { id, text: raw } });
  }
}

/** Reads a stream part by part, and emits its events. */
interface TurnReader {
  readonly readFrom: (stream: ModelStream) => void;
  readonly read: (part: ModelPart) => void;
  /** The stream being read. */
  readonly stream: () => ModelStream | undefined;
  /** The name of the responding model. */
  readonly model: () => string;
  /** The text so far. */
  readonly text: () => string;
  /** True if the stream has had content since its start or since the last discarded response. */
  readonly hasContent: () => boolean;
  /** The assembled calls, by their number in the stream. */
  readonly results: readonly unknown[];
}

function createTurnReader({ journal, setup }: Session): TurnReader {
  const begin = performance.now();
  const first = journal.ledger().calls;
  const results: unknown[] = [];
  const ids: string[] = [];
  let lost = 0; // emitted calls of discarded responses, whose ids are not used again
  const idOf = (call: number): string => (ids[lost + call] ??= callId(first + lost + call));
  let text = "";
  let stream: ModelStream | undefined;
  let hasContent = false;
  let isTimed = setup.logger === silent; // without a logger the time is not needed
  const model = (): string => (typeof stream?.model === "string" ? stream.model : setup.model.name);
  return {
    readFrom(given) {
      stream = given;
    },
    read(part) {
      if (part.type === "discarded") {
        text = "";
        lost = ids.length;
        hasContent = false;
        const { reason } = part;
        setup.logger.warn({ threadId: journal.threadId, model: setup.model.name, reason }, "Response discarded");
        journal.events.emit({ type: "model_discarded", data: { reason, at: setup.now() } });
        return;
      }
      if (part.type === "warning") {
        const { message, code } = part;
        setup.logger.warn({ threadId: journal.threadId, model: model() }, message);
        const at = setup.now();
        journal.events.emit({ type: "warning", data: { message, at, ...(code !== undefined && { code }) } });
        return;
      }
      hasContent = true;
      if (!isTimed) {
        isTimed = true;
        const ms = Math.round(performance.now() - begin);
        setup.logger.info({ threadId: journal.threadId, model: model(), ms }, "First byte");
      }
      if (part.choice !== 0) return;
      switch (part.type) {
        case "text-delta":
          text += part.text;
          journal.events.emit({ type: "text_delta", data: { text: part.text } });
          break;
        case "reasoning-delta":
          journal.events.emit({ type: "reasoning_delta", data: { text: part.text } });
          break;
        case "call-start":
          journal.events.emit({ type: "tool_call_start", data: { id: idOf(part.call), name: part.name } });
          break;
        case "call-delta":
          journal.events.emit({ type: "tool_call_delta", data: { id: idOf(part.call), text: part.text } });
          break;
        case "call-end":
          results[lost + part.call] = part.result;
          break;
        case "anomaly":
          journal.events.emit({
            type: "repair",
            data: {
              ...repairOf(part.anomaly, setup.language),
              at: setup.now(),
              ...present({ id: part.anomaly.call === undefined ? undefined : ids[lost + part.anomaly.call] }),
            },
          });
          break;
        case "finish":
          break;
      }
    },
    stream: () => stream,
    model,
    text: () => text,
    hasContent: () => hasContent,
    results,
  };
}

/** The event for a stream anomaly and its repair. */
const repairOf = ({ kind, message }: Anomaly, language: Language): Pick<EventData["repair"], "rule" | "message"> => ({
  rule: kind,
  message: language === "zh" ? anomaliesChinese[kind] : message,
});

const tooEarly: Readonly<Record<Language, string>> = { en: "The response ended too early.", zh: "回答过早结束。" };

/** Handles an incomplete turn: none of its calls run. If a person stopped it, the text that they saw is kept. */
function discardTurn(session: Session, reader: TurnReader, error: unknown): void {
  const { journal, setup } = session;
  const text = reader.text();
  if (session.ending() !== undefined) {
    if (text === "") return;
    const entry = turnEntry(session, { parts: [{ type: "text", text }], finish: "stopped", model: reader.model() });
    journal.apply({ type: "answer", entry, calls: [], usage: noUsage });
    journal.events.emit({ type: "model_end", data: endOf(session, entry, noUsage) });
    return;
  }
  const message = thrownText(error) || tooEarly[setup.language];
  const fault =
    error instanceof UndangleError
      ? error
      : new UndangleError("model/failed", { model: setup.model.name, message }, error);
  journal.events.emit({
    type: "model_discarded",
    data: { reason: fault === error ? errorText(fault, setup.language) : message, at: setup.now() },
  });
  throw fault;
}

const turnEntry = ({ setup }: Session, given: Pick<TurnEntry, "parts" | "finish" | "model">): TurnEntry => ({
  type: "answer",
  at: setup.now(),
  ...given,
});

/** How the turn ended, and its model if it is not the default one. */
const endOf = (
  { journal, setup }: Session,
  { finish, usage, model, at }: TurnEntry,
  tokens: Usage,
): EventData["model_end"] => ({
  finish,
  at,
  entry: journal.ledger().entries - 1,
  ...(usage !== undefined && { usage, tokens }),
  ...(model !== setup.model.name && { model }),
});

/** What is saved with a turn. */
interface TurnRecord {
  readonly calls: readonly LedgerCall[];
  /** The arguments of the calls, for events. */
  readonly shown: readonly unknown[];
  readonly model: string;
  readonly hidden: readonly string[];
}

/** Saves a complete turn. Each of its calls is settled, pending or ready to start. */
function saveTurn(session: Session, turn: AssembledTurn, { calls, shown, model, hidden }: TurnRecord): void {
  const { journal, setup } = session;
  const { usage } = turn;
  const draft = turnEntry(session, { parts: partsOf(turn, calls), finish: turn.finish ?? "stop", model });
  const entry: TurnEntry = {
    ...draft,
    ...(usage !== undefined && { usage }),
    ...(hidden.length > 0 && calls.length > 0 && { hidden }),
  };
  const tokens = usageOf(usage);
  journal.apply({ type: "answer", entry, calls, usage: tokens });
  journal.events.emitOnSave({ type: "model_end", data: endOf(session, entry, tokens) });
  if (isOnlyReasoning(turn)) {
    const message = tokenLimitTexts[setup.language];
    setup.logger.warn({ threadId: journal.threadId, model }, message);
    journal.events.emitOnSave({ type: "warning", data: { message } });
  }
  calls.forEach((call, i) => {
    if (call.outcome !== undefined) {
      emitEnds(session, [call.id]);
      return;
    }
    const { id, name, allowance } = call;
    const data = { id, name, arguments: shown[i] };
    journal.events.emitOnSave({
      type: "tool_call_ready",
      data: allowance === undefined ? data : { ...data, allowance: { ...allowance } },
    });
    if (call.state === "awaiting") journal.events.emitOnSave({ type: "approval_required", data: pendingView(call) });
  });
}

/** True for a turn that reached the token limit during its reasoning. */
const isOnlyReasoning = ({ finish, parts }: AssembledTurn): boolean =>
  finish === "length" && parts.every((part) => part.type === "reasoning" || (part.type === "text" && part.text === ""));

const tokenLimitTexts: Readonly<Record<Language, string>> = {
  en: "The response reached its token limit before it contained any text. Raise maxTokens, or lower reasoning.",
  zh: "回答在说出任何内容之前就达到了 token 上限：请调高 maxTokens，或让模型少思考（reasoning）。",
};

/** The parts of a turn in order. Calls take the places of call parts; calls of a custom model without a part are added. */
function partsOf({ parts: given }: AssembledTurn, calls: readonly LedgerCall[]): readonly TurnEntryPart[] {
  const parts: TurnEntryPart[] = [];
  let place = 0;
  for (const part of given) {
    if (part.type === "text" && !part.text.isWellFormed()) parts.push({ ...part, text: part.text.toWellFormed() });
    else if (part.type !== "call") parts.push(part);
    else if (place < calls.length) parts.push({ type: "call", id: calls[place++]?.id ?? "" });
  }
  for (; place < calls.length; place++) parts.push({ type: "call", id: calls[place]?.id ?? "" });
  return parts;
}

/** Copies of the arguments for events, which cannot change what runs. Undefined if a custom model did not write JSON. */
function shownArguments(calls: readonly LedgerCall[]): readonly unknown[] | undefined {
  try {
    return calls.map(({ outcome, raw }) => (outcome === undefined ? readArguments(raw).value : undefined));
  } catch {
    return undefined; // the caller reports it
  }
}
