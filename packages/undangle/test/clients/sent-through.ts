import { wrapFetch } from "undangle";
import type { Edit, WrapFetchOptions } from "undangle";

/** What a provider gets of a request, and what is told of it. */
export interface SentThrough {
  readonly text: string;
  /** The messages, items or contents of the body. */
  readonly list: readonly unknown[];
  readonly edits: readonly Edit[];
}

/** Sends a body through `wrapFetch`. */
export async function sentThrough(
  url: string,
  body: object,
  options: Omit<WrapFetchOptions, "fetch" | "logger" | "onRepair"> = {},
): Promise<SentThrough> {
  const edits: Edit[] = [];
  let text = "";
  const fetch = wrapFetch({
    ...options,
    logger: false,
    onRepair: (told) => void edits.push(...(told.edits ?? [])),
    fetch: async (_, init) => {
      text = typeof init?.body === "string" ? init.body : "";
      return Response.json({});
    },
  });
  const headers = { "content-type": "application/json" };
  await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
  const sent = JSON.parse(text) as Readonly<Record<"messages" | "input" | "contents", readonly unknown[] | undefined>>;
  return { text, list: sent.messages ?? sent.input ?? sent.contents ?? [], edits };
}
