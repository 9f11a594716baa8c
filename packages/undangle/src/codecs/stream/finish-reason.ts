import { textOf } from "#core";

/** The reason for an end that a server gives; undefined for a blank one, and for a null that was written as text. */
export function reasonIn(value: unknown): string | undefined {
  const reason = textOf(value);
  return reason === undefined || /^\s*(?:null|none|undefined)\s*$/iu.test(reason) ? undefined : reason;
}
