import { acceptsName, hashHex, sanitise } from "#core";

/** The tool names that every provider accepts. */
const legal = { pattern: /^[a-zA-Z0-9_-]+$/u, first: /^[a-zA-Z_]/u, longest: 64 };
const mark = 8;

/**
 * A tool name that every provider accepts. It depends only on the server's name for the tool, because a pending call is
 * identified by it and may be approved after the server has changed its list. A name that had to be changed therefore
 * always has a hash suffix.
 */
export function toolNameOf(name: string, prefix: string): string {
  const whole = prefix + name;
  if (acceptsName(whole, legal)) return whole;
  const stem = sanitise(whole, { ...legal, longest: Infinity }).slice(0, legal.longest - mark - 1);
  return `${stem}_${hashHex(name).slice(0, mark)}`;
}
