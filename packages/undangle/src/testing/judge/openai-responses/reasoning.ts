import { isText, recordOf, type Loose } from "../loose.ts";
import type { Verdict } from "../verdict.ts";
import { isOutput } from "./pairing.ts";

interface Known {
  /** True for a reasoning model. */
  readonly reasons: boolean;
  /** True if the server stores the earlier items. */
  readonly isStored: boolean;
}

/** The rules about reasoning and the items that depend on it. */
export function judgeReasoning(items: readonly unknown[], { reasons, isStored }: Known): Verdict[] {
  const verdicts: Verdict[] = [];
  let isCovered = isStored;
  for (const [index, raw] of items.entries()) {
    const item = recordOf(raw);
    const path = `input[${index}]`;
    if (item["type"] === "reasoning" && isDangling(item, items[index + 1])) {
      const text = `${itemOf(item)} of type 'reasoning' was provided without its required following item.`;
      verdicts.push({ id: "OAR-REASONING-DANGLING", path, text });
    }
    if (isReasoning(item)) isCovered = true;
    else if (ends(item)) isCovered = false;
    else if (reasons && !isCovered && item["type"] === "function_call" && isText(item["id"])) {
      // The API also names the missing reasoning item, which it has stored. The request does not contain that id.
      const text = `${itemOf(item)} of type 'function_call' was provided without its required 'reasoning' item.`;
      verdicts.push({ id: "OAR-REASONING-REQUIRED", path, text });
    }
  }
  return verdicts;
}

const itemOf = ({ id }: Loose): string => (isText(id) ? `Item '${id}'` : "Item");

function isReasoning({ type, id }: Loose): boolean {
  return type === "reasoning" || (type === "item_reference" && isText(id) && id.startsWith("rs_"));
}

/** True for an item that the model did not create, so later items do not depend on the reasoning before it. */
function ends({ type, role }: Loose): boolean {
  if (type === undefined || type === "message") return typeof role === "string" && role !== "assistant";
  return typeof type === "string" && type.endsWith("_output");
}

function isDangling(reasoning: Loose, next: unknown): boolean {
  if (next === undefined) return true;
  const item = recordOf(next);
  if (isOutput(item["type"]) || ends(item)) return true;
  const isStored = isText(reasoning["id"]) && !reasoning["encrypted_content"];
  const isKnown = ["message", "reasoning", "function_call", "custom_tool_call", undefined].includes(
    item["type"] as string,
  );
  return isStored && isKnown && !isText(item["id"]);
}
