import { isRecord, UndangleError } from "#core";

import type { Model } from "../model.ts";
import { fallbackStream } from "./fallback-stream.ts";
import { mayBeAnswered } from "./failure.ts";
import { createMembers } from "./members.ts";

export interface FallbackOptions {
  /**
   * After which failures the next model is asked. Left out, after all but an answer that was filtered, and what no model could do
   * better. When the run is stopped nobody is asked any more.
   */
  readonly when?: ((error: unknown, model: Model) => boolean) | undefined;
  /** For how many milliseconds a model that failed is asked last, so that not every turn waits for it again; 60,000. */
  readonly coolDown?: number | undefined;
  /** The clock, in milliseconds. */
  readonly now?: (() => number) | undefined;
  /** For logs and events; the names of the models with arrows between them when it is left out. */
  readonly name?: string | undefined;
}

/** A model that asks the next one when one fails, also in the middle of an answer. */
export function fallback(
  ...given: readonly Model[] | readonly [...models: readonly Model[], options: FallbackOptions]
): Model {
  const last = given.at(-1);
  const options = isOptions(last) ? last : {};
  const models = [...given].filter((each): each is Model => each !== options);
  validate(models, options);
  const { when = mayBeAnswered, coolDown = 60_000, now = Date.now } = options;
  const members = createMembers(models, { coolDown, now });
  const name = options.name ?? models.map((model) => model.name).join(" → ");
  return {
    name,
    checkKey: () => (models.every((model) => model.checkKey?.() !== undefined) ? models[0]?.checkKey?.() : undefined),
    stream: (request) => fallbackStream(request, { name, members, when }),
  };
}

/** What is no model is meant as options, so that a typing error is not taken for a model that cannot answer. */
const isOptions = (value: unknown): value is FallbackOptions =>
  isRecord(value) && !("stream" in value) && !Array.isArray(value);

const kinds: Readonly<
  Record<keyof FallbackOptions, { readonly allowed: string; readonly fits: (value: unknown) => boolean }>
> = {
  when: { allowed: "a function of an error and a model", fits: (value) => typeof value === "function" },
  coolDown: { allowed: "milliseconds", fits: (value) => typeof value === "number" && value >= 0 },
  now: { allowed: "a function that returns milliseconds", fits: (value) => typeof value === "function" },
  name: { allowed: "a string", fits: (value) => typeof value === "string" && value !== "" },
};

function validate(models: readonly unknown[], options: FallbackOptions): void {
  models.forEach((value, i) => {
    const isModel = isRecord(value) && typeof value["stream"] === "function" && typeof value["name"] === "string";
    if (!isModel) throw new UndangleError("options/value", { option: `models[${i}]`, value, allowed: ["a model"] });
  });
  for (const [option, value] of Object.entries<unknown>({ ...options })) {
    const kind = Object.hasOwn(kinds, option) ? kinds[option as keyof FallbackOptions] : undefined; // it is one of them
    if (kind === undefined) throw new UndangleError("options/unknown", { option, allowed: Object.keys(kinds) });
    if (value !== undefined && !kind.fits(value)) {
      throw new UndangleError("options/value", { option, value, allowed: [kind.allowed] });
    }
  }
  if (models.length === 0) {
    throw new UndangleError("options/value", { option: "models", value: models, allowed: ["at least one model"] });
  }
}
