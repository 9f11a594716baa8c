import { isObjectText, isRecord, UndangleError } from "#core";
import type { CallPart } from "#codecs";

import type { LedgerCall } from "../ledger/call.ts";

/** A call that waits for a person, as some systems keep it beside their messages. */
export interface PendingAction {
  readonly id: string | undefined;
  readonly name: string;
  /** The text of its arguments. */
  readonly raw: string;
}

/** What `{ messages, pendingAction: { functionCall } }` says; undefined where there is no such thing. */
export function pendingActionIn(input: unknown): PendingAction | undefined {
  const action = isRecord(input) ? input["pendingAction"] : undefined;
  if (action === undefined || action === null) return undefined;
  const call = isRecord(action) ? action["functionCall"] : undefined;
  const fault = (option: string, value: unknown, allowed: string): UndangleError =>
    new UndangleError("options/value", { option: `pendingAction${option}`, value, allowed: [allowed] });
  if (!isRecord(call)) throw fault("", action, "{ functionCall: { id, name, arguments } }");
  const { id, name, arguments: args } = call;
  if (typeof name !== "string" || name === "") throw fault(".functionCall.name", name, "the name of a tool");
  if (id !== undefined && id !== null && typeof id !== "string") throw fault(".functionCall.id", id, "a text");
  return { id: typeof id === "string" && id !== "" ? id : undefined, name, raw: rawOf(args, fault) };
}

function rawOf(args: unknown, fault: (option: string, value: unknown, allowed: string) => UndangleError): string {
  if (args === undefined || args === null || args === "") return "{}";
  const text = typeof args === "string" ? args : writtenAs(args);
  if (text === undefined || !isObjectText(text)) throw fault(".functionCall.arguments", args, "an object, or its JSON");
  return text;
}

function writtenAs(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined; // the caller says so
  }
}

/** True for the call that waits, by the id that it had there. Without an id it is known by its name and its arguments. */
export const isSameCall = (
  call: LedgerCall,
  ids: ReadonlyMap<string, string>,
  { id, name, raw }: PendingAction,
): boolean => (id === undefined ? call.name === name && isSameArguments(call.raw, raw) : ids.get(call.id) === id);

export function isSameArguments(one: string, other: string): boolean {
  return one === other || (isObjectText(one) && JSON.stringify(JSON.parse(one)) === JSON.stringify(JSON.parse(other)));
}

/** A call that was made elsewhere, as it was made. */
export function callFor(call: CallPart | PendingAction, id: string): LedgerCall {
  const raw =
    "raw" in call ? call.raw : "text" in call.input ? call.input.text : JSON.stringify(call.input.value ?? {});
  const seal = "seal" in call ? call.seal : undefined;
  const { name, id: providerId = id } = call;
  return { id, providerId, name, raw, state: "proposed", attempts: 0, ...(seal !== undefined && { seal }) };
}
