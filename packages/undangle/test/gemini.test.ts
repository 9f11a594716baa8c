import { check, repair } from "undangle";
import { describe, expect, test } from "vitest";
import { asks, calls, gemini, gives, says, snake } from "./fixtures/build-gemini.ts";

const format = "gemini" as const;
const ask = asks("What is on the shelf?");

interface Body {
  readonly contents: readonly { readonly role: string; readonly parts: readonly Record<string, unknown>[] }[];
}

const contentsOf = (body: unknown, options = {}): Body["contents"] =>
  (repair(body, { format, ...options }).output as Body).contents;

describe("ids, which are optional", () => {
  test("are not minted: a call without one is answered without one, under the key error", () => {
    expect(contentsOf(gemini([ask, says(calls("look_up"))]))[2]).toEqual(
      asks(
        gives("look_up", {
          error:
            "Tool call look_up has no recorded result - the conversation was interrupted. It may or may not have run.",
        }),
      ),
    );
  });

  test("are given back where a call has one", () => {
    const [, , answer] = contentsOf(gemini([ask, says(calls("look_up", {}, { id: "x1" })), asks("Well?")]));
    expect(answer?.parts[0]?.["functionResponse"]).toEqual({
      id: "x1",
      name: "look_up",
      response: {
        error: "Tool call look_up with id x1 was cancelled - another message came in before it could be completed.",
      },
    });
  });

  test("agree once a notice carries one: the responses beside it take theirs", () => {
    const body = gemini([
      ask,
      says(calls("look_up", {}, { id: "1" }), calls("run", {}, { id: "2" })),
      asks(gives("look_up", "x")),
    ]);
    const ids = contentsOf(body)[2]?.parts.map((part) => (part["functionResponse"] as { id?: string }).id);
    expect(ids).toEqual(["1", "2"]);
  });

  describe("on some calls of a turn only: a response without one answers a call without one", () => {
    const asked = says(
      calls("run", { n: 1 }, { id: "1" }),
      calls("run", { n: 2 }, { id: "2" }),
      calls("run", { n: 3 }),
    );
    const given = [gives("run", "two", "2"), gives("run", "three")];
    test.each([
      ["right behind the calls", [asked, asks(...given)]],
      ["behind a text of their content", [asked, asks("So far:", ...given)]],
      ["behind a content of the user", [asked, asks("So far:"), asks(...given)]],
      ["before the calls", [asks(...given), asked, asks("Well?")]],
      ["alone", [asked, asks(gives("run", "three"))]],
    ])("%s", (_, contents) => {
      const answer = contentsOf(gemini([ask, ...contents])).find(
        (content) => "functionResponse" in (content.parts[0] ?? {}),
      );
      expect(answer?.parts[2]).toEqual(gives("run", "three"));
      expect(answer?.parts).toHaveLength(3);
    });

    test("more of them than such calls are in call order", () => {
      const [, , answer] = contentsOf(gemini([ask, asked, asks(gives("run", "one"), gives("run", "two"))]));
      expect(answer?.parts.slice(0, 2)).toEqual([gives("run", "one"), gives("run", "two")]);
    });
  });

  test("are not needed to keep the order of responses that come late", () => {
    const asked = says(calls("run", { n: 1 }), calls("run", { n: 2 }), calls("run", { n: 3 }));
    const given = asks(gives("run", "one"), gives("run", "two"), gives("run", "three"));
    expect(contentsOf(gemini([ask, asked, asks("Well?"), given]))[2]).toEqual(given);
  });

  test("of a restored call are those of its response, also when it has none", () => {
    expect(
      contentsOf(gemini([ask, asks(gives("run", "one", "r")), says("Fine."), ask, asks(gives("run", "two"))])),
    ).toEqual([
      ask,
      says(calls("run", {}, { id: "r" })),
      asks(gives("run", "one", "r")),
      says("Fine."),
      ask,
      says(calls("run")),
      asks(gives("run", "two")),
    ]);
  });
});

