import { useQuery } from "@tanstack/react-query";

import { cardTexts } from "../texts/card-texts.ts";
import { useTexts } from "../texts/language.tsx";
import { server } from "./server.ts";
import { useScopes } from "./session.ts";

/**
 * The name of the person or program that a record names: `Ann` for `key:0a1b…`. A server without keys records `local`
 * for everyone on its machine.
 */
export function useKeyName(): (by: string) => string {
  const { isKnown, hasKeys, mayDecide, mayRead } = useScopes();
  const { you } = useTexts(cardTexts);
  const { data = {} } = useQuery({
    queryKey: ["key-names"],
    queryFn: () => server.keys.names(),
    enabled: hasKeys && (mayDecide || mayRead),
    staleTime: 60_000,
  });
  return (by) => {
    if (by === "local" && isKnown && !hasKeys) return you;
    return (Object.hasOwn(data, by) ? data[by] : undefined) ?? by;
  };
}
