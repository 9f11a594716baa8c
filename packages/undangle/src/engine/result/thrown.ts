import { UndangleError } from "#core";

import { writeJson } from "./write-json.ts";

/**
 * The message of a thrown value, without a stack, which does not help a model. Any value can be thrown, even one that
 * throws when it is read.
 */
export function thrownText(thrown: unknown): string {
  try {
    if (thrown instanceof AggregateError && thrown.message === "") return thrown.errors.map(thrownText).join("; ");
    if (thrown instanceof Error) return thrown.message || (thrown.name === "Error" ? "" : thrown.name);
    if (typeof thrown === "object" && thrown !== null) {
      if ("message" in thrown && typeof thrown.message === "string" && thrown.message !== "") return thrown.message;
      const json = writeJson(thrown, "en");
      return "json" in json && json.json !== "{}" ? json.json : "";
    }
    const value = thrown as number | symbol | undefined; // any value that is not an object
    return value === undefined ? "" : String(value);
  } catch {
    return ""; // the caller reports that nothing is known
  }
}

/** Converts a thrown value to an error with a code. External errors and bugs become its cause. */
export const asError = (thrown: unknown): UndangleError =>
  thrown instanceof UndangleError
    ? thrown
    : new UndangleError("run/failed", { message: thrownText(thrown) || "the reason is not known" }, thrown);
