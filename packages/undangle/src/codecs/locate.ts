import { isRecord, UndangleError } from "#core";

import type { Codec, Request } from "./codec.ts";
import { detectFormat } from "./detect.ts";
import { codecOf } from "./formats.ts";
import type { Target } from "./options.ts";

/** A history found in an input, and the way back into the same shape. */
export interface Located {
  readonly codec: Codec;
  readonly request: Request;
  /** The input with another list and other values around it. */
  readonly wrap: (list: readonly unknown[], body: Readonly<Record<string, unknown>> | undefined) => unknown;
}

/** Finds the messages of an input, by the format that is given or that the input shows. */
export function locate(input: unknown, { format, provider, model }: Target): Located {
  const named = format ?? formatOfProvider(provider);
  const codec = codecOf(named ?? detectFormat(input));
  if (provider !== undefined && !codec.providers.includes(provider)) {
    throw new UndangleError("options/value", { option: "provider", value: provider, allowed: codec.providers });
  }
  if (Array.isArray(input)) {
    return { codec, request: { list: input, body: undefined, provider, model }, wrap: (list) => list };
  }
  const list = isRecord(input) ? input[codec.listKey] : undefined;
  if (!isRecord(input) || list === undefined) {
    const keys = isRecord(input) ? Object.keys(input) : [];
    throw new UndangleError("input/no-messages", { keys, expected: [codec.listKey] });
  }
  if (!Array.isArray(list)) {
    const got = list === null ? "null" : typeof list;
    throw new UndangleError("input/shape", { path: codec.listKey, expected: "an array", got });
  }
  const bodyModel = input["model"];
  return {
    codec,
    request: { list, body: input, provider, model: model ?? (typeof bodyModel === "string" ? bodyModel : undefined) },
    wrap: (mended, body) => ({ ...input, [codec.listKey]: mended, ...body }),
  };
}

function formatOfProvider(provider: string | undefined): string | undefined {
  if (provider === undefined) return undefined;
  if (provider === "anthropic") return "anthropic";
  return codecOf("openai-chat").providers.includes(provider) ? "openai-chat" : undefined;
}
