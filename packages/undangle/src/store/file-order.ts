/** Compares texts by code points, as databases compare UTF-8. `<` would put U+1F600 before U+FF01. */
export function compareCodePoints(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at += 1) {
    const [x, y] = [a.charCodeAt(at), b.charCodeAt(at)];
    if (x !== y) return rank(x) - rank(y);
  }
  return a.length - b.length;
}

/** Surrogates begin code points above all other units. */
function rank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit >= 0xe000 ? unit - 0x800 : unit + 0x2000;
}

/** The first text after all texts with a well-formed prefix; undefined if there is none. */
export function endOfPrefix(prefix: string): string | undefined {
  const rest = prefix.replace(/\u{10ffff}+$/u, "");
  const last = rest.codePointAt(rest.length - (/[\u{10000}-\u{10ffff}]$/u.test(rest) ? 2 : 1));
  if (last === undefined) return undefined;
  const next = last === 0xd7ff ? 0xe000 : last + 1; // a surrogate is not a character
  return rest.slice(0, -String.fromCodePoint(last).length) + String.fromCodePoint(next);
}
