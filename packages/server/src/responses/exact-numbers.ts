import { inexactNumbers } from "undangle/agent";

import { ApiError } from "./api-error.ts";

/** Refuses a body with a number that JavaScript cannot represent exactly. A tool would run with another number. */
export function demandExactNumbers(text: string): void {
  const [found] = inexactNumbers(text);
  if (found === undefined) return;
  const { path, written, runs } = found;
  const why = Number.isFinite(Number(written)) ? `would be read as ${runs}` : "is too large for a number";
  throw new ApiError(
    400,
    "number-inexact",
    `${path}: ${shortened(written)} ${why}. Write a number with fewer digits.`,
    { param: path },
  );
}

const shortened = (written: string): string => (written.length > 40 ? `${written.slice(0, 40)}…` : written);
