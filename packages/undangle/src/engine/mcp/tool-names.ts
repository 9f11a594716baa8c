import { acceptsName, hashHex, sanitise } from "#core";

/** What every provider takes for the name of a tool. */
const legal = { pattern: /^[a-zA-Z0-9_-]+$/u, first: /^[a-zA-Z_]/u, longest: 64 };

/**
 * Gives the tools of a server names that every provider takes, and that no other tool of that server has. A tool keeps its name:
 * calls that wait for a person are known by it.
 */
export function createToolNames(prefix: string): (names: Iterable<string>) => ReadonlyMap<string, string> {
  const given = new Map<string, string>();
  const taken = new Set<string>();
  const give = (name: string, wanted: string): void => {
    let free = wanted;
    for (let i = 0; taken.has(free); i++) {
      free = `${wanted.slice(0, legal.longest - 9)}_${hashHex(`${name} ${i}`).slice(0, 8)}`;
    }
    taken.add(free);
    given.set(name, free);
  };
  return (names) => {
    const fresh = [...new Set(names)].filter((name) => !given.has(name));
    const isLegal = (name: string): boolean => acceptsName(prefix + name, legal);
    for (const name of fresh.filter(isLegal)) give(name, prefix + name); // these first: they can stay as they are
    for (const name of fresh.filter((each) => !isLegal(each))) give(name, sanitise(prefix + name, legal));
    return given;
  };
}