describe("responses without ids", () => {
  test("are paired by name, in the order of the calls", () => {
    const turn = says(calls("run", { n: 1 }), calls("look_up"), calls("run", { n: 2 }));
    const [, , answers] = contentsOf(gemini([ask, turn, asks(gives("look_up", "b"), gives("run", "c"))]));
    const outputs = answers?.parts.map((part) =>
      Object.keys((part["functionResponse"] as { response: object }).response),
    );
    expect(outputs).toEqual([["error"], ["output"], ["output"]]);
  });

  test("find a call of their name in an earlier turn", () => {
    const body = gemini([
      ask,
      says(calls("run")),
      asks("Meanwhile?"),
      says(calls("look_up")),
      asks(gives("look_up", "b"), gives("run", "a")),
    ]);
    expect(contentsOf(body)).toEqual([
      ask,
      says(calls("run")),
      asks(gives("run", "a")),
      asks("Meanwhile?"),
      says(calls("look_up")),
      asks(gives("look_up", "b")),
    ]);
  });

  test("of another tool's name do not answer a call from afar", () => {
    const rules = check(gemini([ask, says(calls("run")), asks("Stop."), asks(gives("look_up", "x"))]), { format }).map(
      ({ rule }) => rule,
    );
    expect(rules).toEqual(["unanswered-call", "orphan-result"]);
  });

  test("take the place of a notice of ours", () => {
    const repaired = contentsOf(gemini([ask, says(calls("run")), asks("Well?")]));
    const late = gemini([...repaired, asks(gives("run", "at last"))]);
    expect(contentsOf(late)).toEqual([ask, says(calls("run")), asks(gives("run", "at last")), asks("Well?")]);
  });

  test("that are two for one call are merged, or the last wins", () => {
    const body = gemini([ask, says(calls("run")), asks(gives("run", "one"), gives("run", "two"))]);
    expect(contentsOf(body)[2]).toEqual(asks(gives("run", "one\n\ntwo")));
    expect(contentsOf(body, { duplicates: "last" })[2]).toEqual(asks(gives("run", "two")));
    const objects = gemini([ask, says(calls("run")), asks(gives("run", { a: 1 }), gives("run", { b: 2 }))]);
    expect(contentsOf(objects)[2]).toEqual(asks(gives("run", { result: [{ a: 1 }, { b: 2 }] })));
  });
});

describe("thought signatures", () => {
  const signed = calls("look_up", {}, { signature: "c2ln" });
  const sentinel = "skip_thought_signature_validator";

  test.each([
    ["gemini-3-pro-preview", true],
    ["models/gemini-3.1-flash", true],
    ["gemini-4-pro", true],
    ["gemini-2.5-pro", false],
    ["gemini-flash-latest", false],
    [undefined, false],
  ])("for %s a missing one is replaced by the sentinel: %s", (model, isNeeded) => {
    const body = gemini([ask, says(calls("look_up"), calls("run")), asks(gives("look_up", "a"), gives("run", "b"))]);
    const [first, second] = contentsOf(body, { model: model ?? "unknown" })[1]?.parts ?? [];
    expect(first?.["thoughtSignature"]).toBe(isNeeded ? sentinel : undefined);
    expect(second?.["thoughtSignature"]).toBeUndefined();
  });

  test("are asked for in every step of the current turn, and not before it", () => {
    const step = [says(calls("run")), asks(gives("run", "x"))];
    const list = contentsOf(
      gemini([ask, ...step, says("Fine."), ask, says(signed), asks(gives("look_up", "y")), ...step]),
      {
        model: "gemini-3-pro",
      },
    );
    const carried = list.flatMap(({ parts }, index) => ("thoughtSignature" in (parts[0] ?? {}) ? [index] : []));
    expect(carried).toEqual([5, 7]);
    expect(list[7]?.parts[0]?.["thoughtSignature"]).toBe(sentinel);
  });

  test("of a restored call are the sentinel, and others stay with their part", () => {
    const list = contentsOf(gemini([ask, says({ text: "Hm.", thoughtSignature: "c2ln" }), asks(gives("run", "x"))]), {
      model: "gemini-3-pro",
    });
    expect(list[1]).toEqual(says({ text: "Hm.", thoughtSignature: "c2ln" }, calls("run", {}, { signature: sentinel })));
  });
});

