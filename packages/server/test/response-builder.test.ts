import { expect, test } from "vitest";

import { createResponseBuilder } from "../src/chat/response-builder.ts";

test("a request of a middleware counts as usage, and is no part of the response", () => {
  const builder = createResponseBuilder({ threadId: "t", clientTools: new Set(), language: "en" });
  const tokens = { inputTokens: 10, outputTokens: 2, totalTokens: 12, cachedTokens: 0 };
  const purpose = "summary";
  const told = [
    builder.add({ id: "1", type: "model_start", data: { step: 1, model: "m" } }),
    builder.add({ id: "2", type: "text_delta", data: { text: "One" } }),
    builder.add({ id: "3", type: "model_start", data: { step: 1, model: "small", purpose } }),
    builder.add({ id: "4", type: "model_end", data: { finish: "error", purpose, tokens } }),
    builder.add({ id: "5", type: "text_delta", data: { text: " word." } }),
    builder.add({ id: "6", type: "model_end", data: { finish: "stop", entry: 1, tokens } }),
  ];
  expect(told.filter((piece) => piece !== undefined)).toEqual([
    { type: "text", text: "One" },
    { type: "text", text: " word." },
  ]);
  expect(builder.usage()).toMatchObject({ prompt_tokens: 20, completion_tokens: 4 });
});
