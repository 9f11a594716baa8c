import { isRecord } from "#core";

import { isTool, isType, partsOf, textOf } from "./message.ts";
import type { Wire } from "./message.ts";
import { abandonedCalls } from "./server-calls.ts";

/** What a list says of approvals, and of calls that the provider runs itself. */
export interface Requests {
  /** The call that an approval was asked for, by the id of the request. */
  readonly callIds: ReadonlyMap<string, string>;
  /** The ids of the calls that the application runs. */
  readonly client: ReadonlySet<string>;
  /** The ids of the calls that the provider runs, but for abandoned ones. */
  readonly provider: ReadonlySet<string>;
  /** The calls of the provider whose result cannot come any more. */
  readonly abandoned: ReadonlySet<unknown>;
}

export function readRequests(list: readonly unknown[]): Requests {
  const callIds = new Map<string, string>();
  const client = new Set<string>();
  const provider = new Set<string>();
  const abandoned = abandonedCalls(list);
  for (const message of list) {
    if (!isRecord(message) || message["role"] !== "assistant") continue;
    for (const part of partsOf(message) ?? []) {
      const id = isRecord(part) ? textOf(part["toolCallId"]) : "";
      if (id === "") continue;
      if (isType(part, "tool-approval-request") && textOf(part["approvalId"]) !== "") {
        callIds.set(textOf(part["approvalId"]), id);
      }
      if (isType(part, "tool-call") && !abandoned.has(part)) {
        (part["providerExecuted"] === true ? provider : client).add(id);
      }
    }
  }
  return { callIds, client, provider, abandoned };
}

export const isResponse = (part: unknown): part is Wire => isType(part, "tool-approval-response");

/**
 * The answers that the SDK will act upon, by the id of their call: those in the last message, for calls of the turn that
 * it ends and that have no result yet. It runs what was approved and answers what was denied, so nothing is missing. Answers
 * that were given one by one count too, as long as nothing but answers follows.
 */
export function liveResponses(
  list: readonly unknown[],
  [start, end]: readonly [start: number, end: number],
  callIds: ReadonlySet<string>,
  requests: Requests,
): ReadonlyMap<string, Wire> {
  const live = new Map<string, Wire>();
  if (end < list.length) return live;
  const answered = new Set<unknown>();
  for (let i = start; i < end; i++) {
    for (const part of partsOf(list[i]) ?? []) if (isType(part, "tool-result")) answered.add(part["toolCallId"]);
  }
  let from = isSaid(list[end - 1]) ? end - 1 : end;
  while (from > start && isAnswers(list[from]) && isAnswers(list[from - 1])) from--;
  for (let i = from; i < end; i++) {
    for (const part of partsOf(list[i]) ?? []) {
      const id = isResponse(part) ? requests.callIds.get(textOf(part["approvalId"])) : undefined;
      if (id === undefined || !callIds.has(id) || answered.has(id) || live.has(id)) continue;
      live.set(id, part as Wire); // isResponse has seen an object
    }
  }
  return live;
}

const isSaid = (message: unknown): boolean => isTool(message) && (partsOf(message)?.length ?? 0) > 0;

/** A message of nothing but answers to requests. */
const isAnswers = (message: unknown): boolean => isSaid(message) && partsOf(message)?.every(isResponse) === true;

/** The calls that were refused, by the first answer about each: the id, with the reason where one was given. */
export function refusals(
  parts: readonly unknown[],
  { callIds }: Requests,
): ReadonlyMap<string, { readonly reason: string | undefined }> {
  const first = new Map<string, Wire>();
  for (const part of parts) {
    const id = isResponse(part) ? callIds.get(textOf(part["approvalId"])) : undefined;
    if (id !== undefined && !first.has(id)) first.set(id, part as Wire); // isResponse has seen an object
  }
  const refused = new Map<string, { readonly reason: string | undefined }>();
  for (const [id, { approved, reason }] of first) {
    if (approved === false) refused.set(id, { reason: typeof reason === "string" ? reason : undefined });
  }
  return refused;
}
