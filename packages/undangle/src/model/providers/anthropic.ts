import { markAnthropicCache } from "#codecs";

import { httpModel } from "../http/http-model.ts";
import type { HttpModelOptions, ReasoningEffort } from "../http-model-options.ts";
import type { Model } from "../model.ts";
import { claudeModel } from "./claude-model.ts";
import { effortBudget, effortWord } from "./effort.ts";
import { forcesCall, joined } from "./provider.ts";
import type { Asked, Fields, Provider } from "./provider.ts";
import { sentSchema } from "./structured-output.ts";

/** A model of Anthropic: `anthropic("claude-sonnet-5-5")`. */
export function anthropic(id: string, options: HttpModelOptions = {}): Model {
  return httpModel(anthropicProvider, id, options);
}

const anthropicProvider: Provider = {
  name: "anthropic",
  format: "anthropic",
  baseURL: "https://api.anthropic.com",
  baseVariables: ["ANTHROPIC_BASE_URL"],
  keyVariables: ["ANTHROPIC_API_KEY"],
  url: (base) => joined(base.replace(/\/v1\/*$/u, ""), "/v1/messages"),
  headers: (key) => ({ "anthropic-version": "2023-06-01", ...(key !== undefined && { "x-api-key": key }) }),
  maxTokens: (id, { maxTokens = claudeModel(id).maxTokens, reasoning }) => {
    const budget = budgetFor(id, reasoning) ?? 0; // the limit includes thinking, and must leave room for text
    return Math.max(maxTokens, Math.min(maxTokens + budget, claudeModel(id).mostTokens));
  },
  body: fields,
  forcing: () => "thoughtless",
  cache: {
    write: (body, { ttl }, { system }) => {
      const memory = system.find(({ isVolatile, text }) => isVolatile === true && text.trim() !== "");
      return markAnthropicCache(body, { ttl, volatileText: memory?.text });
    },
  },
  lacks: ["seed"],
};

function fields({ id, options, request }: Asked): Fields {
  const { isAdaptive, keepsSchemas } = claudeModel(id);
  const { reasoning } = options;
  const { output } = request;
  const thinks = reasoning !== undefined && reasoning !== "none";
  const isForced = forcesCall(request); // refused together with thinking
  const budget = budgetFor(id, reasoning);
  const sent = keepsSchemas && output !== undefined ? sentSchema(output) : undefined;
  const config = {
    ...(thinks && isAdaptive && { effort: effortWord(reasoning) }),
    ...(sent?.isStrict === true && { format: { type: "json_schema", schema: sent.schema } }),
  };
  return {
    ...unwanted(id, options, thinks && !isForced),
    ...(reasoning === "none" && { thinking: { type: "disabled" } }),
    ...(thinks &&
      !isForced && { thinking: isAdaptive ? { type: "adaptive" } : { type: "enabled", budget_tokens: budget } }),
    ...(Object.keys(config).length > 0 && { output_config: config }),
  };
}

/** The parameters that the model refuses: all with thinking, and for newer versions both together, or any. */
function unwanted(id: string, { temperature, topP }: HttpModelOptions, isThinking: boolean): Fields {
  const { sampling } = claudeModel(id);
  if (isThinking || sampling === "none") return { temperature: undefined, top_p: undefined };
  return sampling === "one" && temperature !== undefined && topP !== undefined ? { top_p: undefined } : {};
}

/** The least number of tokens for text, if the limit includes thinking. */
const roomToSpeak = 4096;

/** The thinking budget for a model that requires a number; the API minimum is 1,024. */
function budgetFor(id: string, reasoning: ReasoningEffort | undefined): number | undefined {
  const { isAdaptive, mostTokens } = claudeModel(id);
  if (reasoning === undefined || reasoning === "none" || isAdaptive) return undefined;
  return Math.max(1024, Math.min(effortBudget(reasoning), mostTokens - roomToSpeak));
}
