import { openaiCompatible } from "undangle/models";
import type { CompatibleOptions } from "undangle/models";
import { expect, test } from "vitest";

import { hear, requestFor } from "../models/asking.ts";
import { chatEnd, chatPiece } from "../models/raw-server.ts";

/** A model over a body that is given, and the signal that its request got. */
function modelOver(body: () => string | ReadableStream<Uint8Array>) {
  let signal: AbortSignal | null | undefined;
  const fetch: CompatibleOptions["fetch"] = (_, init) => {
    signal = init.signal;
    return Promise.resolve(new Response(body()));
  };
  const model = openaiCompatible({ baseURL: "http://127.0.0.1:9/v1", retries: 0, fetch })("some-model");
  return { model, isAborted: () => signal?.aborted };
}

test("a response that was read to its end is not aborted", async () => {
  const { model, isAborted } = modelOver(() => `${chatPiece("Hello.")}${chatEnd}`);
  const { turn } = await hear(model);
  expect(turn?.text).toBe("Hello.");
  expect(isAborted()).toBe(false);
});

test("a response that the caller leaves is aborted", async () => {
  const endless = () =>
    new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new TextEncoder().encode(chatPiece("Hello."))),
    });
  const { model, isAborted } = modelOver(endless);
  for await (const part of model.stream(requestFor())) if (part.type === "text-delta") break;
  expect(isAborted()).toBe(true);
});
