import { UndangleError } from "#core";
import type { AssembledTurn } from "#core";
import type { Model, ModelRequest, ModelStream } from "#model";

import type { Session } from "../run/session.ts";
import { checkPart, checkStream, checkTurn, usageOf } from "./check-model-turn.ts";

/** A request outside the conversation. It has no tools, so there is nothing to call. */
export type CompletionRequest = Pick<ModelRequest, "messages"> &
  Partial<Pick<ModelRequest, "system" | "sampling" | "output">>;

export interface CompletionOptions {
  /** Why the model is asked, for events: `summary`, … */
  readonly purpose: string;
  /** The model of the agent by default. */
  readonly model?: Model | undefined;
}

/**
 * Requests a turn outside the conversation. Its start and end are events with a purpose, its text is not, and its tokens
 * count for the run. Throws if the model fails or the run ends.
 */
export async function complete(
  session: Session,
  request: CompletionRequest,
  { purpose, model = session.setup.model }: CompletionOptions,
): Promise<AssembledTurn> {
  const { journal, run, signal } = session;
  const { now } = session.setup;
  signal.throwIfAborted();
  const isCurrent = (): boolean => journal.ledger().run?.id === run.id;
  if (!isCurrent()) throw new DOMException("The run has ended.", "AbortError");
  const step = (journal.ledger().run?.steps ?? 0) + 1;
  journal.events.emit({ type: "model_start", data: { step, model: model.name, purpose, at: now() } });
  try {
    const turn = await session.orOver(readTurn(session, request, model)); // a model may ignore the signal
    if (turn === undefined) throw signal.reason;
    const { usage, finish } = turn;
    const tokens = usageOf(usage);
    if (isCurrent()) {
      journal.apply({ type: "spend", usage: tokens });
      const spent = usage !== undefined && { usage, tokens };
      journal.events.emit({ type: "model_end", data: { finish: finish ?? "error", purpose, at: now(), ...spent } });
    }
    return turn;
  } catch (error) {
    if (isCurrent()) journal.events.emit({ type: "model_end", data: { finish: "error", purpose, at: now() } });
    throw error;
  }
}

/** Reads a response to its end. Throws if it is not complete. */
async function readTurn(
  { journal, setup, signal }: Session,
  { messages, system = [], sampling, output }: CompletionRequest,
  model: Model,
): Promise<AssembledTurn> {
  const { name } = model;
  const opened: unknown = model.stream({
    system,
    messages,
    tools: [],
    ...(sampling !== undefined && { sampling }),
    ...(output !== undefined && { output }),
    knownIds: journal.providerIds,
    language: setup.language,
    signal,
  });
  const stream = checkStream((opened instanceof Promise ? await opened : opened) as ModelStream, name); // a model without types may return a promise
  for await (const part of stream) {
    const checked = checkPart(part, name);
    if (checked.type !== "warning") continue;
    const { message, code } = checked;
    setup.logger.warn({ threadId: journal.threadId, model: name }, message);
    const at = setup.now();
    journal.events.emit({ type: "warning", data: { message, at, ...(code !== undefined && { code }) } });
  }
  const turn = checkTurn(await stream.turn(), name);
  if (turn !== undefined && turn.finish !== null && turn.error === undefined) return turn;
  const message = turn?.error?.message ?? "the response ended too early.";
  throw new UndangleError("model/failed", { model: name, message });
}
