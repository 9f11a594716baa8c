import { isRecord } from "#core";
import type { Profile } from "#core";

import type { Request } from "../codec.ts";

/** What one server of the Responses format wants. */
export interface ResponsesProfile extends Profile {
  /** True if messages require `type: "message"`. */
  readonly typeRequired: boolean;
  /** Messages with keys that only the chat format has are refused. */
  readonly refusesChatKeys: boolean;
  /** True if only calls and outputs may come between a call and its output. */
  readonly outputsAdjacent: boolean;
  /** The model reasons: a call that is sent with its item id needs its reasoning before it. */
  readonly reasons: boolean;
  /** What encrypted reasoning looks like. */
  readonly token: RegExp;
  /** The request continues what the server has stored: what came before is not in the input. */
  readonly continues: boolean;
  /** True if the request is valid without items. */
  readonly mayBeEmpty: boolean;
  /** The longest id that an item may have. */
  readonly longestItemId: number;
  /** An image that is sent as bytes is PNG, JPEG, GIF or WebP. */
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

/** The o-series, and gpt-5 and later but for the chat variants, which do not reason. */
function isReasoningModel(model: string): boolean {
  const name = model.replace(/^.*\//, "");
  return /^(?:o\d|codex-)/.test(name) || (/^gpt-(?:[5-9]|\d\d)/.test(name) && !name.includes("-chat"));
}

function effortOf(body: Request["body"]): unknown {
  const reasoning = body?.["reasoning"];
  return isRecord(reasoning) ? reasoning["effort"] : undefined;
}
