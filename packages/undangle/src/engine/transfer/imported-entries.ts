import type { AssistantMessage, CallPart, Decoded, Message, Result, ResultPart } from "#codecs";
import { isObjectText, isRecord, isTooDeep, UndangleError } from "#core";

import { writeArguments } from "../arguments-text.ts";
import { callId } from "../ledger/call.ts";
import type { LedgerCall, Outcome, OutcomePart } from "../ledger/call.ts";
import type { TurnEntryPart, InputPart, Recorded } from "../ledger/entry.ts";
import { importedModel } from "../ledger/recorded.ts";

export interface Importing {
  readonly at: number;
  /** The number of the first call. */
  readonly first: number;
  /** The ids of existing calls in the thread. */
  readonly known: ReadonlySet<string>;
  /** The pending calls of systems that store them separately from the messages. */
  readonly pending: readonly PendingAction[];
}

/** Converts a history to entries. Calls without a result are lost, except pending ones. */
export function importedEntries(
  { conversation, results, unanswered }: Decoded,
  { at, first, known, pending }: Importing,
): readonly Recorded[] {
  const recorded: Recorded[] = [];
  const used: UsedIds = { ids: new Set(known), times: new Map() };
  const ids = new Map<string, string>();
  let number = first;
  for (const message of conversation.messages) {
    if (message.role === "system") {
      const parts = message.parts.map(({ text }) => ({ type: "text" as const, text }));
      recorded.push({ entry: { type: "system", at, parts }, calls: [] });
    } else if (message.role === "user") {
      recorded.push({ entry: { type: "input", at, parts: message.parts.map(inputPart) }, calls: [] });
    } else if (message.role === "assistant") {
      const calls: LedgerCall[] = [];
      const parts = joinTexts(message.parts).map((part): TurnEntryPart => {
        if (part.type !== "call") return turnPart(part);
        const id = callId(number++);
        const call = withOwnId(callFor(part, id), used);
        ids.set(id, part.id ?? "");
        calls.push({ ...call, ...settled(results.get(part), unanswered) });
        return { type: "call", id };
      });
      const finish = calls.length > 0 ? "tool_calls" : "stop";
      recorded.push({ entry: { type: "answer", at, model: importedModel, parts, finish }, calls });
    }
  }
  return withPending(recorded, pending, { at, number, used, ids });
}

/** Joins consecutive texts as a ledger does. Only signatures separate them. */
function joinTexts(parts: AssistantMessage["parts"]): AssistantMessage["parts"] {
  const whole: AssistantMessage["parts"][number][] = [];
  for (const part of parts) {
    const last = whole.at(-1);
    if (part.type !== "text" || last?.type !== "text" || part.seal !== undefined || last.seal !== undefined)
      whole.push(part);
    else whole[whole.length - 1] = { ...last, text: `${last.text}\n\n${part.text}` };
  }
  return whole;
}

/** The state and outcome of a call, by its result. */
function settled(result: Result | undefined, unanswered: Decoded["unanswered"]): Pick<LedgerCall, "state" | "outcome"> {
  const missing = result === undefined ? { cause: "interrupted" as const } : unanswered.get(result);
  if (missing !== undefined) {
    const outcome: Outcome = { type: "notice", ...missing };
    return { state: missing.cause === "rejected" ? "rejected" : "lost", outcome };
  }
  const { parts = [], isError = false } = result ?? {};
  return {
    state: isError ? "failed" : "succeeded",
    outcome: { type: "result", parts: parts.map(resultPart), isError },
  };
}

interface Waiting {
  readonly at: number;
  /** The number of the next call. */
  readonly number: number;
  readonly used: UsedIds;
  readonly ids: Ids;
}

/** Adds the pending calls: those of the last turn, and those whose turn is missing, which join it. */
function withPending(
  recorded: readonly Recorded[],
  pending: readonly PendingAction[],
  { at, number, used, ids }: Waiting,
): readonly Recorded[] {
  const last = recorded.at(-1);
  const found = new Map<LedgerCall, PendingAction>();
  const gone: PendingAction[] = [];
  for (const action of pending) {
    const call = last?.calls.findLast(
      (each) => each.outcome?.type !== "result" && !found.has(each) && isSameCall(each, ids, action),
    );
    if (call !== undefined) found.set(call, action);
    else if (!isOver(recorded, action, ids)) gone.push(action);
  }
  const more = gone.map((action, i) => awaiting(withOwnId(callFor(action, callId(number + i)), used)));
  const parts = more.map(({ id }): TurnEntryPart => ({ type: "call", id }));
  if (last?.entry.type === "answer" && found.size > 0) {
    const calls = last.calls.map((call) => {
      const action = found.get(call);
      return action === undefined ? call : awaiting(asPending(call, action));
    });
    const entry = { ...last.entry, parts: [...last.entry.parts, ...parts] };
    return [...recorded.slice(0, -1), { entry, calls: [...calls, ...more] }];
  }
  if (more.length === 0) return recorded;
  const entry = { type: "answer" as const, at, model: importedModel, parts, finish: "tool_calls" as const };
  return [...recorded, { entry, calls: more }];
}

/**
 * True if an action was decided and has run. With an id, it is the call with that id, name and arguments, because
 * providers reuse ids. Without one, it is the last such call, if no message followed.
 */
function isOver(recorded: readonly Recorded[], pending: PendingAction, ids: Ids): boolean {
  const isLike = (call: LedgerCall): boolean =>
    isSameCall(call, ids, pending) && call.name === pending.name && isSameArguments(call.raw, pending.raw);
  const last = recorded.findLastIndex(({ calls }) => calls.some(isLike));
  if (last < 0 || recorded[last]?.calls.findLast(isLike)?.outcome?.type !== "result") return false;
  return pending.id !== undefined || !recorded.slice(last).some(({ entry }) => entry.type === "input");
}

