import { isRecord } from "#core";

import {
  holdsResult,
  isBoundary,
  isFinished,
  isLive,
  isProviderPart,
  isToolPart,
  toolNameOf,
  uiParts,
} from "./ui-steps.ts";
import type { Page } from "./ui-steps.ts";

/**
 * The state of a UI message: valid if every call has its result and a unique id in its step; open if only results are
 * missing.
 */
export function stateOfUIMessage(page: Page, index: number): "healthy" | "open" | "suspect" {
  const message = page.list[index];
  if (!isRecord(message)) return "suspect";
  if (message["role"] !== "assistant") return "healthy";
  const parts = uiParts(message);
  if (parts === undefined) return "suspect";
  let ids: unknown[] = [];
  let isOpen = false;
  for (let place = 0; place < parts.length; place++) {
    const part = parts[place];
    if (isBoundary(part)) ids = [];
    if (isProviderPart(part) && !isFinished(part)) return "suspect"; // only the whole list shows whether its result may still arrive
    if (!isToolPart(part)) continue;
    const { toolCallId: id } = part;
    if (ids.length === 64 || typeof id !== "string" || id === "" || ids.includes(id) || !isRecord(part["input"]))
      return "suspect";
    if (toolNameOf(part) === "" || holdsResult(part)) return "suspect";
    isOpen ||= !isFinished(part) && !isLive(part, page, index, place);
    ids.push(id);
  }
  return isOpen ? "open" : "healthy";
}
