import { wrapFetch } from "undangle";

import { answering, ways } from "./passed-through.ts";
import { sdks } from "./sdks.ts";
import type { Heard, Sdk } from "./sdks.ts";

/** The SDKs of chat, each with both ways to pass calls on. */
export const chatWays = sdks
  .filter(({ format }) => format === "openai-chat")
  .flatMap((sdk) => [...new Set(ways.map(({ toolCalls }) => toolCalls))].map((toolCalls) => ({ sdk, toolCalls })));

/** What a program hears of a body through an SDK and `wrapFetch`; what it throws is told as an error. */
export async function heardOf(
  body: string,
  { sdk, toolCalls }: { readonly sdk: Sdk; readonly toolCalls: "hold" | "stream" },
  baseUrl = "http://host.example/v1",
): Promise<Heard> {
  try {
    return await sdk.hear(baseUrl, wrapFetch({ toolCalls, logger: false, fetch: answering(body) }));
  } catch (error) {
    return { text: "", calls: [], error };
  }
}

/** The same, with arguments as values and without ids. */
export async function plainlyHeard(
  body: string,
  way: Parameters<typeof heardOf>[1],
  baseUrl?: string,
): Promise<{ readonly text: string; readonly calls: readonly unknown[]; readonly error: unknown }> {
  const { text, calls, error } = await heardOf(body, way, baseUrl);
  const valueOf = (given: unknown): unknown => (typeof given === "string" ? JSON.parse(given) : given);
  const named = calls.map(({ name, arguments: given }) => [name, valueOf(given)]);
  return { text, calls: named, error };
}
