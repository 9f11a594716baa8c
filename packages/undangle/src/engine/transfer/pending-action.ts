import type { CallPart } from "#codecs";
import { isObjectText, isRecord, UndangleError } from "#core";

import { writeArguments } from "../arguments-text.ts";
import type { LedgerCall } from "../ledger/call.ts";

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
  return one === other || (isObjectText(one) && JSON.stringify(JSON.parse(one)) === JSON.stringify(JSON.parse(other)));
}

/** Converts a call from another system, unchanged. */
export function callFor(call: CallPart | PendingAction, id: string): LedgerCall {
  const raw =
    "raw" in call ? call.raw : "text" in call.input ? call.input.text : (writeArguments(call.input.value) ?? "{}");
  const seal = "seal" in call ? call.seal : undefined;
  const { name, id: providerId = id } = call;
  return { id, providerId, name, raw, state: "proposed", attempts: 0, ...(seal !== undefined && { seal }) };
}
