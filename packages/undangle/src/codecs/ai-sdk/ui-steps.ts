import { isRecord } from "#core";

import { createOutlook } from "../spans.ts";
import { textOf } from "./message.ts";
import type { Wire } from "./message.ts";

/** The parts of a message for a page; undefined for any other. */
export function uiParts(message: unknown): readonly unknown[] | undefined {
  const parts = isRecord(message) ? message["parts"] : undefined;
  return Array.isArray(parts) ? (parts as readonly unknown[]) : undefined; // an array of anything
}

/** True for a list of messages for a page; those for a model have content instead of parts. */
export const isForPage = (list: readonly unknown[]): boolean => list.some((message) => uiParts(message) !== undefined);

/** A call of a tool that the application runs, with its result once it has one. */
export const isToolPart = (part: unknown): part is Wire => isCallPart(part) && part["providerExecuted"] !== true;

/** A call of a tool that the provider runs. */
export const isProviderPart = (part: unknown): part is Wire => isCallPart(part) && part["providerExecuted"] === true;

function isCallPart(part: unknown): part is Wire {
  if (!isRecord(part)) return false;
  const type = textOf(part["type"]);
  return type === "dynamic-tool" || (type.startsWith("tool-") && type !== "tool-invocation"); // that one is of version 4
}

/** The tool name of a part; "" for none. */
export const toolNameOf = (part: Wire): string =>
  part["type"] === "dynamic-tool" ? textOf(part["toolName"]) : textOf(part["type"]).slice("tool-".length);

/** True when the part has its result, be it an error or a refusal. */
export const isFinished = ({ state }: Wire): boolean =>
  state === "output-available" || state === "output-error" || state === "output-denied";

/** True if a part has a result that its state does not allow. */
export const holdsResult = (part: Wire): boolean =>
  !isFinished(part) && (part["output"] !== undefined || (part["errorText"] ?? undefined) !== undefined);

/** True for a part at the end that waits on purpose: for a person's decision, or for a tool that the page runs. */
export const isPending = (part: Wire, { following }: Page, index: number, place: number): boolean =>
  (part["state"] === "input-available" || part["state"] === "approval-requested") &&
  !holdsResult(part) &&
  following(index, place) === undefined;

/** Ends a step: what follows goes to the model as another message. */
export const isBoundary = (part: unknown): boolean => {
  const type = isRecord(part) ? part["type"] : undefined;
  return type === "step-start" || type === "steering-message";
};

type Speaker = "user" | "assistant" | undefined;

/** A list of messages for a page. */
export interface Page {
  readonly list: readonly unknown[];
  /** What follows the step of a part: a user message, another step, or nothing. */
  readonly following: (index: number, place: number) => Speaker;
}

/** The parts of a message are read once, for all that is asked about it in a row. */
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
  let inStep: Speaker; // for a part of the same step
  let inNext: Speaker; // for one of an earlier step
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

/** Sources, and data that only the page shows, do not go to the model. */
export function isSent(part: unknown): boolean {
  const type = isRecord(part) ? textOf(part["type"]) : "";
  return type !== "" && !type.startsWith("source-") && !type.startsWith("data-");
}

/** An approval response that the SDK will handle. Nothing may follow its step. */
export const isLive = (part: Wire, { list, following }: Page, index: number, place: number): boolean =>
  part["state"] === "approval-responded" &&
  isRecord(part["approval"]) &&
  index === list.length - 1 &&
  following(index, place) === undefined;
