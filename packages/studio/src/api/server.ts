import { QueryClient } from "@tanstack/react-query";
import { createClient, ServerRefusal } from "undangle/client";

/** The server that the page comes from. */
export const server = createClient({ url: location.origin });

/** Caches what the server returned. Refusals are not retried, because they would be refused again. */
export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      retry: (count, error) => !(error instanceof ServerRefusal && error.status < 500) && count < 3,
    },
  },
});

/** The text of an error for a person. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