describe("spelling", () => {
  test("is that of the request: snake_case is answered and signed in snake_case", () => {
    const list = contentsOf(gemini([ask, says(snake(calls("look_up")))]), { model: "gemini-3-pro" });
    expect(Object.keys(list[1]?.parts[0] ?? {})).toEqual(["function_call", "thought_signature"]);
    expect(Object.keys(list[2]?.parts[0] ?? {})).toEqual(["function_response"]);
  });

  test("is that of the part in paths", () => {
    const body = gemini([ask, says(snake(calls("look up"))), asks(gives("look up", "x"))]);
    expect(check(body, { format }).map(({ path }) => path)).toEqual([
      "contents[1].parts[0].function_call.name",
      "contents[2].parts[0].functionResponse.name",
    ]);
  });
});

describe("system contents", () => {
  const advice = { role: "system", parts: [{ text: "Be brief." }] };

  test.each([
    ["nothing", {}, { systemInstruction: { parts: [{ text: "Be brief." }] } }],
    [
      "an instruction in snake_case",
      { system_instruction: { parts: [{ text: "Be kind." }] } },
      { system_instruction: { parts: [{ text: "Be kind." }, { text: "Be brief." }] } },
    ],
    [
      "the SDK's config",
      { config: { systemInstruction: "Be kind.", temperature: 0 } },
      { config: { systemInstruction: { parts: [{ text: "Be kind." }, { text: "Be brief." }] }, temperature: 0 } },
    ],
  ])("join %s", (_, more, expected) => {
    const { output, problems } = repair({ contents: [advice, ask], ...more }, { format });
    expect(output).toEqual({ contents: [ask], ...expected });
    expect(problems).toEqual([]);
  });

  test("have no place in a bare array", () => {
    const { output, problems } = repair([advice, ask], { format });
    expect(output).toEqual([advice, ask]);
    expect(problems).toMatchObject([{ rule: "unknown-role", repairable: false }]);
  });
});

