import { codecOf } from "#codecs";
import { UndangleError } from "#core";

import { httpModel } from "../http/http-model.ts";
import type { HttpModelOptions } from "../http-model-options.ts";
import type { Model } from "../model.ts";
import { chatFields } from "./chat-fields.ts";
import { azurePlace, checkAzure } from "./azure.ts";
import type { AzureOptions } from "./azure.ts";
import { effortWord } from "./effort.ts";
import { presetNames, presets } from "./presets.ts";
import type { Preset, PresetName } from "./presets.ts";
import { bearer, forcesCall, joined, localTimeouts } from "./provider.ts";
import type { Asked, Fields, Provider } from "./provider.ts";

export interface CompatibleOptions extends HttpModelOptions, AzureOptions {
  /** A preset with a known address, or the provider whose rules apply. Without a preset, `baseURL` is required. */
  readonly provider?: PresetName | (string & {}) | undefined;
}

/** Models of an OpenAI-compatible chat server: `openaiCompatible({ provider: "deepseek" })("deepseek-chat")`. */
export function openaiCompatible({ provider, resource, deployment, apiVersion, ...options }: CompatibleOptions = {}): (
  id: string,
) => Model {
  const known = [...new Set([...presetNames, ...codecOf("openai-chat").providers])];
  if (provider !== undefined && !known.includes(provider)) {
    throw new UndangleError("options/value", { option: "provider", value: provider, allowed: known });
  }
  const azure = { resource, deployment, apiVersion };
  checkAzure(azure, provider);
  const preset: Preset | undefined = presetNames.includes(provider ?? "")
    ? presets[provider as PresetName] // the name of a preset
    : undefined;
  if (preset?.baseURL === undefined && provider !== "azure" && options.baseURL === undefined) {
    const orPreset = provider === undefined ? "; or omit it and set provider, such as deepseek" : "";
    const allowed = [`the address of the server, such as http://127.0.0.1:8000/v1${orPreset}`];
    throw new UndangleError("options/value", { option: "baseURL", value: undefined, allowed });
  }
  const plain = rowOf(provider, preset);
  const row = provider === "azure" ? { ...plain, ...azurePlace(azure, plain) } : plain;
  return (id) => httpModel(row, id, options);
}

function rowOf(provider: string | undefined, preset: Preset | undefined): Provider {
  const profile = preset?.profile ?? provider;
  return {
    name: provider ?? "compatible",
    format: "openai-chat",
    ...(profile !== undefined && { profile }),
    baseURL: preset?.baseURL ?? "",
    baseVariables: preset?.baseVariables ?? [],
    keyVariables: preset?.keyVariables ?? [],
    needsKey: preset !== undefined && preset.needsKey !== false,
    ...(preset?.needsKey === false && { timeouts: localTimeouts }),
    url: (base) => joined(base, "/chat/completions"),
    headers: bearer,
    // Only OpenAI supports the new name of the limit.
    ...(profile === undefined && { renames: { max_completion_tokens: "max_tokens" } }),
    ...(profile === "mistral" && { renames: { seed: "random_seed" } }),
    ...(preset?.forcing !== undefined && { forcing: preset.forcing }),
    ...(preset?.thinksAloud === true && { thinksAloud: true }),
    ...(preset?.cache !== undefined && { cache: preset.cache }),
    body: (asked) => ({
      ...chatFields(asked, preset ?? { usage: profile !== "mistral" }),
      ...preset?.fields,
      ...thinkingFields(asked, preset),
    }),
  };
}

function thinkingFields({ id, options: { reasoning }, request }: Asked, preset: Preset | undefined): Fields {
  const isForced = preset?.forcing !== undefined && forcesCall(request);
  const thinksByItself = preset?.forcing?.(id) === "thoughtless"; // thinking must be disabled even without a setting
  const effort = isForced && (thinksByItself || reasoning !== undefined) ? "none" : reasoning;
  return effort === undefined ? {} : (preset?.thinking ?? plainEffort)(effort, id);
}

/** Supported or ignored by most servers. */
const plainEffort: NonNullable<Preset["thinking"]> = (effort) => ({ reasoning_effort: effortWord(effort) });
