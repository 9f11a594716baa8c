import { isRecord, UndangleError } from "#core";
import type { JsonObject } from "#core";

import type { Codec, Request } from "./codec.ts";
import { detect, fitting, listIn, modelIn, undetected } from "./detect.ts";
import { codecOf, codecs } from "./formats.ts";
import { mend } from "./mend.ts";
import { defaultPolicy } from "./options.ts";
import type { Target } from "./options.ts";

/** A history in an input, and a function that writes it back in the same shape. */
export interface Located {
  readonly codec: Codec;
  readonly request: Request;
  /** Replaces the list and the other values of the input. */
  readonly wrap: (list: readonly unknown[], body: JsonObject | undefined) => unknown;
}

/** Finds the messages of an input, by the given or detected format. */
export function locate(input: unknown, target: Target): Located {
  const { format, provider } = target;
  const codec = format === undefined ? codecFor(input, target) : codecOf(format);
  if (provider !== undefined && !codec.providers.includes(provider)) {
    throw new UndangleError("options/value", { option: "provider", value: provider, allowed: codec.providers });
  }
  return locateIn(input, codec, target);
}

function locateIn(input: unknown, codec: Codec, { provider, model }: Target): Located {
  if (Array.isArray(input)) {
    return { codec, request: { list: input, body: undefined, provider, model }, wrap: (list) => list };
  }
  const given = isRecord(input) ? input[codec.listKey] : undefined;
  if (!isRecord(input) || given === undefined) {
    const keys = isRecord(input) ? Object.keys(input) : [];
    throw new UndangleError("input/no-messages", { keys, expected: [codec.listKey] });
  }
  const list = listIn(input, codec);
  if (list === undefined) {
    const got = given === null ? "null" : typeof given;
    throw new UndangleError("input/shape", { path: codec.listKey, expected: "an array", got });
  }
  return {
    codec,
    request: { list, body: input, provider, model: model ?? modelIn(input, codec) },
    wrap: (mended, body) => ({ ...input, [codec.listKey]: mended, ...body }),
  };
}

/** The codec of the given provider, otherwise of the detected format. */
function codecFor(input: unknown, target: Target): Codec {
  const { provider } = target;
  if (provider !== undefined) {
    const served = Object.values(codecs).filter(({ providers }) => providers.includes(provider));
    const [first] = served;
    if (first !== undefined && served.length > 1) {
      const shown = detect(input);
      return served.find(({ format }) => format === shown?.format) ?? first;
    }
    if (first !== undefined) return first;
    const allowed = Object.values(codecs).flatMap(({ providers }) => providers);
    throw new UndangleError("options/value", { option: "provider", value: provider, allowed });
  }
  const detected = detect(input);
  if (detected === undefined) throw undetected(input);
  return detected.confidence === "known" ? codecs[detected.format] : agreed(input, target);
}

/** If the format is ambiguous, any format is used if all give the same result. */
function agreed(input: unknown, target: Target): Codec {
  const all = fitting(input);
  const outcomes = all.map((codec) =>
    guard(() => {
      const { list, body, edits, problems } = mend(codec, locateIn(input, codec, target).request, defaultPolicy);
      const left = problems().filter(({ repairable }) => !repairable).length;
      return edits.length === 0 && left === 0 ? "healthy" : JSON.stringify([list, body, left]);
    }),
  );
  const [first] = all;
  if (first !== undefined && new Set(outcomes).size === 1) return first;
  throw new UndangleError("format/ambiguous", { candidates: all.map(({ format }) => format) });
}

/** Converts errors of JSON serialization to an `UndangleError`. */
export function guard<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof RangeError && /call stack/i.test(error.message)) {
      throw new UndangleError("input/too-deep", { path: "a message" }, error);
    }
    if (error instanceof TypeError && /circular|cyclic/i.test(error.message)) {
      throw new UndangleError("input/cyclic", { path: "a message" }, error);
    }
    if (error instanceof TypeError && /BigInt/.test(error.message)) {
      const data = { path: "A value of a message", expected: "JSON", got: "a BigInt" };
      throw new UndangleError("input/shape", data, error);
    }
    throw error;
  }
}
