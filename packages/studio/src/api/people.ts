import { useQuery } from "@tanstack/react-query";

import { server } from "./server.ts";
import { useScopes } from "./session.ts";

/** The name of the person or program that a record names: `Ann` for `key:0a1b…`. Without keys, what is recorded. */
export function useKeyName(): (by: string) => string {
  const { hasKeys, mayDecide, mayRead } = useScopes();
  const { data = {} } = useQuery({
    queryKey: ["key-names"],
    queryFn: () => server.keys.names(),
    enabled: hasKeys && (mayDecide || mayRead),
    staleTime: 60_000,
  });
  return (by) => (Object.hasOwn(data, by) ? data[by] : undefined) ?? by;
}
