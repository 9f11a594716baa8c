import { decoded, useHash } from "../parts/use-hash.ts";

/** What the hash of the address names: a rule, the list of rules, or the doctor itself. */
export type Place =
  | { readonly type: "doctor" }
  | { readonly type: "rules" }
  | { readonly type: "rule"; readonly rule: string };

export function usePlace(): Place {
  const hash = useHash();
  if (hash === "#rules") return { type: "rules" };
  const rule = /^#explain=(.+)$/u.exec(hash)?.[1];
  return rule === undefined ? { type: "doctor" } : { type: "rule", rule: decoded(rule) };
}

/** The address of a rule. Search results and comments point there. */
export const placeOfRule = (rule: string): string => `#explain=${rule}`;
