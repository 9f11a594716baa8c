import { textOf } from "#core";

/** The finish reason of a server. Undefined if it is blank or the text "null". */
export function reasonIn(value: unknown): string | undefined {
  const reason = textOf(value);
  return reason === undefined || /^\s*(?:null|none|undefined)\s*$/iu.test(reason) ? undefined : reason;
}
