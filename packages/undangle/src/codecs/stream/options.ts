import { UndangleError } from "#core";

import type { StreamFormat } from "./formats.ts";

/** What is known about a stream, and how far its reading may go. */
export interface AssembleOptions {
  readonly format: StreamFormat;
  /** The tools that were offered: names, or their definitions in any format. They settle doubts about names. */
  readonly tools?: readonly unknown[] | Readonly<Record<string, unknown>> | undefined;
  /** The content type of the answer; what comes is told by its looks, so that it is seldom needed. */
  readonly contentType?: string | undefined;
  /** The ids of the calls of the conversation so far: no call of this turn gets one of them. */
  readonly knownIds?: Iterable<string> | undefined;
  /** Reads arguments that are almost JSON; such a call has the state `repaired`. */
  readonly lenientArguments?: boolean | undefined;
  /** Recovers calls that a model wrote as text, for names in `tools`. */
  readonly recoverLeaked?: boolean | undefined;
}

const kinds: Readonly<
  Record<keyof AssembleOptions, { readonly allowed: string; readonly fits: (value: unknown) => boolean }>
> = {
  format: { allowed: "a format", fits: (value) => typeof value === "string" },
  tools: { allowed: "a list of tools", fits: (value) => typeof value === "object" && value !== null },
  contentType: { allowed: "a string", fits: (value) => typeof value === "string" },
  knownIds: {
    allowed: "ids",
    fits: (value) => typeof value === "object" && value !== null && Symbol.iterator in value,
  },
  lenientArguments: { allowed: "true or false", fits: (value) => typeof value === "boolean" },
  recoverLeaked: { allowed: "true or false", fits: (value) => typeof value === "boolean" },
};

/** Refuses options that do not exist and values that mean nothing. */
export function validateAssembleOptions(options: AssembleOptions): void {
  if (typeof options !== "object" || options === null) {
    throw new UndangleError("options/value", {
      option: "options",
      value: options,
      allowed: ["an object with a format"],
    });
  }
  for (const [option, value] of Object.entries<unknown>({ ...options })) {
    const kind = Object.hasOwn(kinds, option) ? kinds[option as keyof AssembleOptions] : undefined;
    if (kind === undefined) throw new UndangleError("options/unknown", { option, allowed: Object.keys(kinds) });
    if (value !== undefined && !kind.fits(value)) {
      throw new UndangleError("options/value", { option, value, allowed: [kind.allowed] });
    }
  }
}
