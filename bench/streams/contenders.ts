import { assemble } from "undangle";
import { loadAiSdk } from "../contenders/stream-ai-sdk.ts";
import { byHand } from "../contenders/stream-by-hand.ts";
import type { StreamClient, StreamOutcome } from "../contenders/stream-client.ts";
import { loadEventSource } from "../contenders/stream-event-source.ts";
import { loadLangChain } from "../contenders/stream-langchain.ts";
import { loadOpenAiSdk } from "../contenders/stream-openai-sdk.ts";
import type { Contender } from "../measure/cpu-rounds.ts";
import { toolName } from "./wire.ts";
import type { Wire, WireFormat } from "./wire.ts";

/** The row that all others are compared with. */
export const baseline = "hand-written loop";

/** A client in the tables. */
export interface Entrant {
  readonly name: string;
  readonly client: StreamClient;
  /** For those that take seconds: so many rounds are enough. */
  readonly atMostRounds?: number;
}

/** Loads everybody who takes part, by format. */
export async function loadEntrants(): Promise<Readonly<Record<WireFormat, readonly Entrant[]>>> {
  const eventSource = await loadEventSource();
  const own = (format: WireFormat): readonly Entrant[] => [
    { name: baseline, client: byHand[format] },
    { name: "eventsource-parser, the rest by hand", client: eventSource[format] },
    { name: "undangle assemble(…).turn()", client: turnOf(format) },
    { name: "undangle assemble, part by part", client: partsOf(format) },
  ];
  return {
    "openai-chat": [
      ...own("openai-chat"),
      { name: "openai SDK, chat.completions.stream()", client: await loadOpenAiSdk(), atMostRounds: 3 },
      { name: "AI SDK, streamText()", client: await loadAiSdk(toolName), atMostRounds: 2 },
      {
        name: "@langchain/openai, stream() and concat()",
        client: await loadLangChain(),
        atMostRounds: 1,
      },
    ],
    "openai-responses": own("openai-responses"),
    anthropic: own("anthropic"),
  };
}

function turnOf(format: WireFormat): StreamClient {
  return async (body) => outcomeOf(await assemble(body, { format }).turn());
}

/** What a user interface does: every part is looked at, and the finished turn is the last of them. */
function partsOf(format: WireFormat): StreamClient {
  return async (body) => {
    let shown = 0;
    let outcome: StreamOutcome = { text: "", calls: [] };
    for await (const part of assemble(body, { format })) {
      if (part.type === "text-delta" || part.type === "call-delta") shown += part.text.length;
      if (part.type === "finish") outcome = outcomeOf(part.turn);
    }
    if (shown === 0) throw new Error("Nothing was shown.");
    return outcome;
  };
}

const outcomeOf = ({ text, calls }: StreamOutcome): StreamOutcome => ({ text, calls });

/** Short streams are measured many at a time, so that compiling after a garbage collection is a small part. */
const eventsAtOnce = 50_000;

/** An entrant at one stream, for the stop-watch. */
export function contenderOf({ name, client, atMostRounds }: Entrant, wire: Wire): Contender {
  const times = atMostRounds === undefined ? Math.ceil(eventsAtOnce / wire.events) : 1;
  return {
    name,
    ...(atMostRounds !== undefined && { atMostRounds: wire.events > 200_000 ? 1 : atMostRounds }),
    prepare: () => {
      const bodies = Array.from({ length: times }, () => bodyOf(wire));
      const run = async (): Promise<readonly StreamOutcome[]> => {
        const outcomes: StreamOutcome[] = [];
        for (const body of bodies) outcomes.push(await client(body));
        return outcomes;
      };
      return { times, run };
    },
  };
}

/** A body that gives its pieces one at a time, when they are asked for. */
export function bodyOf({ pieces }: Wire): ReadableStream<Uint8Array> {
  let next = 0;
  return new ReadableStream<Uint8Array>({
    pull(controller) {
      const piece = pieces[next++];
      if (piece === undefined) controller.close();
      else controller.enqueue(piece);
    },
  });
}
