import { UndangleError } from "#core";

import type { Model } from "../model.ts";
import { streamReply } from "./demo-stream.ts";
import { replyTo } from "./reply.ts";

export interface DemoModelOptions {
  /** For logs and events. */
  readonly name?: string | undefined;
  /** Milliseconds between two pieces of an answer; 0 gives it at once. */
  readonly pace?: number | undefined;
  /** The clock by which it knows what day tomorrow is, for tests. */
  readonly now?: (() => number) | undefined;
}

/**
 * A model that needs no key and no network: it calls the tools that a message speaks of, tells truly what came of them, and says
 * the same to the same conversation, in English or in Chinese. It shows what is around it; it knows nothing.
 */
export function demoModel(options: DemoModelOptions = {}): Model {
  validate(options);
  const { name = "demo", pace = 15, now = Date.now } = options;
  return {
    name,
    stream: (request) => streamReply(() => replyTo(request, now()), request, { name, pace }),
  };
}

const checks: Readonly<Record<keyof DemoModelOptions, readonly [fits: (value: unknown) => boolean, allowed: string]>> =
  {
    name: [(value) => typeof value === "string", "a text"],
    pace: [(value) => typeof value === "number" && value >= 0 && value < Infinity, "milliseconds, from 0 on"],
    now: [(value) => typeof value === "function", "a function"],
  };

/** Refuses options that do not exist and values that mean nothing. */
function validate(options: DemoModelOptions): void {
  for (const [option, value] of Object.entries<unknown>({ ...options })) {
    const check = Object.hasOwn(checks, option) ? checks[option as keyof DemoModelOptions] : undefined; // it has it
    if (check === undefined) throw new UndangleError("options/unknown", { option, allowed: Object.keys(checks) });
    const [fits, allowed] = check;
    if (value !== undefined && !fits(value))
      throw new UndangleError("options/value", { option, value, allowed: [allowed] });
  }
}
