import { wrapFetch } from "undangle";
import type { WireRepair, WrapFetchOptions } from "undangle";

/** What a client gets of an answer. */
export interface PassedThrough {
  readonly text: string;
  readonly error: string | undefined;
  /** What was told of the answer. */
  readonly told: readonly WireRepair[];
}

export interface Answered {
  readonly url: string;
  readonly request: object;
  readonly body: string;
  readonly type?: string;
  /** The bytes of each piece in which it comes. */
  readonly size?: number;
  readonly toolCalls?: "hold" | "stream";
  /** What the client calls itself. */
  readonly agent?: string;
  /** What else it says of itself. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly options?: Pick<WrapFetchOptions, "mode" | "maxBytes">;
}

/** Sends a request through `wrapFetch` to a server that answers with a body, and reads what comes of that. */
export async function passedThrough(given: Answered): Promise<PassedThrough> {
  const { url, request, body, type = "text/event-stream", size = Infinity, toolCalls = "hold" } = given;
  const told: WireRepair[] = [];
  const options: WrapFetchOptions = {
    ...given.options,
    logger: false,
    toolCalls,
    onRepair: (repair) => void (repair.side === "response" && told.push(repair)),
    fetch: answering(inPieces(body, size), type),
  };
  const headers = {
    "content-type": "application/json",
    ...(given.agent !== undefined && { "user-agent": given.agent }),
    ...given.headers,
  };
  const init = { method: "POST", headers, body: JSON.stringify(request) };
  const response = await wrapFetch(options)(url, init);
  const reader: ReadableStreamDefaultReader<Uint8Array> | undefined = response.body?.getReader();
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  let text = "";
  try {
    for (let piece = await reader?.read(); piece?.done === false; piece = await reader?.read())
      text += decoder.decode(piece.value, { stream: true });
    return { text, error: undefined, told };
  } catch (error) {
    return { text, error: String(error), told };
  }
}

/** A server that answers with a body, whatever it is asked; one that is a stream once. */
export const answering =
  (body: string | ReadableStream<Uint8Array>, type = "text/event-stream"): (() => Promise<Response>) =>
  async () =>
    new Response(body, { headers: { "content-type": type } });

function inPieces(body: string, size: number): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(body);
  let at = 0;
  return new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        if (at >= bytes.length) controller.close();
        else controller.enqueue(bytes.slice(at, Math.min(bytes.length, at + size)));
        at += size;
      },
    },
    { highWaterMark: 0 },
  );
}

/** Each way in which an answer may come and be passed on. */
export const ways: readonly Required<Pick<Answered, "size" | "toolCalls">>[] = (["hold", "stream"] as const).flatMap(
  (toolCalls) => [Infinity, 1, 7, 64].map((size) => ({ toolCalls, size })),
);

/** Values as the events of a stream; texts stand for themselves. */
export const events = (...given: readonly (object | string)[]): string =>
  given.map((each) => (typeof each === "string" ? each : `data: ${JSON.stringify(each)}\n\n`)).join("");

/** What says what it is: an event that has a name, an item or a block in one. */
export interface Typed {
  readonly type: string;
  readonly [key: string]: unknown;
}

/** Values as events that are named after their types, as Anthropic and OpenAI's Responses have them. */
export const named = (...given: readonly Typed[]): string =>
  given.map((each) => `event: ${each.type}\n${events(each)}`).join("");

/** A chunk of a chat completion. */
export const chunk = (delta: object | undefined, finish: string | null = null, more: object = {}): object => ({
  id: "x",
  object: "chat.completion.chunk",
  created: 1,
  model: "m",
  choices: [{ index: 0, ...(delta && { delta }), logprobs: null, finish_reason: finish, ...more }],
});

export const done = "data: [DONE]\n\n";

type Wire = Readonly<Record<string, unknown>>;

/** A response of OpenAI's as its events tell of it. */
export const responseOf = (status: string, ...output: readonly Wire[]): Wire => ({
  id: "resp_1",
  object: "response",
  created_at: 1,
  model: "m",
  status,
  output,
});
