import { UndangleError } from "#core";

import { failureKind } from "./http/failure-texts.ts";

/** True for the error of a provider whose model cannot read a request because of its length. */
export function isContextOverflow(error: unknown): boolean {
  if (error instanceof UndangleError) return error.code === "model/context-overflow";
  if (!(error instanceof Error)) return false;
  return ("status" in error && error.status === 413) || failureKind(error.message) === "overflow"; // a custom model throws errors of its SDK
}
