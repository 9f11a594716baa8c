import { cut, failed, malformed, ready, sse, streams, truncated, turn } from "./build.ts";

const frame = (parts: readonly unknown[], finish?: string, more: object = {}) => ({
  candidates: [{ content: { role: "model", parts }, ...(finish !== undefined && { finishReason: finish }), index: 0 }],
  modelVersion: "gemini-x",
  responseId: "r-55",
  ...more,
});
const over = (finish: string, more: object = {}) => ({
  candidates: [{ finishReason: finish, index: 0, ...more }],
  usageMetadata: { totalTokenCount: 5 },
});
const fn = (given: object, more: object = {}) => ({ functionCall: given, ...more });
const text = (said: string, more: object = {}) => ({ text: said, ...more });

const dish = { dish: "soup" };
const served = [ready(null, "serve", dish)];
const some = [
  frame([text("Warm ")]),
  frame([text("up. "), fn({ name: "serve", args: { dish: "soup" } })]),
  over("STOP"),
];

export const gemini = streams("gemini", {
  "calls of Gemini": {
    "arguments without an id, behind a call that has one": {
      frames: [
        frame([fn({ name: "bill" }), fn({ id: "g2", name: "serve" })]),
        frame([fn({ args: dish })]),
        over("STOP"),
      ],
      expect: turn({ calls: [ready(null, "bill"), ready("g2", "serve", dish)] }),
    },
    "the names in one frame, the arguments in the next, by their ids": {
      frames: [
        frame([fn({ id: "g1", name: "serve" }), fn({ id: "g2", name: "bill" })]),
        frame([fn({ id: "g1", args: dish }), fn({ id: "g2", args: { tip: 1 } })]),
        over("STOP"),
      ],
      expect: turn({ calls: [ready("g1", "serve", dish), ready("g2", "bill", { tip: 1 })] }),
    },
    "no ids, one tool twice": {
      frames: [
        frame([fn({ name: "serve", args: { dish: "soup" } })]),
        frame([fn({ name: "serve", args: { dish: "cake" } })]),
        over("STOP"),
      ],
      expect: turn({ calls: [...served, ready(null, "serve", { dish: "cake" })] }),
      anomalies: ["id-missing"],
    },
    "two equal ones in one frame": {
      frames: [frame([fn({ name: "serve", args: dish }), fn({ name: "serve", args: dish })], "STOP")],
      expect: turn({ calls: [...served, ...served] }),
    },
    ids: {
      frames: [
        frame([fn({ id: "g1", name: "serve", args: dish }), fn({ id: "g2", name: "serve", args: dish })], "STOP"),
      ],
      expect: turn({ calls: [ready("g1", "serve", dish), ready("g2", "serve", dish)] }),
    },
    "no arguments: absent, null, empty": {
      frames: [frame([fn({ name: "bill" }), fn({ name: "bill", args: null }), fn({ name: "bill", args: {} })], "STOP")],
      expect: turn({ calls: [ready(null, "bill"), ready(null, "bill"), ready(null, "bill")] }),
    },
    "the name in one part, the arguments in the next": {
      frames: [frame([fn({ name: "serve" })]), frame([fn({ args: { dish: "soup" } })]), over("STOP")],
      expect: turn({ calls: served }),
    },
    "arguments as text": {
      frames: [frame([fn({ name: "serve", args: '{"dish":"soup"}' })], "STOP")],
      expect: turn({ calls: served }),
    },
    "arguments that are a list": {
      frames: [frame([fn({ name: "serve", args: ["soup"] })], "STOP")],
      expect: turn({ calls: [malformed(null, "serve")] }),
    },
    "thoughts and text around them": {
      frames: [
        frame([text("Hungry?", { thought: true })]),
        frame(
          [text("Here: "), fn({ name: "serve", args: dish }, { thoughtSignature: "c2ln" }), text("Enjoy.")],
          "STOP",
        ),
      ],
      expect: turn({ reasoning: "Hungry?", text: "Here: Enjoy.", calls: served }),
    },
    "snake case": {
      frames: [
        {
          candidates: [
            {
              content: { parts: [{ function_call: { name: "serve", args: dish }, thought_signature: "x" }] },
              finish_reason: "STOP",
            },
          ],
        },
      ],
      expect: turn({ calls: served }),
    },
    "code that Gemini runs": {
      frames: [
        frame(
          [
            { executableCode: { language: "PYTHON", code: "1" } },
            { codeExecutionResult: { outcome: "OK", output: "1" } },
            text("1"),
          ],
          "STOP",
        ),
      ],
      expect: turn({ text: "1" }),
      anomalies: ["server-tool"],
    },
  },
  "arguments of Vertex, piece by piece": {
    "two calls that take turns, by their ids": {
      frames: [
        frame([
          fn({ id: "v1", name: "serve", willContinue: true }),
          fn({ id: "v2", name: "serve", willContinue: true }),
        ]),
        frame([
          fn({ id: "v1", name: "serve", partialArgs: [{ jsonPath: "$.dish", stringValue: "soup" }] }),
          fn({ id: "v2", name: "serve", partialArgs: [{ jsonPath: "$.dish", stringValue: "cake" }] }),
        ]),
        over("STOP"),
      ],
      expect: turn({ calls: [ready("v1", "serve", dish), ready("v2", "serve", { dish: "cake" })] }),
    },
    "every kind of value": {
      frames: [
        frame([fn({ id: "v1", name: "serve", willContinue: true })]),
        frame([
          fn({ partialArgs: [{ jsonPath: "$.dish", stringValue: "so", willContinue: true }], willContinue: true }),
        ]),
        frame([
          fn({
            partialArgs: [
              { jsonPath: "$.dish", stringValue: "up" },
              { jsonPath: "$.hot", boolValue: false },
              { jsonPath: "$.note", nullValue: "NULL_VALUE" },
            ],
            willContinue: true,
          }),
        ]),
        frame([
          fn({
            partialArgs: [
              { jsonPath: "$.with[0].name", stringValue: "salt" },
              { jsonPath: "$.with[1].name", stringValue: "oil" },
              { jsonPath: '$["a b"]', numberValue: 2 },
            ],
            willContinue: true,
          }),
        ]),
        frame([fn({})]),
        over("STOP"),
      ],
      expect: turn({
        calls: [
          ready("v1", "serve", {
            dish: "soup",
            hot: false,
            note: null,
            with: [{ name: "salt" }, { name: "oil" }],
            "a b": 2,
          }),
        ],
      }),
    },
    "the name on every piece": {
      frames: [
        frame([fn({ name: "serve", willContinue: true, partialArgs: [{ jsonPath: "$.dish", stringValue: "so" }] })]),
        frame([fn({ name: "serve", partialArgs: [{ jsonPath: "$.dish", stringValue: "up" }] })]),
        over("STOP"),
      ],
      expect: turn({ calls: served }),
    },
    "it breaks off": {
      frames: [
        frame([fn({ name: "serve", willContinue: true })]),
        frame([
          fn({ partialArgs: [{ jsonPath: "$.dish", stringValue: "so", willContinue: true }], willContinue: true }),
        ]),
      ],
      expect: cut({ calls: [truncated(null, "serve")] }),
    },
    "STOP comes before the last piece": {
      frames: [frame([fn({ name: "serve", willContinue: true })]), over("STOP")],
      expect: turn({ calls: [truncated(null, "serve")], complete: false }),
    },
    "a path that leads nowhere": {
      frames: [
        frame([
          fn({
            name: "serve",
            partialArgs: [
              { jsonPath: "$.dish", stringValue: "soup" },
              { jsonPath: "$.with[3]", stringValue: "?" },
              { jsonPath: "$..x[*]", stringValue: "?" },
            ],
          }),
        ]),
        over("STOP"),
      ],
      expect: turn({ calls: [truncated(null, "serve")], complete: false }),
    },
    "two calls one after the other": {
      frames: [
        frame([fn({ name: "serve", willContinue: true, partialArgs: [{ jsonPath: "$.dish", stringValue: "soup" }] })]),
        frame([fn({})]),
        frame([fn({ name: "serve", willContinue: true, partialArgs: [{ jsonPath: "$.dish", stringValue: "cake" }] })]),
        frame([fn({})]),
        over("STOP"),
      ],
      expect: turn({ calls: [...served, ready(null, "serve", { dish: "cake" })] }),
    },
  },
  "calls that are sent again": {
    "with their id, behind an empty object": {
      frames: [
        frame([fn({ id: "g1", name: "serve", args: {} })]),
        frame([fn({ id: "g1", name: "serve", args: dish })], "STOP"),
      ],
      expect: turn({ calls: [ready("g1", "serve", dish)] }),
    },
    "with their id, and then an empty object": {
      frames: [
        frame([fn({ id: "g1", name: "serve", args: dish })]),
        frame([fn({ id: "g1", name: "serve", args: {} })], "STOP"),
      ],
      expect: turn({ calls: [ready("g1", "serve", dish)] }),
    },
    "with their id, as text": {
      frames: [
        frame([fn({ id: "g1", name: "serve", args: '{"dish":"soup"}' })]),
        frame([fn({ id: "g1", name: "serve", args: '{"dish":"soup"}' })], "STOP"),
      ],
      expect: turn({ calls: [ready("g1", "serve", dish)] }),
    },
    "with their id, behind an empty object as text": {
      frames: [
        frame([fn({ id: "g1", name: "serve", args: "{}" })]),
        frame([fn({ id: "g1", name: "serve", args: dish })], "STOP"),
      ],
      expect: turn({ calls: [ready("g1", "serve", dish)] }),
    },
    "with their id": {
      frames: [
        frame([fn({ id: "g1", name: "serve", args: dish })]),
        frame([fn({ id: "g1", name: "serve", args: dish })], "STOP"),
      ],
      expect: turn({ calls: [ready("g1", "serve", dish)] }),
    },
    "with their id, and other arguments: that is another call": {
      frames: [
        frame([fn({ id: "g1", name: "serve", args: dish })]),
        frame([fn({ id: "g1", name: "serve", args: { dish: "cake" } })], "STOP"),
      ],
      expect: turn({ calls: [ready("g1", "serve", dish), ready(null, "serve", { dish: "cake" })] }),
    },
  },
  "STOP too early": {
    "text behind it": {
      frames: [frame([text("One")], "STOP"), frame([text(" two")], "STOP"), frame([text(".")], "STOP")],
      expect: turn({ text: "One two." }),
    },
    "a call behind it": {
      frames: [frame([text("One")], "STOP"), frame([fn({ name: "serve", args: dish })]), over("STOP")],
      expect: turn({ text: "One", calls: served }),
    },
  },
  "endings of Gemini": {
    MALFORMED_FUNCTION_CALL: {
      frames: [over("MALFORMED_FUNCTION_CALL", { finishMessage: "print(serve(" })],
      expect: failed(),
    },
    "UNEXPECTED_TOOL_CALL behind a call: nothing runs": {
      frames: [frame([fn({ name: "serve", args: dish })]), over("UNEXPECTED_TOOL_CALL")],
      expect: failed({ calls: served }),
    },
    "an error frame": {
      frames: [frame([text("On")]), { error: { code: 500, message: "internal", status: "INTERNAL" } }],
      expect: failed({ text: "On" }),
    },
    MAX_TOKENS: {
      frames: [frame([text("On")], "MAX_TOKENS")],
      expect: turn({ text: "On", finish: "length", complete: false }),
    },
    SAFETY: {
      frames: [frame([text("On")]), over("SAFETY")],
      expect: turn({ text: "On", finish: "content_filter", complete: false }),
    },
    "the prompt was blocked": {
      frames: [{ promptFeedback: { blockReason: "PROHIBITED_CONTENT" } }],
      expect: turn({ finish: "content_filter", complete: false }),
    },
    "no terminal": {
      frames: [frame([text("On")]), frame([fn({ name: "serve", args: dish })])],
      expect: cut({ text: "On", calls: served }),
    },
    "an unspecified reason is none": {
      frames: [frame([text("On")], "FINISH_REASON_UNSPECIFIED")],
      expect: cut({ text: "On" }),
    },
    OTHER: { frames: [frame([text("On")]), over("OTHER")], expect: failed({ text: "On" }) },
  },
  "other wrappings of Gemini": {
    CRLF: { sent: sse(...some).replaceAll("\n", "\r\n"), expect: turn({ text: "Warm up. ", calls: served }) },
    "a list in one line": { sent: JSON.stringify(some), expect: turn({ text: "Warm up. ", calls: served }) },
    "a list as the API streams it": {
      sent: `[${some.map((each) => JSON.stringify(each, null, 2)).join("\n,\r\n")}]\n`,
      expect: turn({ text: "Warm up. ", calls: served }),
    },
    "a list that is cut off": {
      sent: `[${some
        .slice(0, 2)
        .map((each) => JSON.stringify(each, null, 2))
        .join(",\n")}\n,\n{"cand`,
      expect: cut({ text: "Warm up. ", calls: served }),
    },
    "a list that ends in an error": {
      sent: JSON.stringify([some[0], { error: { code: 503, message: "overloaded" } }]),
      expect: failed({ text: "Warm " }),
    },
    "wrapped by Code Assist": {
      frames: some.map((each) => ({ response: each })),
      expect: turn({ text: "Warm up. ", calls: served }),
    },
  },
});