/** The original ids of calls, before duplicates were renamed. */
type Ids = ReadonlyMap<string, string>;

/** The call with the name and arguments of the action, which the person decides about. */
const asPending = (call: LedgerCall, { name, raw }: PendingAction): LedgerCall =>
  call.name === name && isSameArguments(call.raw, raw) ? call : { ...call, name, raw };

/** The ids in use, and the next suffix for each id. */
interface UsedIds {
  readonly ids: Set<string>;
  readonly times: Map<string, number>;
}

/** The call with a unique id, because providers reuse ids. */
function withOwnId(call: LedgerCall, { ids, times }: UsedIds): LedgerCall {
  let { providerId } = call;
  let n = times.get(providerId) ?? 2;
  for (; ids.has(providerId); n++) providerId = `${call.providerId}_${n}`;
  times.set(call.providerId, n);
  ids.add(providerId);
  return providerId === call.providerId ? call : { ...call, providerId };
}

const awaiting = ({ outcome: _none, ...call }: LedgerCall): LedgerCall => ({ ...call, state: "awaiting" });

const inputPart = (part: Extract<Message, { role: "user" }>["parts"][number]): InputPart => resultPart(part);

function resultPart(part: ResultPart): OutcomePart {
  if (part.type === "value") return { type: "text", text: JSON.stringify(part.value) ?? "" };
  const { path: _path, ...rest } = part;
  return rest;
}

function turnPart(
  part: Exclude<Extract<Message, { role: "assistant" }>["parts"][number], { type: "call" }>,
): TurnEntryPart {
  if (part.type === "text")
    return { type: "text", text: part.text, ...(part.seal !== undefined && { seal: part.seal }) };
  const { path: _path, ...rest } = part;
  return rest as TurnEntryPart; // media and reasoning differ only in their position
}

/** A pending call, as some systems store it separately from their messages. */
export interface PendingAction {
  readonly id: string | undefined;
  readonly name: string;
  /** The argument text. */
  readonly raw: string;
}

/** The pending calls in `{ messages, pendingAction, pendingActions }`, without duplicates. */
export function pendingActionsIn(input: unknown): readonly PendingAction[] {
  if (!isRecord(input)) return [];
  const { pendingAction: one, pendingActions: several = [] } = input;
  if (several !== null && !Array.isArray(several)) throw fault("pendingActions", several, "a list of actions");
  const named = several?.map((each, i) => actionIn(each, `pendingActions[${i}]`)) ?? [];
  const first = one === undefined || one === null ? undefined : actionIn(one, "pendingAction");
  const isNamed = first === undefined || named.some((each) => isSameAction(each, first)); // some systems list it in both fields
  const actions = isNamed ? named : [first, ...named];
  return actions.filter(
    (each, i) => each.id === undefined || actions.findIndex((other) => isSameAction(each, other)) === i,
  );
}

const isSameAction = (one: PendingAction, other: PendingAction): boolean =>
  one.id === other.id && one.name === other.name && isSameArguments(one.raw, other.raw);

const fault = (option: string, value: unknown, allowed: string): UndangleError =>
  new UndangleError("options/value", { option, value, allowed: [allowed] });

function actionIn(action: unknown, option: string): PendingAction {
  const call = isRecord(action) ? action["functionCall"] : undefined;
  if (!isRecord(call)) throw fault(option, action, "{ functionCall: { id, name, arguments } }");
  const { id, name, arguments: args } = call;
  if (typeof name !== "string" || name === "") throw fault(`${option}.functionCall.name`, name, "the name of a tool");
  if (id !== undefined && id !== null && typeof id !== "string")
    throw fault(`${option}.functionCall.id`, id, "a string");
  return { id: typeof id === "string" && id !== "" ? id : undefined, name, raw: rawOf(args, option) };
}

function rawOf(args: unknown, option: string): string {
  if (args === undefined || args === null || args === "") return "{}";
  const text = typeof args === "string" ? args : writtenAs(args);
  if (text === undefined || !isObjectText(text))
    throw fault(`${option}.functionCall.arguments`, args, "an object, or its JSON");
  if (isTooDeep(text)) throw new UndangleError("input/too-deep", { path: `${option}.functionCall.arguments` });
  return text;
}

function writtenAs(value: unknown): string | undefined {
  try {
    return writeArguments(value);
  } catch {
    return undefined; // the caller reports it
  }
}

/** True for the call of an action, by its original id. Without an id, by its name and arguments. */
export const isSameCall = (
  call: LedgerCall,
  ids: ReadonlyMap<string, string>,
  { id, name, raw }: PendingAction,
): boolean => (id === undefined ? call.name === name && isSameArguments(call.raw, raw) : ids.get(call.id) === id);

export function isSameArguments(one: string, other: string): boolean {
  if (one === other) return true;
  if (isTooDeep(one) || !isObjectText(one)) return false;
  return JSON.stringify(JSON.parse(one)) === JSON.stringify(JSON.parse(other));
}

/** Converts a call from another system, unchanged. */
export function callFor(call: CallPart | PendingAction, id: string): LedgerCall {
  const raw =
    "raw" in call ? call.raw : "text" in call.input ? call.input.text : (writeArguments(call.input.value) ?? "{}");
  const seal = "seal" in call ? call.seal : undefined;
  const { name, id: providerId = id } = call;
  return { id, providerId, name, raw, state: "proposed", attempts: 0, ...(seal !== undefined && { seal }) };
}
