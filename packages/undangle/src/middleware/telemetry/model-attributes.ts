import type { Attributes } from "./open-telemetry.ts";

/** The attributes of a model, by its name: `openai/gpt-5.1`. */
export function modelAttributes(name: string): Attributes {
  const { provider, id } = modelOf(name);
  return { "gen_ai.provider.name": provider, "gen_ai.request.model": id };
}

/** The provider and model id of a name. For a list of fallbacks, the first one. */
export function modelOf(name: string): { readonly provider: string; readonly id: string } {
  const [first = name] = name.split(" → ");
  const [, prefix, id] = /^([^/]+)\/(.+)$/su.exec(first) ?? [];
  if (prefix === undefined || id === undefined) return { provider: "_OTHER", id: first };
  return { provider: conventional[prefix] ?? prefix, id };
}

/** The provider names of OpenTelemetry, where they differ from ours. */
const conventional: Readonly<Record<string, string>> = {
  azure: "azure.ai.openai",
  bedrock: "aws.bedrock",
  gemini: "gcp.gemini",
  google: "gcp.gemini",
  mistral: "mistral_ai",
  moonshot: "moonshot_ai",
  vertex: "gcp.vertex_ai",
  xai: "x_ai",
};
