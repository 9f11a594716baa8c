import { UndangleError } from "#core";

import { thrownText } from "../result/thrown-text.ts";

/** Converts a thrown value to an error with a code. External errors and bugs become its cause. */
export const asError = (thrown: unknown): UndangleError =>
  thrown instanceof UndangleError
    ? thrown
    : new UndangleError("run/failed", { message: thrownText(thrown) || "the reason is not known" }, thrown);
