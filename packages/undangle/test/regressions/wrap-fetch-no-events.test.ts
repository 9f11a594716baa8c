import { describe, expect, test } from "vitest";

import { passedThrough, ways } from "../clients/passed-through.ts";

/** A body that is called a stream of events and is none got an empty line behind it, or was broken off. */
const request = { model: "m", stream: true, max_tokens: 9, messages: [], input: "Hi.", contents: [] };

describe.each(ways)("passes as it came in pieces of $size, calls: $toolCalls", (way) => {
  test.each([
    "<html><body>Bad gateway</body></html>",
    "<html>\n\n<p>Bad gateway</p>\n\n</html>",
    "Bad gateway",
    '{"error":{"message":"Bad"}}',
    '{"error":"Bad"}\n',
    '{\n  "error": {\n    "message": "Bad"\n  }\n}\n',
    '{"object":"error","message":"Bad","code":400}',
    '{"detail":"Bad"}',
    "[]",
    "{",
    "null",
  ])("%j", async (body) => {
    for (const path of ["/v1/chat/completions", "/v1/messages", "/v1/responses"]) {
      const passed = await passedThrough({ url: `https://host.example${path}`, request, ...way, body });
      expect(passed).toEqual({ text: body, error: undefined, told: [] });
    }
  });
});
