/** A file before the first call made a history of the AI SDK a chat request, whose calls became text. */
import { detect, repair } from "undangle";
import { expect, test } from "vitest";

const file = { type: "file", data: "https://images.example/receipt.png", mediaType: "image/png" };
const call = { type: "tool-call", toolCallId: "call_1", toolName: "read_image", input: {} };

test("a file of the AI SDK is no file of a chat request", () => {
  const messages = [
    { role: "user", content: [file] },
    { role: "assistant", content: [call] },
  ];
  expect(detect(messages)).toEqual({ format: "ai-sdk", confidence: "known" });
  expect(repair(messages).edits).toMatchObject([{ rule: "unanswered-call", callId: "call_1" }]);
  expect(detect([{ role: "user", content: [{ type: "file", file: { file_id: "file-1" } }] }])?.format).toBe(
    "openai-chat",
  );
});
