import type { AssembledTurn } from "#core";
import { usageOf } from "#engine";
import type { AskModel, HookContext } from "#engine";
import type { ModelRequest, ModelStream } from "#model";

import { modelAttributes, modelOf } from "./model-attributes.ts";
import { openSpan } from "./open-span.ts";
import type { OpenSpan, Tracing } from "./open-span.ts";
import { clientKind } from "./open-telemetry.ts";
import type { Attributes } from "./open-telemetry.ts";
import { usageAttributes } from "./run-span.ts";
import type { RunSpan } from "./run-span.ts";
import { askedContent, saidContent } from "./shown-content.ts";

/** Calls the model inside a span, which ends when the turn is complete. */
export function askInSpan(
  tracing: Tracing,
  run: RunSpan,
  {
    next,
    request,
    context,
  }: { readonly next: AskModel; readonly request: ModelRequest; readonly context: HookContext },
): ModelStream | Promise<ModelStream> {
  const { model } = context.agent;
  const attributes = requestAttributes(tracing, request, context);
  const span = openSpan(tracing, `chat ${modelOf(model).id}`, { kind: clientKind, attributes }, run.span.context);
  const chat: Chat = { tracing, run, span, model, begin: performance.now() };
  run.open.add(span);
  try {
    const asked = span.within(() => next(request));
    if (!(asked instanceof Promise)) return watched(asked, chat);
    return asked.then(
      (stream) => watched(stream, chat),
      (error: unknown) => fail(chat, error),
    );
  } catch (error) {
    return fail(chat, error);
  }
}

interface Chat {
  readonly tracing: Tracing;
  readonly run: RunSpan;
  readonly span: OpenSpan;
  readonly model: string;
  readonly begin: number;
}

function requestAttributes(
  { content }: Tracing,
  request: ModelRequest,
  { agent, threadId }: Pick<HookContext, "agent" | "threadId">,
): Attributes {
  const { maxTokens, temperature, topP, seed, stop } = request.sampling ?? {};
  return {
    "gen_ai.operation.name": "chat",
    ...modelAttributes(agent.model),
    ...(agent.name !== undefined && { "gen_ai.agent.name": agent.name }),
    "gen_ai.conversation.id": threadId,
    "gen_ai.request.stream": true,
    ...(request.output !== undefined && { "gen_ai.output.type": "json" }),
    ...(maxTokens !== undefined && { "gen_ai.request.max_tokens": maxTokens }),
    ...(temperature !== undefined && { "gen_ai.request.temperature": temperature }),
    ...(topP !== undefined && { "gen_ai.request.top_p": topP }),
    ...(seed !== undefined && { "gen_ai.request.seed": seed }),
    ...(stop !== undefined && { "gen_ai.request.stop_sequences": [...stop] }),
    ...(content && askedContent(request)),
  };
}

/** Wraps a stream, so that it is read inside the span. */
function watched(stream: ModelStream, chat: Chat): ModelStream {
  const { span, begin } = chat;
  let first: number | undefined;
  const watchedParts = (): AsyncIterator<StreamPiece> => {
    const parts = span.within(() => stream[Symbol.asyncIterator]());
    return {
      async next() {
        try {
          const part = await span.within(() => parts.next());
          first ??= performance.now() - begin;
          if (part.done !== true && part.value.type === "discarded") span.mention("undangle.answer_discarded");
          return part;
        } catch (error) {
          return fail(chat, error);
        }
      },
      return: async () => (await parts.return?.()) ?? { done: true, value: undefined },
    };
  };
  return {
    [Symbol.asyncIterator]: watchedParts,
    get model() {
      return stream.model;
    },
    async turn() {
      try {
        const turn = await span.within(() => stream.turn());
        end(chat, turn, { model: stream.model, first });
        return turn;
      } catch (error) {
        return fail(chat, error);
      }
    },
  };
}

type StreamPiece = ModelStream extends AsyncIterable<infer Piece> ? Piece : never;

/** What is known about a turn besides its content. */
interface Answered {
  readonly model: string | undefined;
  /** Milliseconds until the first chunk. */
  readonly first: number | undefined;
}

function end(chat: Chat, turn: AssembledTurn, { model = chat.model, first }: Answered): void {
  const { run, span, tracing } = chat;
  const usage = usageOf(turn.usage);
  run.usage = {
    inputTokens: run.usage.inputTokens + usage.inputTokens,
    outputTokens: run.usage.outputTokens + usage.outputTokens,
  };
  run.open.delete(span);
  const attributes: Attributes = {
    "gen_ai.response.model": modelOf(model).id,
    ...(turn.finish !== null && { "gen_ai.response.finish_reasons": [turn.finish] }),
    ...usageAttributes(usage),
    ...(usage.cachedTokens > 0 && { "gen_ai.usage.cache_read.input_tokens": usage.cachedTokens }),
    ...(first !== undefined && { "gen_ai.response.time_to_first_chunk": first / 1000 }),
    ...(tracing.content && saidContent(turn)),
  };
  if (turn.error === undefined && turn.finish !== null) span.end(attributes);
  else span.fail(undefined, attributes);
}

/** Records an error of the model and rethrows it unchanged. */
function fail({ run, span }: Chat, error: unknown): never {
  run.open.delete(span);
  span.fail(error);
  throw error;
}
