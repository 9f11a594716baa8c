import { codecOf, repair } from "#codecs";
import type { Setting } from "#codecs";
import { isRecord } from "#core";
import type { JsonObject } from "#core";

import type { HttpModelOptions } from "../http-model-options.ts";
import type { ModelSampling, ModelToolChoice } from "../model.ts";
import type { Asked, Provider } from "../providers/provider.ts";
import { toolSchema } from "./tool-schema.ts";
import type { HistoryWriter, Place } from "./written-history.ts";

/** The body of a request, valid for its provider regardless of the history. */
export function writeRequest(
  provider: Provider,
  { id, options, request }: Asked,
  { write, place }: { readonly write: HistoryWriter; readonly place: Place },
): JsonObject {
  const asked = { id, options: { ...options, ...said(request.sampling) }, request };
  const { format } = provider;
  const { body: written, sent } = write(request, settingOf(provider, asked), place);
  const own = options.body ?? {};
  const body = merged(merged(renamed(written, provider.renames), provider.body(asked)), own);
  // Added fields, such as thinking, may require more of the history. Messages that were already checked are valid.
  const { output } = repair(body, { format, provider: place.profile, model: id, language: request.language });
  if (!(codecOf(format).listKey in own)) sent(output);
  // Markers move with every request, so they are not part of what is sent again.
  return request.cache === undefined ? output : (provider.cache?.write(output, request.cache, request) ?? output);
}

function settingOf(provider: Provider, { id, options, request }: Asked): Setting {
  const { tools, toolChoice, parallelCalls = options.parallelCalls } = request;
  const hasTools = tools.length > 0; // providers refuse tool fields without tools
  return {
    model: id,
    isStreamed: true,
    tools: tools.map(({ name, description, schema }) => ({
      path: "tools",
      name,
      description,
      schema: toolSchema(schema),
      isCustom: false,
      isStrict: false,
    })),
    toolChoice: hasTools && toolChoice !== undefined ? choiceOf(toolChoice) : undefined,
    isParallel: hasTools && parallelCalls !== undefined ? placed(parallelCalls, "parallelCalls") : undefined,
    sampling: samplingOf(options, provider.maxTokens?.(id, options) ?? options.maxTokens),
  };
}

function choiceOf(choice: ModelToolChoice): Setting["toolChoice"] {
  if (typeof choice === "string") return { path: "toolChoice", type: choice };
  return { path: "toolChoice", type: "tool", name: choice.tool };
}

function samplingOf(options: HttpModelOptions, maxTokens: number | undefined): Setting["sampling"] {
  const { temperature, topP, stop, seed } = options;
  return {
    ...(maxTokens !== undefined && { maxTokens: placed(maxTokens, "maxTokens") }),
    ...(temperature !== undefined && { temperature: placed(temperature, "temperature") }),
    ...(topP !== undefined && { topP: placed(topP, "topP") }),
    ...(stop !== undefined && stop.length > 0 && { stop: placed(stop, "stop") }),
    ...(seed !== undefined && { seed: placed(seed, "seed") }),
  };
}

/** The sampling parameters of the request. */
const said = (sampling: ModelSampling = {}): ModelSampling =>
  Object.fromEntries(Object.entries(sampling).filter(([, value]) => value !== undefined));

const placed = <T>(value: T, path: string): { readonly path: string; readonly value: T } => ({ path, value });

function renamed(body: JsonObject, names: Readonly<Record<string, string>> = {}): JsonObject {
  if (!Object.keys(names).some((name) => name in body)) return body;
  return Object.fromEntries(Object.entries(body).map(([key, value]) => [names[key] ?? key, value]));
}

/** Merges two bodies. The second takes precedence, and objects are merged by key. */
function merged(body: JsonObject, more: JsonObject): JsonObject {
  const together: Record<string, unknown> = { ...body };
  for (const [key, value] of Object.entries(more)) {
    const known = together[key];
    together[key] = isRecord(known) && isRecord(value) ? { ...known, ...value } : value;
  }
  return together;
}
