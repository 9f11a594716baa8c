import { UndangleError } from "#core";

import { brokenOff } from "./judge-turn.ts";
import type { Circumstances } from "./judge-turn.ts";

/** The error for something that `fetch` threw. */
export function unreachable(
  error: unknown,
  circumstances: Pick<Circumstances, "model" | "watch" | "secrets">,
): UndangleError {
  const { model, secrets, watch } = circumstances;
  const { words, code } = causeOf(error);
  const cause = secrets.isFree(error) ? error : undefined; // it may contain a header
  if (watch.timedOut() !== undefined) return brokenOff(words, circumstances);
  const message = secrets.hide(words);
  const phase = slowness.get(code);
  if (phase !== undefined) return new UndangleError("model/timeout", { model, message, phase, canRetry: true }, cause);
  const canRetry = !/invalid|parse|unsupported|certificate|self.signed|not allowed|credentials|bad port/iu.test(words);
  return new UndangleError("model/unreachable", { model, message, canRetry }, cause);
}

/** The timeout codes of Node's `fetch`. */
const slowness: ReadonlyMap<string, "connect" | "first-byte" | "idle"> = new Map([
  ["UND_ERR_CONNECT_TIMEOUT", "connect"],
  ["UND_ERR_HEADERS_TIMEOUT", "connect"],
  ["UND_ERR_BODY_TIMEOUT", "idle"],
  ["ETIMEDOUT", "connect"],
]);

/** The innermost message and code of an error. "fetch failed" alone is not helpful. */
function causeOf(error: unknown): { readonly words: string; readonly code: string } {
  let words = "";
  let code = "";
  let each: unknown = error;
  for (let depth = 0; depth < 5 && each !== undefined && each !== null; depth++) {
    if (!(each instanceof Error)) {
      if (words === "") words = typeof each === "string" ? each : "";
      break;
    }
    if ("code" in each && typeof each.code === "string") code = each.code;
    if (each.message !== "") words = each.message;
    each = each instanceof AggregateError ? each.errors[0] : each.cause;
  }
  return { words: words === "" ? code || "no reason was given" : words, code };
}
