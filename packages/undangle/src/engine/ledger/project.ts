import type { AssistantMessage, CallPart, Message, Reasoning, Result, ResultPart, Text } from "#codecs";
import { renderNotice, isRecord } from "#core";
import type { Cause, JsonObject, Language, TurnReasoning } from "#core";

import type { LedgerCall, OpenState, OutcomePart } from "./call.ts";
import type { TurnEntry, TurnEntryPart, Recorded } from "./entry.ts";

/** How a thread is projected: its language, and the longest result. */
export interface Projection {
  readonly language: Language;
  /** The longest result in characters. Of longer results the beginning and the end are kept. */
  readonly longestResult: number;
  /** Stored notices of settled calls without a result, by call id. */
  readonly words?: () => JsonObject;
}

/**
 * The messages of an entry for the model. They are valid in any state of the calls, because each call has a result or a
 * notice.
 */
export function project({ entry, calls }: Recorded, projection: Projection): readonly Message[] {
  if (entry.type === "original" || entry.type === "retract" || entry.type === "restore") return [];
  if (entry.type === "system") {
    const parts = entry.parts.map((part) => ({ ...part, path: "" }));
    return [{ role: "system", path: "", parts, isDeveloper: false }];
  }
  if (entry.type === "input") {
    return [{ role: "user", path: "", name: undefined, parts: entry.parts.map((part) => ({ ...part, path: "" })) }];
  }
  const message = assistantMessage(entry, calls);
  if (calls.length === 0) return message.parts.length === 0 ? [] : [message];
  return [message, { role: "tool", path: "", results: calls.map((call) => resultOf(call, projection)) }];
}

function assistantMessage({ parts }: TurnEntry, calls: readonly LedgerCall[]): AssistantMessage {
  const content: AssistantMessage["parts"][number][] = [];
  let place = 0; // calls have the order of their parts
  for (const part of parts) {
    if (part.type === "text") {
      if (part.text !== "" || part.seal !== undefined) content.push(textPart(part, content.at(-1)?.type === "text"));
    } else if (part.type === "reasoning") content.push(reasoningPart(part));
    else if (part.type === "media") content.push({ ...part, path: "" });
    else {
      const call = calls[place++];
      if (call !== undefined) content.push(callPart(call));
    }
  }
  for (const call of calls.slice(place)) content.push(callPart(call)); // calls without a part also have results
  return { role: "assistant", path: "", parts: content };
}

const textPart = ({ text, seal }: Extract<TurnEntryPart, { type: "text" }>, isMore: boolean): Text => ({
  type: "text",
  path: "",
  text,
  ...(seal !== undefined && { seal }),
  ...(isMore && { isMore }),
});

const reasoningPart = ({ text, seal, isRedacted = false }: TurnReasoning): Reasoning => ({
  type: "reasoning",
  path: "",
  text,
  seal,
  isRedacted,
});

const callPart = ({ providerId, name, raw, seal }: LedgerCall): CallPart => ({
  type: "call",
  path: "",
  id: providerId,
  name,
  input: { text: raw },
  isCustom: false,
  ...(seal !== undefined && { seal }),
});

function resultOf(call: LedgerCall, projection: Projection): Result {
  const { providerId: id, name } = call;
  return { path: "", id, name, ...resultContent(call, projection) };
}

/** The result or notice of a call for the model, settled or not. */
function resultContent(call: LedgerCall, projection: Projection): Pick<Result, "parts" | "isError" | "notice"> {
  const { language, longestResult } = projection;
  const { outcome, state } = call;
  if (outcome?.type === "result") {
    return { parts: limited(outcome.parts, longestResult, language), isError: outcome.isError };
  }
  const notice = outcome ?? { cause: causes[state as OpenState], reason: undefined }; // without an outcome the call is open
  const kept = outcome === undefined ? undefined : storedNotice(call, projection);
  const text = kept ?? noticeOf(call, notice, language);
  return {
    parts: [{ type: "text", path: "", text }],
    isError: true,
    notice: { cause: notice.cause, reason: notice.reason },
  };
}

/** The stored notice of a call. */
function storedNotice({ providerId }: LedgerCall, { words }: Projection): string | undefined {
  const kept = words?.() ?? {};
  const text = Object.hasOwn(kept, providerId) ? kept[providerId] : undefined;
  return typeof text === "string" ? text : undefined;
}

const causes: Readonly<Record<OpenState, Cause>> = {
  proposed: "pending",
  awaiting: "awaiting",
  approved: "pending",
  running: "running",
  delegated: "running",
};

/** The notice of a call without a result. */
export function noticeOf(
  { providerId, name }: Pick<LedgerCall, "providerId" | "name">,
  { cause, reason }: { readonly cause: Cause; readonly reason?: string | undefined },
  language: Language,
): string {
  return renderNotice({ id: providerId, name, reason }, cause, { language });
}

/** The parts of a result up to a total length, with a note about omitted text. */
function limited(parts: readonly OutcomePart[], longest: number, language: Language): readonly ResultPart[] {
  const [only] = parts;
  if (parts.length === 1 && only?.type === "text" && only.text.length <= longest) return [{ ...only, path: "" }];
  const lengths = parts.map((part) => (part.type === "text" ? part.text.length : 0));
  const over = lengths.reduce((sum, length) => sum + length, 0) - longest;
  let left = longest;
  return parts.flatMap((part, i): readonly ResultPart[] => {
    const length = lengths[i] ?? 0;
    if (part.type !== "text" || over <= 0) return [{ ...part, path: "" }];
    const room = left;
    left -= length;
    if (left >= 0) return [{ ...part, path: "" }];
    return room < 0 ? [] : [{ ...part, path: "", text: shortened(part.text, { longest: room, over, language }) }];
  });
}

function shortened(
  text: string,
  { longest, over, language }: { readonly longest: number; readonly over: number; readonly language: Language },
): string {
  const half = Math.floor(longest / 2);
  const middle = language === "zh" ? `\n[……此处省略 ${over} 个字符……]\n` : `\n[… ${over} characters omitted …]\n`;
  return text.slice(0, half).toWellFormed() + middle + text.slice(text.length - half).toWellFormed();
}

/** The state key of stored notices, by the call ids of histories. */
export const storedNoticesKey = "patch-tool-calls";

/** The stored notices of a thread, which every history of it uses. */
export function storedNotices(state: JsonObject): JsonObject {
  const words = Object.hasOwn(state, storedNoticesKey) ? state[storedNoticesKey] : undefined;
  return isRecord(words) ? words : {};
}
