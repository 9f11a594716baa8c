/** Takes the first one with a name, or the first of all where none has it or the name is not known. */
export type Taker<One> = (name: string) => One | undefined;

/** Hands out what has a name, each once; however many there are, taking one costs the same. */
export function createTaker<One extends { readonly name: string }>(ones: readonly One[]): Taker<One> {
  const all = ones.toReversed();
  const taken = new Set<One>();
  let byName: ReadonlyMap<string, One[]> | undefined;
  const takeFrom = (line: One[] | undefined): One | undefined => {
    for (let one = line?.pop(); one !== undefined; one = line?.pop()) {
      if (taken.has(one)) continue;
      taken.add(one);
      return one;
    }
    return undefined;
  };
  return (name) => {
    if (name === "" || all.length === 0) return takeFrom(all);
    byName ??= linesOf(all);
    return takeFrom(byName.get(name)) ?? takeFrom(all);
  };
}

function linesOf<One extends { readonly name: string }>(ones: readonly One[]): ReadonlyMap<string, One[]> {
  const lines = new Map<string, One[]>();
  for (const one of ones) {
    const line = lines.get(one.name);
    if (line === undefined) lines.set(one.name, [one]);
    else line.push(one);
  }
  return lines;
}
