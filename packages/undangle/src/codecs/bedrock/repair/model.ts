import { isRecord } from "#core";
import type { JsonObject } from "#core";

import { modelOf as claudeOf } from "../../anthropic/model.ts";
import type { Request } from "../../codec.ts";

/** The properties of a model on Bedrock. Rules that require a known model do not apply to others. */
export interface Model {
  /** The name in the request, or "". */
  readonly name: string;
  readonly isClaude: boolean;
  /** True if system messages may be between the turns; undefined if unknown. */
  readonly takesSystem: boolean | undefined;
  /** True if a turn must not contain both tool blocks and other content. */
  readonly refusesMixedTurns: boolean;
  /** True if reasoning is accepted without a signature, but not with an empty one. */
  readonly refusesEmptySignature: boolean;
  /** True for a managed prompt, which requires no messages in the request. */
  readonly isPrompt: boolean;
  /** True if thinking is enabled, so that a running tool loop must start with it. */
  readonly thinks: boolean;
}

/** Derives the properties of a model from its name, and from a parameter that only Claude has. */
export function modelOf({ model, body }: Pick<Request, "model" | "body">): Model {
  const named = body?.["modelId"];
  const name = model ?? (typeof named === "string" ? named : "");
  const thinking = thinkingOf(body) === "enabled";
  const isOther = others.test(name);
  const isClaude = /claude/i.test(name) || (thinking && !isOther);
  return {
    name,
    isClaude,
    takesSystem: isClaude ? claudeOf(name).takesSystem : isOther ? false : undefined,
    refusesMixedTurns: !isClaude && /cohere|mi[sx]tral|llama/i.test(name),
    refusesEmptySignature: /nova|minimax/i.test(name),
    isPrompt: /^arn:[^:]*:bedrock:[^:]*:[^:]*:prompt\//.test(name),
    thinks: isClaude && thinking,
  };
}

const others =
  /\b(?:amazon|cohere|meta|mistral|ai21|deepseek|minimax|qwen|openai|writer|moonshotai?|zai|google|nvidia)\.|nova|titan|llama|mi[sx]tral/i;

function thinkingOf(body: JsonObject | undefined): unknown {
  const fields = body?.["additionalModelRequestFields"];
  const thinking = isRecord(fields) ? fields["thinking"] : undefined;
  return isRecord(thinking) ? thinking["type"] : undefined;
}
