import { assembleAiSdk } from "#codecs";
import { isRecord, UndangleError } from "#core";
import type { StreamPart } from "#core";

import type { Attempt } from "../http/ask-again.ts";
import { faultInTurn } from "../http/judge-turn.ts";
import type { Secrets } from "../http/secrets.ts";
import { createWatch } from "../http/watch.ts";
import type { Watch } from "../http/watch.ts";
import type { ModelTimeouts } from "../http-model-options.ts";
import { failureIn } from "./failure-in.ts";
import type { CallOptions, LanguageModel, StreamResult } from "./language-model.ts";
import { withoutFiles } from "./without-files.ts";

/** A request to a model of the AI SDK, which may be repeated. */
export interface AiSdkCall {
  readonly name: string;
  readonly model: LanguageModel;
  readonly options: Omit<CallOptions, "abortSignal">;
  readonly knownIds: ReadonlySet<string>;
  readonly secrets: Secrets;
  readonly timeouts: ModelTimeouts | undefined;
}

/** Sends the request once. Yields the parts as they arrive, and returns the turn or an error. */
export async function* askModel(call: AiSdkCall, signal: AbortSignal): Attempt {
  const { name, options, knownIds, secrets } = call;
  const watch = createWatch(signal, call.timeouts);
  try {
    watch.enter("connect");
    const result = await open(call, watch);
    if (result instanceof UndangleError) return result;
    watch.enter("first-byte");
    const stream = assembleAiSdk(watched(result, watch), { tools: options.tools ?? [], knownIds });
    let last: StreamPart | undefined;
    for await (const part of stream) {
      if (part.type === "finish") last = part;
      else yield part;
    }
    const turn = await stream.turn();
    const response = new Response(null, { headers: result.response?.headers ?? {} }); // for the id of the request
    const fault = faultInTurn(turn, { model: name, watch, secrets, response, opening: "" });
    if (fault !== undefined) return fault;
    if (last !== undefined) yield last; // only now it is known to be the last
    return turn;
  } finally {
    watch.close();
  }
}

/** The response up to its start, or an error. */
async function open(call: AiSdkCall, watch: Watch): Promise<StreamResult | UndangleError> {
  const { name, secrets, options } = call;
  let error: unknown;
  for (const isMeant of filesToDrop) {
    const given = isMeant === undefined ? options : withoutFiles(options, isMeant);
    if (given === undefined) continue;
    try {
      return await watch.orEnded(begin(call, { ...given, abortSignal: watch.signal }));
    } catch (thrown) {
      error = thrown;
      if (!isRecord(thrown) || thrown["name"] !== "AI_UnsupportedFunctionalityError") break;
    }
  }
  return failureIn(error, { model: name, watch, secrets });
}

/** A package refuses files that its provider cannot read. Placeholders then replace them, as in any other format. */
const filesToDrop: readonly (((mediaType: string) => boolean) | undefined)[] = [
  undefined,
  (mediaType) => !/^(?:image|text)\/|^application\/pdf$/u.test(mediaType),
  (mediaType) => !mediaType.startsWith("image/"),
  () => true,
];

/** Sends the request; both versions of a model accept it. */
const begin = async ({ model }: AiSdkCall, options: CallOptions): Promise<StreamResult> =>
  model.doStream(options as never);

/** The parts of a stream, which is cancelled when it stalls or when the reader stops. */
async function* watched({ stream }: StreamResult, watch: Watch): AsyncGenerator<unknown, void, undefined> {
  const reader = stream.getReader();
  let isOver = false;
  try {
    for (;;) {
      const { done, value } = await watch.orEnded(reader.read());
      isOver = done;
      if (done) return;
      watch.enter("idle");
      if (!isBlankEvent(value)) yield value;
    }
  } finally {
    if (!isOver) reader.cancel().catch(() => undefined); // it broke, so there is nothing to cancel
  }
}

/** True for an event without data, a keep-alive that the SDK tries to parse. */
function isBlankEvent(part: unknown): boolean {
  const error = isRecord(part) && part["type"] === "error" ? part["error"] : undefined;
  if (!isRecord(error) || error["name"] !== "AI_JSONParseError") return false;
  return typeof error["text"] === "string" && error["text"].trim() === "";
}
