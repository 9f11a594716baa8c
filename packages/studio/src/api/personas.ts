import { useQuery } from "@tanstack/react-query";
import type { RemotePersona } from "undangle/client";

import { server } from "./server.ts";
import { useScopes } from "./session.ts";

/** The personas of the server; empty until they are read, and for a key that may not read them. */
export function usePersonas(): readonly RemotePersona[] {
  const { mayRead, mayChat } = useScopes();
  const enabled = mayRead || mayChat;
  return useQuery({ queryKey: ["personas"], queryFn: () => server.personas(), staleTime: 60_000, enabled }).data ?? [];
}

/** The models that a thread can use instead of the model of its persona; empty until they are read. */
export const useModels = (): readonly string[] =>
  useQuery({ queryKey: ["models"], queryFn: () => server.models(), staleTime: 60_000 }).data ?? [];

/** The agent that a server without a config has: its model works offline, and two of its tools need approval. */
export const isDemo = ({ model, tools }: RemotePersona): boolean =>
  model === "demo" && ["pay_invoice", "delete_mail"].every((tool) => tools.includes(tool));

/** The deep agent of such a server: it plans, keeps files and delegates to sub-agents. */
export const isDeepDemo = ({ id, model }: RemotePersona): boolean => id === "deep" && model === "demo";
