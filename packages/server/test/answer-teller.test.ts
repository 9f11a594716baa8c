import { expect, test } from "vitest";

import { createTeller } from "../src/chat/answer-teller.ts";

test("a request of a middleware counts as usage, and is no part of the response", () => {
  const teller = createTeller({ threadId: "t", clientTools: new Set(), language: "en" });
  const tokens = { inputTokens: 10, outputTokens: 2, totalTokens: 12, cachedTokens: 0 };
  const purpose = "summary";
  const told = [
    teller.hear({ id: "1", type: "model_start", data: { step: 1, model: "m" } }),
    teller.hear({ id: "2", type: "text_delta", data: { text: "One" } }),
    teller.hear({ id: "3", type: "model_start", data: { step: 1, model: "small", purpose } }),
    teller.hear({ id: "4", type: "model_end", data: { finish: "error", purpose, tokens } }),
    teller.hear({ id: "5", type: "text_delta", data: { text: " word." } }),
    teller.hear({ id: "6", type: "model_end", data: { finish: "stop", entry: 1, tokens } }),
  ];
  expect(told.filter((piece) => piece !== undefined)).toEqual([
    { type: "text", text: "One" },
    { type: "text", text: " word." },
  ]);
  expect(teller.usage()).toMatchObject({ prompt_tokens: 20, completion_tokens: 4 });
});
