import { newIdempotencyKey } from "./idempotency-key.ts";
import { queries, server } from "./server.ts";

/** Imports a history, or an exported thread, as a new thread. Returns its id. */
export async function importThread(wanted: { readonly history: unknown; readonly format?: string }): Promise<string> {
  const { id } = await server.threads.import(wanted, { idempotencyKey: newIdempotencyKey() });
  await queries.invalidateQueries({ queryKey: ["threads"] });
  return id;
}
