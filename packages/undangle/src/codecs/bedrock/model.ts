import { isRecord } from "#core";

import { modelOf as claudeOf } from "../anthropic/model.ts";
import type { Request } from "../codec.ts";
import type { Wire } from "./block.ts";

/** What is known of a model on Bedrock; the rules of a model that is not known are silent. */
export interface Model {
  /** As the request names it; "" when it does not. */
  readonly name: string;
  readonly isClaude: boolean;
  /** True if system messages may be between the turns; undefined if unknown. */
  readonly takesSystem: boolean | undefined;
  /** Calls or results and other content do not share a turn. */
  readonly refusesMixedTurns: boolean;
  /** Takes reasoning without a signature, and refuses an empty one. */
  readonly refusesEmptySignature: boolean;
  /** True for a managed prompt, whose request needs no messages. */
  readonly isPrompt: boolean;
  /** Thinking is on, and a running tool loop has to start with it. */
  readonly thinks: boolean;
}

/** Reads the properties of a model from its name, and the parameter that only Claude has. */
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

function thinkingOf(body: Wire | undefined): unknown {
  const fields = body?.["additionalModelRequestFields"];
  const thinking = isRecord(fields) ? fields["thinking"] : undefined;
  return isRecord(thinking) ? thinking["type"] : undefined;
}
