import { isRecord } from "#core";
import type { Journal, JsonObject, Spot } from "#core";

import { isClientCall, isTool, isType, partsOf, textOf } from "./message.ts";
import { isBoundary, isProviderPart, isSent, isToolPart, uiParts } from "./ui-steps.ts";

/**
 * Finds calls of provider tools that can no longer get a result. Only the provider can write such a result, so the call
 * is removed. Anthropic refuses every later request with it ("… tool use with id … was found without a corresponding
 * …_tool_result block"), and other packages send it as an open call of the application.
 *
 * A result may still arrive if only results of other calls follow: Anthropic resumes a paused turn, and sends the
 * result of a program after the tools that it called. An approval settles a call that waits for one.
 *
 * The list is read as `repair` leaves it, with the results of application calls in tool messages after them. A result
 * inside an assistant message becomes such a result once the provider call with its id is removed, so the list is read
 * until nothing changes.
 */
export function abandonedCalls(list: readonly unknown[]): ReadonlySet<unknown> {
  let abandoned: ReadonlySet<unknown> = new Set();
  for (let reading = 0; reading < mostReadings; reading++) {
    const found = readCalls(list, idsOf(list, abandoned));
    if (found.size === abandoned.size) break;
    abandoned = found;
  }
  return abandoned;
}

/** Each pass after the second requires another call with an id that is already used. Two passes are common. */
const mostReadings = 16;

interface Ids {
  readonly client: ReadonlySet<string>;
  readonly provider: ReadonlySet<string>;
}

function idsOf(list: readonly unknown[], abandoned: ReadonlySet<unknown>): Ids {
  const client = new Set<string>();
  const provider = new Set<string>();
  for (const message of list) {
    if (!isRecord(message) || message["role"] !== "assistant") continue;
    for (const part of partsOf(message) ?? []) {
      if (!isType(part, "tool-call") || idOf(part) === "" || abandoned.has(part)) continue;
      (isClientCall(part) ? client : provider).add(idOf(part));
    }
  }
  return { client, provider };
}

function readCalls(list: readonly unknown[], ids: Ids): ReadonlySet<unknown> {
  const loop = createLoop();
  for (const message of list) {
    const parts = partsOf(message) ?? [];
    if (isTool(message)) {
      const isOurs = (part: unknown): boolean => isType(part, "tool-result") && ids.client.has(idOf(part));
      for (const part of parts) if (isType(part, "tool-result") && !isOurs(part)) loop.result(idOf(part));
      if (!parts.every(isOurs)) loop.endTurn(); // otherwise its results move to their calls, wherever they are
    } else if (isRecord(message) && message["role"] === "user") {
      if (!isOnlyResults(message)) loop.endLoop();
    } else if (isRecord(message) && message["role"] === "assistant") readAssistant(parts, loop, ids);
  }
  return loop.close();
}

/** The same for UI messages. A part whose input is still streaming is never sent to a model. */
export function abandonedParts(list: readonly unknown[]): ReadonlySet<unknown> {
  const loop = createLoop();
  for (const message of list) {
    const role = isRecord(message) ? message["role"] : undefined;
    if (role === "user") loop.endLoop();
    if (role !== "assistant") continue;
    let hasCalls = false; // calls of the application, whose results follow the step
    const endStep = (): void => {
      if (hasCalls) loop.endTurn();
      hasCalls = false;
    };
    for (const part of uiParts(message) ?? []) {
      if (isBoundary(part)) endStep();
      if (isType(part, "steering-message")) loop.endLoop();
      hasCalls ||= isToolPart(part);
      if (isSent(part) && !isBoundary(part)) loop.begin();
      if (isProviderPart(part) && part["state"] === "input-available") loop.call(idOf(part), part);
    }
    endStep();
  }
  return loop.close();
}

/** Reports that a call is removed. */
export function reportAbandoned(part: JsonObject, at: Spot, { journal }: { readonly journal: Journal }): void {
  const callId = idOf(part);
  const message = `The call ${callId} of a provider-executed tool has no result.`;
  journal.note(at, { rule: "unpaired-server-call", message, callId }, { type: "remove", lossless: false });
}

const idOf = (part: JsonObject): string => textOf(part["toolCallId"]);

function readAssistant(parts: readonly unknown[], loop: Loop, { client, provider }: Ids): void {
  /** True for a result that `repair` moves to its call, wherever that is. */
  const isMoved = (part: unknown): boolean =>
    isType(part, "tool-result") && !provider.has(idOf(part)) && client.has(idOf(part));
  if (parts.length === 0 || !parts.every(isMoved)) loop.begin();
  const gated = new Set<string>();
  for (const part of parts) if (isType(part, "tool-approval-request")) gated.add(idOf(part));
  for (const part of parts) {
    if (isType(part, "tool-result")) loop.result(idOf(part));
    else if (isType(part, "tool-call") && part["providerExecuted"] === true && !gated.has(idOf(part))) {
      loop.call(idOf(part), part);
    }
  }
  const isFollowed = (part: unknown): boolean =>
    isClientCall(part) || (isType(part, "tool-result") && !provider.has(idOf(part)) && !isMoved(part));
  if (parts.some(isFollowed)) loop.endTurn(); // a tool message follows, at least after the repair
}

/** A user message with only results counts as a tool message. */
function isOnlyResults(message: unknown): boolean {
  const parts = partsOf(message) ?? [];
  return parts.length > 0 && parts.every((part) => isType(part, "tool-result"));
}

/** The turns between two user messages. */
interface Loop {
  /** Called at the start of an assistant message. */
  begin(): void;
  call(id: string, part: unknown): void;
  result(id: string): void;
  /** Called when results of the application's tools follow. */
  endTurn(): void;
  /** Called at the start of a user message. */
  endLoop(): void;
  /** Called at the end of the list. Returns the calls that can no longer get a result. */
  close(): ReadonlySet<unknown>;
}

function createLoop(): Loop {
  const abandoned = new Set<unknown>();
  let open = new Map<string, { readonly turn: number; readonly part: unknown }[]>();
  let turn = 0;
  let isSpeaking = false; // the last message is assistant text, not a result
  const drop = (isGone: (turn: number) => boolean): void => {
    for (const call of [...open.values()].flat()) if (isGone(call.turn)) abandoned.add(call.part);
  };
  return {
    begin() {
      isSpeaking = true;
    },
    call(id, part) {
      const same = open.get(id);
      if (same === undefined) open.set(id, [{ turn, part }]);
      else same.push({ turn, part });
    },
    result(id) {
      if (id !== "") open.delete(id); // without an id it cannot be matched to one of them
    },
    endTurn() {
      if (isSpeaking) turn++;
      isSpeaking = false;
    },
    endLoop() {
      drop(() => true);
      open = new Map();
      isSpeaking = false;
    },
    close() {
      if (isSpeaking) drop((of) => of < turn);
      return abandoned;
    },
  };
}
