import { useQuery } from "@tanstack/react-query";

import { cardTexts } from "../texts/card-texts.ts";
import { useTexts } from "../texts/language.tsx";
import { stateTexts } from "../texts/state-texts.ts";
import { server } from "./server.ts";
import { useScopes } from "./session.ts";

/** The server records who decided in an imported thread with this prefix: anybody can write such a file. */
const importedPrefix = "imported:";

/**
 * The name of the person or program that a record names: `Ann` for `key:0a1b…`. A server without keys records `local`
 * for everyone on its machine.
 */
export function useKeyName(): (by: string) => string {
  const { isKnown, hasKeys, mayDecide, mayRead } = useScopes();
  const { you } = useTexts(cardTexts);
  const { importedBy } = useTexts(stateTexts);
  const { data = {} } = useQuery({
    queryKey: ["key-names"],
    queryFn: () => server.keys.names(),
    enabled: hasKeys && (mayDecide || mayRead),
    staleTime: 60_000,
  });
  return (by) => {
    if (by.startsWith(importedPrefix)) return importedBy(by.slice(importedPrefix.length));
    if (by === "local" && isKnown && !hasKeys) return you;
    return (Object.hasOwn(data, by) ? data[by] : undefined) ?? by;
  };
}
