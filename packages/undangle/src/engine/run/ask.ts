import { UndangleError } from "#core";
import type { AssembledTurn, StreamPart } from "#core";
import type { ModelRequest } from "#model";

import { usageOf } from "./usage.ts";
import { callId } from "../ledger/call-id.ts";
import { proposedCalls, stoppedCalls } from "./propose.ts";
import { noteEnds, pendingOf } from "./call-events.ts";
import { contextOf } from "./session.ts";
import type { LedgerCall } from "../ledger/call.ts";
import type { AnswerEntry, AnswerPart } from "../ledger/entry.ts";
import { noUsage } from "../ledger/ledger.ts";
import type { Session } from "./session.ts";

/** Lets the model speak, and takes down what it says. */
export async function ask(session: Session): Promise<void> {
  const { book, setup } = session;
  const step = (book.ledger().run?.steps ?? 0) + 1;
  const { beforeModel, afterModel } = setup.hooks;
  let request = requestOf(session);
  if (beforeModel !== undefined) {
    const changed = await session.orOver(beforeModel(request, contextOf(session)));
    if (changed === undefined) return; // the run was ended meanwhile
    request = changed;
  }
  book.tell({ type: "model_start", data: { step, model: setup.model.name } });
  const listener = createListener(session);
  let turn: AssembledTurn | undefined;
  try {
    turn = await session.orOver(listenTo(session, request, listener)); // a model may not heed the signal
  } catch (error) {
    broken(session, listener, error);
    return;
  }
  if (turn === undefined || turn.finish === null || turn.error !== undefined || session.ending() !== undefined) {
    broken(session, listener, turn?.error === undefined ? undefined : new Error(turn.error.message));
    return;
  }
  const proposed = proposedCalls(session, turn, listener.numbers);
  const calls = proposed instanceof Promise ? await session.orOver(proposed) : proposed;
  take(session, turn, calls ?? stoppedCalls(session, turn, listener.numbers));
  if (afterModel !== undefined) await session.orOver(afterModel(contextOf(session)));
}

/** What the model says, from its first word to its last. */
async function listenTo(session: Session, request: ModelRequest, listener: Listener): Promise<AssembledTurn> {
  const asked = session.setup.ask(request);
  const stream = asked instanceof Promise ? await asked : asked;
  for await (const part of stream) {
    if (session.ending() !== undefined) break;
    listener.hear(part);
  }
  return stream.turn();
}

function requestOf({ book, setup, signal }: Session): ModelRequest {
  const { system, descriptions, output, language } = setup;
  return {
    system,
    messages: book.messages().slice(),
    tools: descriptions,
    output: output?.tool.schema,
    knownIds: book.providerIds(),
    language,
    signal,
  };
}

/** What is heard while the model speaks. */
interface Listener {
  readonly hear: (part: StreamPart) => void;
  /** The text so far. */
  readonly text: () => string;
  /** The number of a call in the stream, by what it came to. */
  readonly numbers: ReadonlyMap<unknown, number>;
}

function createListener({ book, setup }: Session): Listener {
  const begin = performance.now();
  const first = book.ledger().calls;
  const numbers = new Map<unknown, number>();
  let text = "";
  let isFirst = true;
  return {
    hear(part) {
      if (isFirst) {
        isFirst = false;
        const ms = Math.round(performance.now() - begin);
        setup.logger.info({ threadId: book.threadId, model: setup.model.name, ms }, "First byte");
      }
      if (part.choice !== 0) return;
      switch (part.type) {
        case "text-delta":
          text += part.text;
          book.tell({ type: "text_delta", data: { text: part.text } });
          break;
        case "reasoning-delta":
          book.tell({ type: "reasoning_delta", data: { text: part.text } });
          break;
        case "call-start":
          book.tell({ type: "tool_call_start", data: { id: callId(first + part.call), name: part.name } });
          break;
        case "call-delta":
          book.tell({ type: "tool_call_delta", data: { id: callId(first + part.call), text: part.text } });
          break;
        case "call-end":
          numbers.set(part.result, first + part.call);
          break;
        case "anomaly":
          book.tell({ type: "repair", data: { rule: part.anomaly.kind, message: part.anomaly.message } });
          break;
        case "finish":
          break;
      }
    },
    text: () => text,
    numbers,
  };
}

/** The model did not come to an end: nothing of what it called runs. What the person has seen stays if they stopped it. */
function broken(session: Session, listener: Listener, error: unknown): void {
  const { book, setup } = session;
  const text = listener.text();
  if (session.ending() !== undefined) {
    if (text === "") return;
    const entry = answerOf(session, [{ type: "text", text }], "stopped");
    book.apply({ type: "answer", entry, calls: [], usage: noUsage });
    book.tell({ type: "model_end", data: { finish: "stopped" } });
    return;
  }
  const message = error instanceof Error ? error.message : "The answer ended too early.";
  book.tell({ type: "model_discarded", data: { reason: message } });
  throw error instanceof UndangleError
    ? error
    : new UndangleError("model/failed", { model: setup.model.name, message }, error);
}

function answerOf(
  { setup }: Session,
  parts: readonly AnswerPart[],
  finish: AnswerEntry["finish"],
  usage?: AnswerEntry["usage"],
): AnswerEntry {
  return {
    type: "answer",
    at: setup.now(),
    model: setup.model.name,
    parts,
    finish,
    ...(usage !== undefined && { usage }),
  };
}

/** Takes down a whole answer: every call of it is either settled, or waits for a person or for its start. */
function take(session: Session, turn: AssembledTurn, calls: readonly LedgerCall[]): void {
  const { book } = session;
  const parts = turn.parts.map((part): AnswerPart => {
    if (part.type !== "call") return part;
    return { type: "call", id: calls[turn.calls.indexOf(part.call)]?.id ?? "" };
  });
  const finish = turn.finish ?? "stop";
  const entry = answerOf(session, parts, finish, turn.usage);
  book.apply({ type: "answer", entry, calls, usage: usageOf(turn.usage) });
  book.note({ type: "model_end", data: { finish, ...(turn.usage !== undefined && { usage: turn.usage }) } });
  for (const call of calls) {
    if (call.outcome !== undefined) {
      noteEnds(session, [call.id]);
      continue;
    }
    const args = JSON.parse(call.raw) as unknown; // nobody who hears of it can change what runs
    book.note({ type: "tool_call_ready", data: { id: call.id, name: call.name, arguments: args } });
    if (call.state === "awaiting") book.note({ type: "approval_required", data: pendingOf(call) });
  }
}
