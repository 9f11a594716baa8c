/** Takes the first item with a name, or the first of all if the name is unknown. */
export type Taker<One> = (name: string) => One | undefined;

/**
 * Hands out named items once each, in constant time. The first of all is not used for a name that `isOther` assigns to
 * another tool.
 */
export function createTaker<One extends { readonly name: string }>(
  ones: readonly One[],
  isOther: (one: One, name: string) => boolean = () => false,
): Taker<One> {
  const all = ones.toReversed();
  const taken = new Set<One>();
  let byName: ReadonlyMap<string, One[]> | undefined;
  const firstOf = (line: One[] | undefined): One | undefined => {
    for (let one = line?.at(-1); one !== undefined; one = line?.at(-1)) {
      if (!taken.has(one)) return one;
      line?.pop();
    }
    return undefined;
  };
  const take = (one: One | undefined): One | undefined => {
    if (one !== undefined) taken.add(one);
    return one;
  };
  return (name) => {
    if (name === "" || all.length === 0) return take(firstOf(all));
    byName ??= linesOf(all);
    const named = firstOf(byName.get(name));
    if (named !== undefined) return take(named);
    const first = firstOf(all);
    return first === undefined || isOther(first, name) ? undefined : take(first);
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
