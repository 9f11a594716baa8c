import { isRecord } from "#core";
import type { JsonObject } from "#core";

import { createOutlook } from "../../spans.ts";
import { textOf } from "./message.ts";

/** The parts of a UI message. Undefined for any other value. */
export function uiParts(message: unknown): readonly unknown[] | undefined {
  const parts = isRecord(message) ? message["parts"] : undefined;
  return Array.isArray(parts) ? (parts as readonly unknown[]) : undefined; // an array with unchecked entries
}

/** True for a list of UI messages. ModelMessages have content instead of parts. */
export const isForPage = (list: readonly unknown[]): boolean => list.some((message) => uiParts(message) !== undefined);

/** True for a call of an application tool, with or without its result. */
export const isToolPart = (part: unknown): part is JsonObject => isCallPart(part) && part["providerExecuted"] !== true;

/** True for a call of a provider tool. */
export const isProviderPart = (part: unknown): part is JsonObject =>
  isCallPart(part) && part["providerExecuted"] === true;

function isCallPart(part: unknown): part is JsonObject {
  if (!isRecord(part)) return false;
  const type = textOf(part["type"]);
  return type === "dynamic-tool" || (type.startsWith("tool-") && type !== "tool-invocation"); // the type in version 4
}

/** The tool name of a part. "" if there is none. */
export const toolNameOf = (part: JsonObject): string =>
  part["type"] === "dynamic-tool" ? textOf(part["toolName"]) : textOf(part["type"]).slice("tool-".length);

/** True if the part has its result, including an error or a rejection. */
export const isFinished = ({ state }: JsonObject): boolean =>
  state === "output-available" || state === "output-error" || state === "output-denied";

/** True if a part has a result that its state does not allow. */
export const holdsResult = (part: JsonObject): boolean =>
  !isFinished(part) && (part["output"] !== undefined || (part["errorText"] ?? undefined) !== undefined);

/** True for a part at the end that waits for a user's decision, or for a tool that the UI runs. */
export const isPending = (part: JsonObject, { following }: Page, index: number, place: number): boolean =>
  (part["state"] === "input-available" || part["state"] === "approval-requested") &&
  !holdsResult(part) &&
  following(index, place) === undefined;

/** True for the end of a step. Parts after it are sent to the model as another message. */
export const isBoundary = (part: unknown): boolean => {
  const type = isRecord(part) ? part["type"] : undefined;
  return type === "step-start" || type === "steering-message";
};

type Speaker = "user" | "assistant" | undefined;

/** A list of UI messages. */
export interface Page {
  readonly list: readonly unknown[];
  /** What follows the step of a part: a user message, another step, or nothing. */
  readonly following: (index: number, place: number) => Speaker;
}

/** Caches the parts of the last message for consecutive queries. */
export function createPage(list: readonly unknown[]): Page {
  const outlook = createOutlook(list);
  let known: { readonly index: number; readonly behind: readonly Speaker[] } | undefined;
  return {
    list,
    following(index, place) {
      if (known?.index !== index) known = { index, behind: stepsBehind(uiParts(list[index]) ?? []) };
      return known.behind[place] ?? outlook(index + 1);
    },
  };
}

/** What follows the step of each part within the same message. */
function stepsBehind(parts: readonly unknown[]): readonly Speaker[] {
  const behind: Speaker[] = parts.map(() => undefined);
  let inStep: Speaker; // for parts of the same step
  let inNext: Speaker; // for parts of an earlier step
  for (let place = parts.length - 1; place >= 0; place--) {
    behind[place] = inStep;
    const part = parts[place];
    const type = isRecord(part) ? textOf(part["type"]) : "";
    if (type === "steering-message") inStep = inNext = "user";
    else if (type === "step-start") inStep = inNext;
    else if (isSent(part)) inNext = "assistant";
  }
  return behind;
}

/** False for sources, and for data that only the UI shows, which are not sent to the model. */
export function isSent(part: unknown): boolean {
  const type = isRecord(part) ? textOf(part["type"]) : "";
  return type !== "" && !type.startsWith("source-") && !type.startsWith("data-");
}

/** An approval response that the SDK will handle. Nothing may follow its step. */
export const isLive = (part: JsonObject, { list, following }: Page, index: number, place: number): boolean =>
  part["state"] === "approval-responded" &&
  isRecord(part["approval"]) &&
  index === list.length - 1 &&
  following(index, place) === undefined;
