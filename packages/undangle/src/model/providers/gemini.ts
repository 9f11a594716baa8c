import { httpModel } from "../http/http-model.ts";
import type { HttpModelOptions, ReasoningEffort } from "../http-model-options.ts";
import type { Model } from "../model.ts";
import { effortBudget, effortWord } from "./effort.ts";
import { joined } from "./provider.ts";
import type { Asked, Fields, Provider } from "./provider.ts";
import { sentSchema } from "./structured-output.ts";

/** A model of Google: `gemini("gemini-2.5-flash")`. */
export function gemini(id: string, options: HttpModelOptions = {}): Model {
  return httpModel(geminiProvider, id, options);
}

const geminiProvider: Provider = {
  name: "gemini",
  format: "gemini",
  baseURL: "https://generativelanguage.googleapis.com",
  baseVariables: ["GOOGLE_GEMINI_BASE_URL", "GEMINI_BASE_URL"],
  keyVariables: ["GEMINI_API_KEY", "GOOGLE_API_KEY"],
  url: (base, id) => {
    const [, version] = /\/(v\d\w*)\/*$/u.exec(base) ?? [];
    const [, kind = "models", name = id] = /^(models|tunedModels)\/(.+)$/u.exec(id) ?? [];
    const path = `/${kind}/${encodeURIComponent(name)}:streamGenerateContent?alt=sse`;
    return joined(base, version === undefined ? `/v1beta${path}` : path);
  },
  headers: (key) => (key === undefined ? {} : { "x-goog-api-key": key }),
  body: fields,
};

function fields({ id, options: { reasoning }, request: { output, tools } }: Asked): Fields {
  const sent = output === undefined ? undefined : sentSchema(output);
  // Before Gemini 3, a response schema beside tools is refused.
  const isAsked = tools.length === 0 || (isThird(id) && sent?.isStrict === true);
  const config = {
    ...(sent !== undefined && isAsked && { responseMimeType: "application/json", responseJsonSchema: sent.schema }),
    ...(reasoning !== undefined && { thinkingConfig: thinking(id, reasoning) }),
  };
  return {
    model: undefined, // it is in the URL
    ...(Object.keys(config).length > 0 && { generationConfig: config }),
  };
}

/** Gemini 3 and later. */
const isThird = (id: string): boolean => /gemini-(?:[3-9]|\d\d)/u.test(id);

function thinking(id: string, reasoning: ReasoningEffort): Fields {
  const isNone = reasoning === "none";
  if (isThird(id)) {
    const least = /flash/u.test(id) ? "minimal" : "low";
    return { thinkingLevel: isNone ? least : effortWord(reasoning), includeThoughts: !isNone };
  }
  const least = /2\.5-pro/u.test(id) ? 128 : 0; // this model cannot disable thinking
  return { thinkingBudget: Math.max(least, effortBudget(reasoning)), includeThoughts: !isNone };
}
