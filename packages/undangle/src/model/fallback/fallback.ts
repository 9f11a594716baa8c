import { isRecord, UndangleError } from "#core";

import type { Model } from "../model.ts";
import { fallbackStream } from "./fallback-stream.ts";
import { mayBeAnswered } from "./failure.ts";
import { createMembers } from "./members.ts";

export interface FallbackOptions {
  /**
   * The failures after which the next model is used. By default all but a filtered response and errors that no model
   * can avoid. A stopped run uses no further model.
   */
  readonly when?: ((error: unknown, model: Model) => boolean) | undefined;
  /** The milliseconds for which a failed model is tried last, so that not every turn waits for it (default: 60,000). */
  readonly coolDown?: number | undefined;
  readonly now?: (() => number) | undefined;
  /** The name for logs and events. By default the names of the models, joined by arrows. */
  readonly name?: string | undefined;
}

/** A model that falls back to the next model when one fails, even in the middle of a response. */
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
    models,
    checkKey: () => (models.every((model) => model.checkKey?.() !== undefined) ? models[0]?.checkKey?.() : undefined),
    stream: (request) => fallbackStream(request, { name, members, when }),
  };
}

/** A value that is not a model is checked as options, so that a typing error is reported as such. */
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
    const kind = Object.hasOwn(kinds, option) ? kinds[option as keyof FallbackOptions] : undefined; // a known option
    if (kind === undefined) throw new UndangleError("options/unknown", { option, allowed: Object.keys(kinds) });
    if (value !== undefined && !kind.fits(value)) {
      throw new UndangleError("options/value", { option, value, allowed: [kind.allowed] });
    }
  }
  if (models.length === 0) {
    throw new UndangleError("options/value", { option: "models", value: models, allowed: ["at least one model"] });
  }
}
