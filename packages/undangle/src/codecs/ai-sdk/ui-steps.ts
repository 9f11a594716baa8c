import { isRecord } from "#core";

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
export function isToolPart(part: unknown): part is Wire {
  if (!isRecord(part) || part["providerExecuted"] === true) return false;
  const type = textOf(part["type"]);
  return type === "dynamic-tool" || (type.startsWith("tool-") && type !== "tool-invocation"); // that one is of version 4
}

/** The name of the tool that a part calls; "" for none. */
export const toolNameOf = (part: Wire): string =>
  part["type"] === "dynamic-tool" ? textOf(part["toolName"]) : textOf(part["type"]).slice("tool-".length);

/** True when the part has its result, be it an error or a refusal. */
export const isFinished = ({ state }: Wire): boolean =>
  state === "output-available" || state === "output-error" || state === "output-denied";

/** Ends a step: what follows goes to the model as another message. */
export const isBoundary = (part: unknown): boolean => {
  const type = isRecord(part) ? part["type"] : undefined;
  return type === "step-start" || type === "steering-message";
};

/** What comes behind the step that a part stands in: the user's words, another step, or nothing. */
export function followingStep(
  list: readonly unknown[],
  index: number,
  place: number,
): "user" | "assistant" | undefined {
  const parts = uiParts(list[index]) ?? [];
  let isBehind = false;
  for (let i = place + 1; i < parts.length; i++) {
    const part = parts[i];
    const type = isRecord(part) ? textOf(part["type"]) : "";
    if (type === "steering-message") return "user";
    if (type === "step-start") isBehind = true;
    else if (isBehind && isSaid(type)) return "assistant";
  }
  for (let i = index + 1; i < list.length; i++) {
    const message = list[i];
    const role = isRecord(message) ? message["role"] : undefined;
    if (role === "user" || role === "assistant") return role;
  }
  return undefined;
}

/** Sources, and data that only the page shows, do not go to the model. */
const isSaid = (type: string): boolean => type !== "" && !type.startsWith("source-") && !type.startsWith("data-");

/** An answer to an approval request that the SDK will act upon: nothing may follow its step. */
export const isLive = (part: Wire, list: readonly unknown[], index: number, place: number): boolean =>
  part["state"] === "approval-responded" &&
  isRecord(part["approval"]) &&
  index === list.length - 1 &&
  followingStep(list, index, place) === undefined;
