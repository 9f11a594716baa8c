import { folds } from "./stream-by-hand.ts";
import type { Fold } from "./stream-by-hand.ts";
import type { WireFormat } from "../streams/wire.ts";
import { load } from "./stream-client.ts";
import type { StreamClient } from "./stream-client.ts";

/** eventsource-parser, with the folds of the hand-written loop. */
export async function loadEventSource(): Promise<Readonly<Record<WireFormat, StreamClient>>> {
  const { createParser } = (await load("eventsource-parser")) as EventSourceModule;
  const client =
    (createFold: () => Fold): StreamClient =>
    async (body) => {
      const fold = createFold();
      const parser = createParser({ onEvent: ({ data }) => fold.add(data) });
      const decoder = new TextDecoder();
      for await (const bytes of body) parser.feed(decoder.decode(bytes, { stream: true }));
      return fold.outcome();
    };
  return {
    "openai-chat": client(folds["openai-chat"]),
    "openai-responses": client(folds["openai-responses"]),
    anthropic: client(folds.anthropic),
  };
}

interface EventSourceModule {
  readonly createParser: (callbacks: { readonly onEvent: (event: { readonly data: string }) => void }) => {
    readonly feed: (text: string) => void;
  };
}
