import { isRecord } from "#core";
import type { Profile } from "#core";

import type { Request } from "../codec.ts";

/** The requirements of one server of the Responses format. */
export interface ResponsesProfile extends Profile {
  /** True if messages require `type: "message"`. */
  readonly typeRequired: boolean;
  /** True if messages with keys of the chat format are refused. */
  readonly refusesChatKeys: boolean;
  /** True if only calls and outputs are allowed between a call and its output. */
  readonly outputsAdjacent: boolean;
  /** True for a reasoning model, where a call with an item id requires its reasoning before it. */
  readonly reasons: boolean;
  /** Matches encrypted reasoning. */
  readonly token: RegExp;
  /** True if the request continues a stored response, so that earlier items are not in the input. */
  readonly continues: boolean;
  /** True if the request is valid without items. */
  readonly mayBeEmpty: boolean;
  /** The maximum length of an item id. */
  readonly longestItemId: number;
  /** True if images sent as bytes must be PNG, JPEG, GIF or WebP. */
  readonly usualImagesOnly: boolean;
}

/** The providers of the format. */
export const responsesProviders: readonly string[] = [
  "openai",
  "azure",
  "deepseek",
  "dashscope",
  "xai",
  "groq",
  "openrouter",
  "vllm",
  "sglang",
  "llamacpp",
];

export function responsesProfile({ provider, model, body }: Request): ResponsesProfile {
  const isOpenAi = provider === undefined || provider === "openai" || provider === "azure";
  const continues = [body?.["previous_response_id"], body?.["conversation"]].some(Boolean);
  return {
    ids: { pattern: undefined, longest: 64, scope: "request", mint: "call" },
    names: { pattern: /^[a-zA-Z0-9_-]+$/, longest: Infinity },
    arguments: "text",
    argumentsAreParsed: false,
    blankArgumentsAccepted: true,
    typeRequired: provider === "azure",
    refusesChatKeys: isOpenAi,
    outputsAdjacent: provider === "deepseek",
    reasons: isReasoningModel(model ?? "") && effortOf(body) !== "none",
    token: isOpenAi ? /^gAAA\S*$/ : /^[\x21-\x7e]+$/,
    continues,
    mayBeEmpty: continues || Boolean(body?.["prompt"]),
    longestItemId: isOpenAi ? 64 : Infinity,
    usualImagesOnly: provider === "openai" || provider === "azure",
  };
}

/** True for the o-series, and for gpt-5 and later except the chat variants. */
function isReasoningModel(model: string): boolean {
  const name = model.replace(/^.*\//, "");
  return /^(?:o\d|codex-)/.test(name) || (/^gpt-(?:[5-9]|\d\d)/.test(name) && !name.includes("-chat"));
}

function effortOf(body: Request["body"]): unknown {
  const reasoning = body?.["reasoning"];
  return isRecord(reasoning) ? reasoning["effort"] : undefined;
}
