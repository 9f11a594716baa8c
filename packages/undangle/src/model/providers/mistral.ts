import { httpModel } from "../http/http-model.ts";
import type { HttpModelOptions } from "../http-model-options.ts";
import type { Model } from "../model.ts";
import { chatFields } from "./chat-fields.ts";
import { effortWord } from "./effort.ts";
import { bearer, joined } from "./provider.ts";
import type { Asked, Fields, Provider } from "./provider.ts";

/** A model of Mistral: `mistral("mistral-large-latest")`. */
export function mistral(id: string, options: HttpModelOptions = {}): Model {
  return httpModel(mistralProvider, id, options);
}

const mistralProvider: Provider = {
  name: "mistral",
  format: "openai-chat",
  profile: "mistral",
  baseURL: "https://api.mistral.ai/v1",
  baseVariables: ["MISTRAL_BASE_URL"],
  keyVariables: ["MISTRAL_API_KEY"],
  url: (base) => joined(base, "/chat/completions"),
  headers: bearer,
  body: (asked) => ({ ...chatFields(asked, { output: "alone", usage: false }), ...thinking(asked) }),
  renames: { seed: "random_seed" },
};

/** Magistral has a reasoning mode. Other models support only all or nothing, until Large 4. */
function thinking({ id, options: { reasoning } }: Asked): Fields {
  if (reasoning === undefined) return {};
  if (/magistral/u.test(id)) return { prompt_mode: reasoning === "none" ? null : "reasoning" };
  if (reasoning !== "none") return { reasoning_effort: /large-4/u.test(id) ? effortWord(reasoning) : "high" };
  return /small|medium/u.test(id) ? { reasoning_effort: "none" } : {}; // the others do not reason
}
