import { suggest, UndangleError } from "#core";

import { demoModel } from "./demo/demo-model.ts";
import type { HttpModelOptions } from "./http-model-options.ts";
import type { Model } from "./model.ts";
import { anthropic } from "./providers/anthropic.ts";
import { gemini } from "./providers/gemini.ts";
import { mistral } from "./providers/mistral.ts";
import { ollama } from "./providers/ollama.ts";
import { openaiCompatible } from "./providers/openai-compatible.ts";
import { openai } from "./providers/openai.ts";
import { presetNames } from "./providers/presets.ts";

/** The model of a name such as `openai/gpt-5.1`, `ollama/qwen3:8b`, `openrouter/z-ai/glm-4.6` or `demo`. */
export function modelNamed(name: string, options: HttpModelOptions = {}): Model {
  if (name === "demo") return demoModel(options.name === undefined ? {} : { name: options.name });
  const [, provider = "", id = ""] = typeof name === "string" ? (/^([^/]*)\/(.*)$/su.exec(name) ?? []) : [];
  const known = providerNames.find((each) => each === provider.toLowerCase());
  if (known === undefined || id.trim() === "") {
    throw new UndangleError("model/unknown", {
      name,
      suggestions: suggestionsFor(name, provider, id),
      known: providerNames,
    });
  }
  const make = makers.get(known);
  return make === undefined ? openaiCompatible({ ...options, provider: known })(id) : make(id, options);
}

const makers: ReadonlyMap<string, (id: string, options: HttpModelOptions) => Model> = new Map([
  ["openai", openai],
  ["anthropic", anthropic],
  ["gemini", gemini],
  ["mistral", mistral],
  ["ollama", ollama],
]);

const providerNames: readonly string[] = [...makers.keys(), ...presetNames];

/** The providers of well-known model names. */
const owners: readonly (readonly [begin: RegExp, provider: string])[] = [
  [/^(?:gpt-(?!oss)|o\d|chatgpt|codex)/iu, "openai"],
  [/^claude/iu, "anthropic"],
  [/^gemini/iu, "gemini"],
  [/^(?:mi[sx]tral|magistral|codestral|devstral|ministral)/iu, "mistral"],
  [/^deepseek/iu, "deepseek"],
  [/^(?:kimi|moonshot)/iu, "moonshot"],
  [/^glm/iu, "zhipu"],
  [/^qwen/iu, "dashscope"],
  [/^minimax/iu, "minimax"],
  [/^grok/iu, "xai"],
];

/** Aliases of providers. */
const aliases: Readonly<Record<string, string>> = {
  google: "gemini",
  claude: "anthropic",
  kimi: "moonshot",
  "z-ai": "zhipu",
  zai: "zhipu",
  glm: "zhipu",
  qwen: "dashscope",
  alibaba: "dashscope",
  grok: "xai",
  "llama.cpp": "llamacpp",
  "lm-studio": "lmstudio",
};

function suggestionsFor(name: unknown, provider: string, id: string): readonly string[] {
  if (typeof name !== "string" || name.trim() === "") return [];
  if (provider === "") {
    const bare = name.replace(/^\/+/u, "");
    const word = aliases[bare.toLowerCase()] ?? bare.toLowerCase();
    if (providerNames.includes(word)) return [`${word}/ID`];
    return owners.filter(([begin]) => begin.test(bare)).map(([, owner]) => `${owner}/${bare}`);
  }
  const meant = aliases[provider.toLowerCase()] ?? suggest(provider, providerNames);
  return meant === undefined ? [`openrouter/${name}`] : [`${meant}/${id === "" ? "ID" : id}`];
}
