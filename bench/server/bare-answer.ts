import { Readable } from "node:stream";

import type { FastifyReply } from "fastify";

/** What a handler without anything behind it would do: chunks that are there already, streamed. */
export const bareAnswer = (reply: FastifyReply, chunks: readonly string[]): FastifyReply =>
  reply.type("text/event-stream; charset=utf-8").send(Readable.from(one(chunks), { objectMode: false }));

/** One by one, as a model says them. */
// oxlint-disable-next-line typescript/require-await -- they are there
async function* one(chunks: readonly string[]): AsyncGenerator<string> {
  yield* chunks;
}
