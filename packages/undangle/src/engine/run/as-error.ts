import { UndangleError } from "#core";

import { thrownText } from "../result/thrown-text.ts";

/** Whatever was thrown as an error with a code: what comes from outside, or is a bug, is the cause of one. */
export const asError = (thrown: unknown): UndangleError =>
  thrown instanceof UndangleError
    ? thrown
    : new UndangleError("run/failed", { message: thrownText(thrown) || "the reason is not known" }, thrown);