describe("messages in the shape of other formats", () => {
  const called = says({ functionCall: { id: "t1", name: "look_up", args: { shelf: 1 } } });
  const answered = asks({ functionResponse: { id: "t1", name: "look_up", response: { result: "three books" } } });
  const toolUse = { type: "tool_use", id: "t1", name: "look_up", input: { shelf: 1 } };
  const toolResult = { type: "tool_result", tool_use_id: "t1", content: "three books" };
  const toolCall = { id: "t1", type: "function", function: { name: "look_up", arguments: '{"shelf":1}' } };
  const chat = [
    { role: "assistant", content: null, tool_calls: [toolCall] },
    { role: "tool", tool_call_id: "t1", content: "three books" },
  ];

  test.each([
    ["the chat format", chat],
    [
      "Anthropic's",
      [
        { role: "assistant", content: [toolUse] },
        { role: "user", content: [toolResult] },
      ],
    ],
    [
      "Anthropic's, with a list for the result",
      [
        { role: "assistant", content: [toolUse] },
        { role: "user", content: [{ ...toolResult, content: [{ type: "text", text: "three books" }] }] },
      ],
    ],
  ])("keep their calls and results: %s", (_, messages) => {
    expect(contentsOf(gemini([ask, ...messages]))).toEqual([ask, called, answered]);
  });

  test("of the time before tool_calls keep them as well", () => {
    const old = [
      { role: "assistant", content: null, function_call: { name: "look_up", arguments: "{}" } },
      { role: "function", name: "look_up", content: "three books" },
    ];
    const [, asked, result] = contentsOf(gemini([ask, ...old]));
    expect(asked).toEqual(says({ functionCall: { name: "look_up", args: {} } }));
    expect(result).toEqual(asks({ functionResponse: { name: "look_up", response: { result: "three books" } } }));
  });

  test("keep free text for a tool, and the words of a refusal", () => {
    const custom = { id: "t1", type: "custom", custom: { name: "patch", input: "*** a" } };
    const body = gemini([
      ask,
      { role: "assistant", content: null, refusal: "I would rather not.", tool_calls: [custom] },
    ]);
    expect(contentsOf(body)[1]?.parts).toEqual([
      { text: "I would rather not." },
      { functionCall: { id: "t1", name: "patch", args: { _raw: "*** a" } } },
    ]);
  });

  test("say under error what a tool failed with", () => {
    const failed = { ...toolResult, content: "no shelf", is_error: true };
    const body = gemini([ask, { role: "assistant", content: [toolUse] }, { role: "user", content: [failed] }]);
    expect(contentsOf(body)[2]?.parts[0]?.["functionResponse"]).toMatchObject({ response: { error: "no shelf" } });
  });

  test("have results apart from words, and every edit says where each came from", () => {
    const mixed = { role: "user", content: [toolResult, { type: "text", text: "And below?" }] };
    const body = gemini([ask, called, mixed]);
    const { edits } = repair(body, { format });
    expect(contentsOf(body).slice(2)).toEqual([answered, asks("And below?")]);
    expect(edits).toMatchObject([
      { type: "rewrite", from: "contents[2].content[0]", to: "contents[2].parts[0]", before: toolResult },
      { type: "rewrite", from: "contents[2].content[1]", to: "contents[3].parts[0]", after: { text: "And below?" } },
    ]);
  });

  test("are edited where they stand in the input", () => {
    const { edits } = repair(gemini([ask, ...chat]), { format });
    expect(edits.map(({ rule, from, to }) => [rule, from, to])).toEqual([
      ["chat-shape", "contents[1]", "contents[1]"],
      ["unknown-role", "contents[1].role", "contents[1].role"],
      ["arguments-type", "contents[1].tool_calls[0].function.arguments", "contents[1].parts[0].functionCall.args"],
      ["chat-shape", "contents[2]", "contents[2]"],
    ]);
    expect(edits[2]).toMatchObject({ before: '{"shelf":1}', after: { shelf: 1 } });
    const text = { ...toolUse, input: '{"shelf":1}' };
    const [, , argument] = repair(gemini([ask, { role: "assistant", content: [text] }, answered]), { format }).edits;
    expect(argument).toMatchObject({ from: "contents[1].content[0].input", before: '{"shelf":1}' });
    const named = [chat[0], { ...chat[1], name: "other" }];
    const rename = { rule: "mismatched-name", from: "contents[2].name", before: "other" };
    expect(repair(gemini([ask, ...named]), { format }).edits).toContainEqual(expect.objectContaining(rename));
  });

  test("are edited no further where they go: a copy of a result is removed, and nothing else is said of it", () => {
    const { output, edits } = repair(gemini([ask, called, answered, says("Three."), chat[1]]), { format });
    expect(output["contents"]).toEqual([ask, called, answered, says("Three.")]);
    expect(edits).toMatchObject([{ rule: "duplicate-result", type: "remove", from: "contents[4]", before: chat[1] }]);
  });
});

test("a response in a model turn that repeats an earlier one is removed, not moved", () => {
  const result = gives("look_up", "three books", "1");
  const asked = says(calls("look_up", {}, { id: "1" }));
  const { output, edits } = repair(gemini([ask, asked, asks(result), says("Three.", result)]), { format });
  expect((output["contents"] as Body["contents"])[3]).toEqual(says("Three."));
  expect(edits).toMatchObject([
    { rule: "duplicate-result", type: "remove", from: "contents[3].parts[1].functionResponse" },
  ]);
  const different = gives("look_up", "four books", "9");
  const dropped = repair(gemini([ask, asked, asks(result), says("Three.", different)]), { format, orphans: "drop" });
  expect(dropped.edits).toMatchObject([{ rule: "orphan-result", type: "remove", lossless: false }]);
});

test("text in place of the contents is what the SDKs take for one", () => {
  const body = { contents: "Hi." };
  expect(repair(body).output).toBe(body);
});
