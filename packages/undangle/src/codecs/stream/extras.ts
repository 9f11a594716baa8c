type Wire = Readonly<Record<string, unknown>>;
type Extras = Record<string, unknown> | undefined;

/** What stands on a call beside the keys that every one has, with what is known of that: nearly always nothing. */
export function extrasIn(wire: Wire, usual: ReadonlySet<string>, known: Extras): Extras {
  const isExtra = (key: string): boolean => !usual.has(key) && wire[key] !== undefined && wire[key] !== null;
  for (const key in wire) {
    if (isExtra(key))
      return { ...known, ...Object.fromEntries(Object.entries(wire).filter(([each]) => isExtra(each))) };
  }
  return known;
}
