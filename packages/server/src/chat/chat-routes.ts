import { randomBytes } from "node:crypto";

import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { RunEnd } from "undangle/agent";

import { identityOf, requireScope } from "../access/identity.ts";
import { ApiError, apiErrorOf, errorBody, publicWords } from "../answers/api-error.ts";
import { sendStream, silence, withSilences } from "../answers/event-stream.ts";
import type { Service } from "../open-service.ts";
import { createTeller } from "./answer-teller.ts";
import type { AnswerPiece, AnswerTeller } from "./answer-teller.ts";
import { readChatRequest } from "./chat-request.ts";
import { chatSchema } from "./chat-schema.ts";
import type { ChatRequest } from "./chat-request.ts";
import { startTurn } from "./start-turn.ts";
import type { Turn } from "./start-turn.ts";
import { createChunkWriter, event, writeBody } from "./write-answer.ts";
import type { AnswerHead, UndangleNote } from "./write-answer.ts";

/** What clients of OpenAI ask for. */
export function chatRoutes(app: FastifyInstance): Promise<void> {
  const { service } = app;
  app.get("/v1/models", (request) => {
    requireScope(identityOf(request), "chat");
    const ids = [...service.roster.personas.map(({ id }) => id), ...service.roster.models];
    return { object: "list", data: ids.map(modelOf) };
  });
  app.get<{ Params: { id: string } }>("/v1/models/:id", (request) => {
    requireScope(identityOf(request), "chat");
    const { id } = request.params;
    if (![...service.roster.personas.map((each) => each.id), ...service.roster.models].includes(id))
      throw new ApiError(404, "model_not_found", `The model ${JSON.stringify(id)} does not exist here.`, {
        param: "model",
      });
    return modelOf(id);
  });
  app.post("/v1/chat/completions", described, (request, reply) => complete(service, request, reply));
  return Promise.resolve();
}

/** Bodies are read by hand, so that what is wrong is told as OpenAI tells it; the schema describes them. */
const described = {
  schema: { summary: "Answers a conversation, as OpenAI does.", body: chatSchema },
  validatorCompiler: () => () => true,
};

const modelOf = (id: string): object => ({ id, object: "model", created: 0, owned_by: "undangle" });

async function complete(service: Service, request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  const begin = performance.now();
  const identity = identityOf(request);
  requireScope(identity, "chat");
  const asked = readChatRequest(request.body);
  const turn = await startTurn(service, { identity, requestId: request.id }, asked);
  const { threadId, note, edits } = turn;
  const persona = service.roster.personas.find(({ id }) => id === note.persona);
  const head: AnswerHead = {
    id: `chatcmpl-${randomBytes(12).toString("hex")}`,
    created: Math.floor(Date.now() / 1000),
    model: asked.model ?? persona?.id ?? note.persona,
  };
  const teller = createTeller({
    threadId,
    clientTools: new Set((note.clientTools ?? []).map(({ name }) => name)),
    language: persona?.language ?? "en",
  });
  void reply.header("x-undangle-thread", encodeURIComponent(threadId));
  if (edits.length > 0)
    void reply
      .header("x-undangle-edits", String(edits.length))
      .header("x-undangle-rules", [...new Set(edits)].join(","));
  request.log.info({ threadId, runId: turn.run.id }, "Run begins");
  const onFirst = (): void => {
    const ms = performance.now() - begin;
    service.metrics.firstByte(ms / 1000);
    request.log.info({ threadId, ms: Math.round(ms) }, "First byte");
  };
  return asked.isStreamed
    ? stream(turn, { asked, head, teller, onFirst }, reply)
    : whole(turn, { asked, head, teller, onFirst });
}

interface Answering {
  readonly asked: ChatRequest;
  readonly head: AnswerHead;
  readonly teller: AnswerTeller;
  readonly onFirst: () => void;
}

async function whole({ run, threadId }: Turn, { head, teller, onFirst }: Answering): Promise<object> {
  let pieces: AnswerPiece[] = [];
  let step = 0;
  for await (const each of run) {
    if (each.type === "model_start") step = pieces.length;
    const piece = teller.hear(each);
    if (piece?.type === "discarded") pieces = pieces.slice(0, step);
    else if (piece !== undefined) pieces.push(piece);
  }
  const end = await run.result;
  const fault = faultOf(end, threadId);
  if (fault !== undefined) throw fault;
  const { pieces: more, finish, pending } = teller.end(end);
  onFirst();
  return writeBody(head, [...pieces, ...more], { finish, usage: teller.usage(), note: noteOf(threadId, end, pending) });
}

/** Why there is no answer; undefined when there is one. */
function faultOf(end: RunEnd, threadId: string): ApiError | undefined {
  if (end.status === "failed") return apiErrorOf(end.error);
  if (end.status !== "stopped" || end.cause !== "superseded") return undefined;
  return new ApiError(
    409,
    "superseded",
    `Another message came into the thread ${JSON.stringify(threadId)} before this one was answered. The thread has both.`,
    { headers: { "x-should-retry": "false" } }, // clients of OpenAI send a 409 again, and that would supersede the other
  );
}

const noteOf = (threadId: string, { status, error }: RunEnd, pending: readonly unknown[]): UndangleNote => ({
  thread_id: threadId,
  status,
  ...(pending.length > 0 && { pending }),
  ...(error !== undefined && { error: { code: error.code, message: publicWords(error) } }),
});

const discardedWords = ({ status }: RunEnd): string =>
  `What was sent so far does not count: the provider of the model broke off, and was requested again. ${status === "stopped" ? "The run was then stopped." : "The thread has the right response."}`;

/** Sends an answer as it comes. A run that fails before its first word is an answer with its status; later, an error in the stream. */
async function stream(turn: Turn, answering: Answering, reply: FastifyReply): Promise<FastifyReply> {
  const chunks = chunksOf(turn, answering);
  const first = await chunks.next(); // throws where nothing was said yet
  async function* all(): AsyncGenerator<string> {
    if (first.done !== true) yield first.value;
    yield* chunks;
  }
  return sendStream(reply, all(), { isWanted: identityOf(reply.request).holds });
}

async function* chunksOf({ run, threadId }: Turn, { asked, head, teller, onFirst }: Answering): AsyncGenerator<string> {
  const writer = createChunkWriter(head, asked.wantsUsage);
  let hasBegun = false;
  let isVoid = false; // what was sent: a stream cannot take it back
  const begin = (): string => {
    if (hasBegun) return "";
    hasBegun = true;
    onFirst();
    return writer.first();
  };
  for await (const each of withSilences(run, silence)) {
    if (each === undefined) {
      yield `${begin()}: still here\n\n`;
      continue;
    }
    const piece = teller.hear(each);
    if (piece?.type === "discarded") isVoid ||= hasBegun;
    else if (piece !== undefined && !isVoid) yield begin() + writer.piece(piece);
  }
  const end = await run.result;
  const fault = faultOf(end, threadId);
  if (fault !== undefined) {
    if (!hasBegun) throw fault;
    yield event(errorBody(fault));
    return;
  }
  if (isVoid) {
    yield event(errorBody(new ApiError(502, "model/discarded", discardedWords(end))));
    return;
  }
  const { pieces, ...rest } = teller.end(end);
  const last = writer.last({ pieces, ...rest }, noteOf(threadId, end, rest.pending));
  const usage = asked.wantsUsage ? writer.usage(teller.usage()) : "";
  yield begin() + pieces.map((piece) => writer.piece(piece)).join("") + last + usage + writer.done;
}
