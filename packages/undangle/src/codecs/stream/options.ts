import { UndangleError } from "#core";
import type { JsonObject } from "#core";

import type { StreamFormat } from "./formats.ts";

/** Facts about a stream, and options of its assembly. */
export interface AssembleOptions {
  readonly format: StreamFormat;
  /** The offered tools: names, or definitions in any format. They resolve ambiguous names. */
  readonly tools?: readonly unknown[] | JsonObject | undefined;
  /** The content type of the response. Rarely needed, because the content is detected. */
  readonly contentType?: string | undefined;
  /** Call ids of the conversation so far. Generated ids avoid them. */
  readonly knownIds?: Iterable<string> | undefined;
  /** Accepts arguments that are almost JSON. Such a call has the state `repaired`. */
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

/** Throws for unknown options and invalid values. */
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
