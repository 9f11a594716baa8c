import type { JsonObject } from "#core";

import type { Placed, Sampling } from "./conversation.ts";
import type { Losses } from "./losses.ts";

/** The parameter names of a format. The first name is written, and all of them are read. */
export type SamplingNames = { readonly [Key in keyof Sampling]?: readonly [string, ...string[]] };

/** Reads the sampling parameters of a record. */
export function readSampling(record: JsonObject, names: SamplingNames, path: string): Sampling {
  const number = (key: keyof Sampling): Placed<number> | undefined => {
    const name = nameIn(record, names[key]);
    const value = name === undefined ? undefined : record[name];
    return name === undefined || typeof value !== "number" ? undefined : { path: join(path, name), value };
  };
  const read = {
    maxTokens: number("maxTokens"),
    temperature: number("temperature"),
    topP: number("topP"),
    topK: number("topK"),
    stop: readStop(record, names.stop, path),
    seed: number("seed"),
    frequencyPenalty: number("frequencyPenalty"),
    presencePenalty: number("presencePenalty"),
  };
  return Object.fromEntries(Object.entries(read).filter(([, value]) => value !== undefined));
}

/** The keys that `readSampling` reads. */
export const samplingKeys = (names: SamplingNames): readonly string[] => Object.values(names).flat();

/** Writes the parameters under the names of a format. Those without a name are reported as losses. */
export function writeSampling(
  sampling: Sampling,
  names: SamplingNames,
  losses: Losses,
  hottest = 2,
): Record<string, unknown> {
  const written: Record<string, unknown> = {};
  for (const key of Object.keys(sampling) as readonly (keyof Sampling)[]) {
    const placed = sampling[key]; // the keys are those of the interface
    const name = names[key]?.[0];
    if (placed === undefined) continue;
    if (name === undefined) losses.add(placed.path, `the parameter ${key}`, `${losses.to} has no such parameter`);
    else written[name] = placed.value;
  }
  const { temperature } = sampling;
  const name = names.temperature?.[0];
  if (temperature !== undefined && name !== undefined && temperature.value > hottest) {
    losses.add(temperature.path, "a temperature", `${losses.to} accepts at most ${hottest}, which replaces it`);
    written[name] = hottest;
  }
  return written;
}

function readStop(
  record: JsonObject,
  names: readonly string[] | undefined,
  path: string,
): Placed<readonly string[]> | undefined {
  const name = nameIn(record, names);
  const value = name === undefined ? undefined : record[name];
  const stops = typeof value === "string" ? [value] : Array.isArray(value) ? value.map(String) : [];
  return name === undefined || stops.length === 0 ? undefined : { path: join(path, name), value: stops };
}

const nameIn = (record: JsonObject, names: readonly string[] | undefined): string | undefined =>
  names?.find((name) => record[name] !== undefined && record[name] !== null);

const join = (path: string, name: string): string => (path === "" ? name : `${path}.${name}`);
