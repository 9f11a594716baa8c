import { isRecord, isText, listOf, modelOf, recordOf, type Loose } from "../loose.ts";
import type { Verdict } from "../verdict.ts";
import { judgeItem } from "./items.ts";
import { judgeImages } from "./media.ts";
import { judgeAdjacency, judgeClientTools, judgeItemIds, judgeResponsesPairing } from "./pairing.ts";
import { judgeReasoning } from "./reasoning.ts";

/** The OAR rules, and the additional rule of DeepSeek's server. */
export function judgeResponses(input: unknown, { provider }: { readonly provider?: string }): Verdict[] {
  const body = isRecord(input) ? input : undefined;
  const given = Array.isArray(input) ? input : body?.["input"];
  if (isText(given)) return [];
  const items = listOf(given);
  if (items.length === 0) {
    const isKept = ["previous_response_id", "prompt", "conversation"].some((key) => Boolean(body?.[key]));
    if (isKept && given !== undefined) return [];
    return [{ id: "OAR-EMPTY", path: "input", text: "Missing required parameter: 'input'." }];
  }
  const isStored = Boolean(body?.["previous_response_id"]) || Boolean(body?.["conversation"]);
  return [
    ...items.flatMap((item, index) => judgeItem(item, `input[${index}]`, provider)),
    ...items.flatMap((item, index) => judgeImages(item, `input[${index}]`, provider)),
    ...judgeItemIds(items),
    ...judgeResponsesPairing(items, isStored || items.some(standsForCall)),
    ...judgeClientTools(items, isStored || items.some(standsForCall)),
    ...judgeReasoning(items, { reasons: reasonsOf(body), isStored }),
    ...(provider === "deepseek" ? judgeAdjacency(items) : []),
  ];
}

/** True for a reference to a stored item that may be a call. */
function standsForCall(raw: unknown): boolean {
  const { type, id } = recordOf(raw);
  return type === "item_reference" && isText(id) && !id.startsWith("rs_") && !id.startsWith("msg_");
}

/** True for a known reasoning model whose reasoning is not disabled. */
function reasonsOf(body: Loose | undefined): boolean {
  if (recordOf(body?.["reasoning"])["effort"] === "none") return false;
  const name = modelOf(body);
  return /^o\d/.test(name) || (/^gpt-([5-9]|\d\d)/.test(name) && !name.includes("-chat"));
}
