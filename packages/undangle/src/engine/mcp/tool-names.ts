import { acceptsName, hashHex, sanitise } from "#core";

/** What every provider takes for the name of a tool. */
const legal = { pattern: /^[a-zA-Z0-9_-]+$/u, first: /^[a-zA-Z_]/u, longest: 64 };
const mark = 8;

/**
 * The name that every provider takes for a tool of a server. It depends on nothing but the tool's own name: a call that waits for
 * a person is known by it, and may be approved when the server lists its tools in another order, or others. So a name that had to
 * be changed always bears the mark of what it was.
 */
export function toolNameOf(name: string, prefix: string): string {
  const whole = prefix + name;
  if (acceptsName(whole, legal)) return whole;
  const stem = sanitise(whole, { ...legal, longest: Infinity }).slice(0, legal.longest - mark - 1);
  return `${stem}_${hashHex(name).slice(0, mark)}`;
}
