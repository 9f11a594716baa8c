import { isRecord } from "#core";
import type { JsonObject } from "#core";

import { isTool, isType, partsOf, textOf } from "./message.ts";
import { abandonedCalls } from "./server-calls.ts";

/** The approvals of a list, and the calls that the provider runs. */
export interface Requests {
  /** The call ids of approval requests, by request id. */
  readonly callIds: ReadonlyMap<string, string>;
  /** The ids of the calls that the application runs. */
  readonly client: ReadonlySet<string>;
  /** The ids of provider calls, except abandoned ones. */
  readonly provider: ReadonlySet<string>;
  /** Provider calls that can no longer get a result. */
  readonly abandoned: ReadonlySet<unknown>;
}

export function readRequests(list: readonly unknown[]): Requests {
  const callIds = new Map<string, string>();
  const client = new Set<string>();
  const provider = new Set<string>();
  const special = list.filter(hasSpecialParts);
  const abandoned: ReadonlySet<unknown> = special.length === 0 ? new Set() : abandonedCalls(list);
  for (const message of special.length === 0 ? special : list) {
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

/** True for a message with an approval request or a call that the provider runs. Most lists have none. */
const hasSpecialParts = (message: unknown): boolean =>
  partsOf(message)?.some(
    (part) => isRecord(part) && (part["type"] === "tool-approval-request" || part["providerExecuted"] === true),
  ) === true;

export const isResponse = (part: unknown): part is JsonObject => isType(part, "tool-approval-response");

/**
 * The approval responses that the SDK will handle, by call id: those in the last message, for calls of its turn without
 * a result. The SDK runs approved calls and adds results for denied ones, so nothing is missing. Separate responses
 * count too, if only responses follow.
 */
export function liveResponses(
  list: readonly unknown[],
  [start, end]: readonly [start: number, end: number],
  callIds: ReadonlySet<string>,
  requests: Requests,
): ReadonlyMap<string, JsonObject> {
  const live = new Map<string, JsonObject>();
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
      live.set(id, part as JsonObject); // isResponse has checked that it is an object
    }
  }
  return live;
}

const isSaid = (message: unknown): boolean => isTool(message) && (partsOf(message)?.length ?? 0) > 0;

/** True for a message with only approval responses. */
const isAnswers = (message: unknown): boolean => isSaid(message) && partsOf(message)?.every(isResponse) === true;

/** The rejected calls, by the first response for each: the id, and the reason if given. */
export function refusals(
  parts: readonly unknown[],
  { callIds }: Requests,
): ReadonlyMap<string, { readonly reason: string | undefined }> {
  const first = new Map<string, JsonObject>();
  for (const part of parts) {
    const id = isResponse(part) ? callIds.get(textOf(part["approvalId"])) : undefined;
    if (id !== undefined && !first.has(id)) first.set(id, part as JsonObject); // isResponse has checked that it is an object
  }
  const refused = new Map<string, { readonly reason: string | undefined }>();
  for (const [id, { approved, reason }] of first) {
    if (approved === false) refused.set(id, { reason: typeof reason === "string" ? reason : undefined });
  }
  return refused;
}
