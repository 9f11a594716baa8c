import { check, explain, renderNotice, repair, repairAsync, setLanguage, UndangleError } from "undangle";
import type { ErrorCode } from "undangle";
import { describe, expect, test } from "vitest";

const user = { role: "user", content: "hi" };

/** The error that something throws; the test fails when it throws none, or another kind. */
function errorOf(work: () => unknown): UndangleError {
  try {
    work();
  } catch (error) {
    if (error instanceof UndangleError) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}

/** Calls with what the types forbid, as JavaScript does. */
const loosely = <Result>(call: (...args: never[]) => Result, ...args: unknown[]): Result => call(...(args as never[]));

describe("an input that is none gets an error with a code and a sentence that says what to do", () => {
  test.each<[name: string, input: unknown, options: unknown, expected: readonly [code: ErrorCode, says: RegExp]]>([
    ["a string", "hello", {}, ["input/shape", /a request body or an array of messages/]],
    ["null", null, {}, ["input/shape", /it is null/]],
    ["a number", 7, { format: "anthropic" }, ["input/no-messages", /messages/]],
    ["an object without messages", { model: "gpt-4o", prompt: "x" }, {}, ["input/no-messages", /model, prompt/]],
    ["messages that are a number", { messages: 3 }, {}, ["input/shape", /messages must be an array, but it is number/]],
    ["messages that are null", { messages: null }, { format: "openai-chat" }, ["input/shape", /it is null/]],
    ["things that are no messages", [1, 2, 3], {}, ["format/unknown", /option format/]],
    ["an unknown format", [user], { format: "yaml" }, ["format/unsupported", /openai-chat, anthropic/]],
    ["an unknown provider", [user], { provider: "acme" }, ["options/value", /mistral.*anthropic/s]],
    [
      "a provider of another format",
      [user],
      { format: "anthropic", provider: "mistral" },
      ["options/value", /anthropic/],
    ],
    ["an unknown option", [user], { formt: "anthropic" }, ["options/unknown", /format, provider, model/]],
    ["options that are null", [user], null, ["options/value", /an object/]],
    ["a policy that is none", [user], { orphans: "keep" }, ["options/value", /restore, quote, drop/]],
    ["a policy that is none", [user], { duplicates: "first" }, ["options/value", /merge, last/]],
    ["a policy that is none", [user], { danglingAtEnd: true }, ["options/value", /answer, leave/]],
    ["notices that are none", [user], { notices: "modern" }, ["options/value", /by-cause, classic/]],
    ["a language that is none", [user], { language: "fr" }, ["options/value", /en, zh/]],
    ["a notice that is no function", [user], { notice: "cancelled" }, ["options/value", /a function/]],
    ["a format that is a number", [user], { format: 1 }, ["options/value", /a string/]],
    [
      "a prototype key as an option",
      [user],
      JSON.parse('{"__proto__": 1, "constructor": 2}'),
      ["options/unknown", /format/],
    ],
  ])("%s (%j)", (_, input, options, [code, says]) => {
    const error = errorOf(() => loosely(repair, input, options));
    expect(error.code).toBe(code);
    expect(error.message).toMatch(says);
  });

  test("the same holds for the other functions", async () => {
    expect(errorOf(() => loosely(check, [user], { language: "en" })).code).toBe("options/unknown");
    expect(errorOf(() => loosely(check, "x")).code).toBe("input/shape");
    expect(errorOf(() => loosely(explain, 7)).code).toBe("input/shape");
    expect(errorOf(() => loosely(explain, "x", null)).code).toBe("options/value");
    expect(errorOf(() => loosely(setLanguage, "fr")).code).toBe("options/value");
    expect(errorOf(() => loosely(renderNotice, { id: "a", name: "b" }, "bored")).code).toBe("options/value");
    expect(errorOf(() => loosely(renderNotice, { id: "a", name: "b" }, "limit", { language: "fr" })).code).toBe(
      "options/value",
    );
    await expect(loosely(repairAsync, "x")).rejects.toMatchObject({ code: "input/shape" });
    await expect(loosely(repairAsync, [user], null)).rejects.toMatchObject({ code: "options/value" });
  });

  test("the data of an error is narrowed by its code", () => {
    const error = errorOf(() => repair({ model: "gpt-4o" }));
    expect(error.is("input/no-messages") && error.data.keys).toEqual(["model"]);
    expect(error.is("input/cyclic")).toBe(false);
  });
});

describe("where several formats fit", () => {
  test("and come to the same, nothing is asked", () => {
    const history = [user, { role: "assistant", content: "hello" }, user];
    expect(repair(history)).toEqual({ output: history, edits: [], problems: [], format: "openai-chat" });
  });

  test("and differ, the error asks for the format", () => {
    const history = [user, { role: "assistant", content: "" }, { role: "user", content: "" }];
    const error = errorOf(() => repair(history));
    expect(error.code).toBe("format/ambiguous");
    expect(error.message).toMatch(/openai-chat, anthropic/u);
    expect(repair(history, { format: "openai-chat" }).output).toBe(history);
  });
});

describe("hostile values end in a repair or a clear error, and leave the input alone", () => {
  const call = (args: unknown, id: unknown = "c1", name: unknown = "f") => ({
    role: "assistant",
    content: null,
    tool_calls: [{ id, type: "function", function: { name, arguments: args } }],
  });

  test("cyclic arguments", () => {
    const cyclic: Record<string, unknown> = {};
    cyclic["self"] = cyclic;
    const error = errorOf(() => repair([call(cyclic), user], { format: "openai-chat" }));
    expect(error.code).toBe("input/cyclic");
  });

  test("a list that holds itself", () => {
    const list: unknown[] = [user];
    list.push(list);
    expect(check(list, { format: "openai-chat" })).toMatchObject([{ rule: "unknown-role", repairable: false }]);
  });

  test("arguments nested a million deep", () => {
    let deep: unknown = {};
    for (let i = 0; i < 1_000_000; i++) deep = [deep];
    const error = errorOf(() => repair([call({ deep }), user], { format: "openai-chat" }));
    expect(error.code).toBe("input/too-deep");
    expect(repair([call("[".repeat(1_000_000)), user], { format: "openai-chat" }).problems).toEqual([]);
  });

  test("a BigInt in arguments", () => {
    expect(errorOf(() => repair([call({ n: 1n }), user], { format: "openai-chat" })).code).toBe("input/shape");
  });

  test.each(["__proto__", "constructor", "hasOwnProperty", "toString", "valueOf"])("%s as id and name", (key) => {
    for (const format of ["openai-chat", "anthropic"] as const) {
      const block = { type: "tool_use", id: key, name: key, input: {} };
      const asked = format === "openai-chat" ? call("{}", key, key) : { role: "assistant", content: [block] };
      const { output, problems, edits } = repair([asked, user], { format });
      expect(problems).toEqual([]);
      expect(edits).toMatchObject([{ rule: "unanswered-call", callId: key }]);
      expect(output[0]).toBe(asked);
    }
  });

  test("lone surrogates stay as they are", () => {
    const lone = "a\uD800b";
    const { output } = repair(
      [call(`{"x":"${lone}`, lone), { role: "tool", tool_call_id: lone, content: lone }, user],
      {
        format: "openai-chat",
        provider: "deepseek",
      },
    );
    expect(JSON.stringify(output)).toContain(JSON.stringify(lone).slice(1, -1));
    expect(check(output, { format: "openai-chat", provider: "deepseek" })).toEqual([]);
  });

  test.each([undefined, null, 0, "", [], {}, true, Number.NaN])("%j in every place of a message", (value) => {
    const messages = [
      value,
      { role: value, content: "x" },
      { role: "user", content: value },
      { role: "user", content: [value] },
      { role: "assistant", content: value, tool_calls: value },
      { role: "assistant", content: null, tool_calls: [value] },
      { role: "assistant", content: null, tool_calls: [{ id: value, type: value, function: value }] },
      call(value, value, value),
      { role: "tool", tool_call_id: value, content: value, name: value },
      { role: "assistant", content: [{ type: "tool_use", id: value, name: value, input: value }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: value, content: value }] },
      { role: "assistant", content: [{ type: "thinking", thinking: value, signature: value }] },
      { role: "assistant", content: [{ type: "server_tool_use", id: value, name: value, input: value }] },
    ];
    const before = structuredClone(messages);
    for (const format of ["openai-chat", "anthropic"] as const) {
      const { output, problems } = repair(messages, { format });
      expect(problems.filter(({ repairable }) => repairable)).toEqual([]);
      expect(repair(output, { format }).output).toBe(output);
    }
    expect(messages).toEqual(before);
  });

  test("frozen histories are repaired", () => {
    const frozen = Object.freeze([Object.freeze(call("{}")), Object.freeze({ ...user })]);
    expect(repair(frozen, { format: "openai-chat" }).edits).toHaveLength(1);
  });
});

describe("hostile sizes take their time, not the process", { timeout: 120_000 }, () => {
  const turn = (i: number) => [
    { role: "user", content: "q" },
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: `c${i}`, type: "function", function: { name: "f", arguments: "{}" } }],
    },
    ...(i % 10 === 0 ? [] : [{ role: "tool", tool_call_id: `c${i}`, content: "r" }]),
  ];

  test("a million messages", () => {
    const history = Array.from({ length: 340_000 }, (_, i) => turn(i)).flat();
    const { edits, problems } = repair(history, { format: "openai-chat" });
    expect(edits).toHaveLength(34_000);
    expect(problems).toEqual([]);
  });

  test("a string of 100 MB", () => {
    const long = "x".repeat(100_000_000);
    const history = [
      user,
      { role: "assistant", content: long, tool_calls: turn(0)[1]?.tool_calls },
      { role: "user", content: long },
    ];
    expect(repair(history, { format: "openai-chat" }).edits).toHaveLength(1);
    const cut = [
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: long, type: "function", function: { name: "f", arguments: `{"a":"${long}` } }],
      },
    ];
    expect(repair(cut, { format: "openai-chat" }).problems).toEqual([]);
  });

  test.each<[name: string, history: unknown[], options: { format: "openai-chat" | "anthropic"; provider?: string }]>([
    ["calls in one turn", [many("calls")], { format: "openai-chat" }],
    [
      "calls in one turn, answered backwards",
      [many("calls"), ...range((i) => ({ role: "tool", tool_call_id: `c${9999 - i}`, content: "r" }))],
      { format: "openai-chat" },
    ],
    [
      "calls with one id",
      [many("same id"), ...range(() => ({ role: "tool", tool_call_id: "c", content: "r" }))],
      { format: "openai-chat" },
    ],
    [
      "calls without an id",
      [many("no id"), ...range((i) => ({ role: "tool", content: `r${i}` }))],
      { format: "openai-chat" },
    ],
    [
      "results for one call",
      [many("one"), ...range((i) => ({ role: "tool", tool_call_id: "c0", content: `r${i}` }))],
      { format: "openai-chat" },
    ],
    ["orphans", range((i) => ({ role: "tool", tool_call_id: `o${i}`, content: "r" })), { format: "openai-chat" }],
    [
      "orphans with one id",
      range(() => ({ role: "tool", tool_call_id: "o", content: "r" })),
      { format: "openai-chat" },
    ],
    ["turns with one id", range(() => many("one")), { format: "openai-chat" }],
    [
      "late results",
      [...range((i) => one(i)), ...range((i) => ({ role: "tool", tool_call_id: `c${i}`, content: "r" }))],
      { format: "openai-chat" },
    ],
    ["user messages to merge", range(() => user), { format: "openai-chat", provider: "vllm" }],
    [
      "assistant messages to merge",
      range(() => ({ role: "assistant", content: "a" })),
      { format: "openai-chat", provider: "llamacpp" },
    ],
    [
      "system messages to move",
      [user, { role: "assistant", content: "a" }, ...range(() => ({ role: "system", content: "s" }))],
      { format: "openai-chat", provider: "mistral" },
    ],
    [
      "images to move",
      [
        many("one"),
        { role: "tool", tool_call_id: "c0", content: range(() => ({ type: "image_url", image_url: { url: "x" } })) },
      ],
      { format: "openai-chat" },
    ],
    [
      "blocks",
      [{ role: "assistant", content: range((i) => ({ type: "tool_use", id: `t${i}`, name: "f", input: {} })) }],
      { format: "anthropic" },
    ],
    [
      "blocks with one id",
      [{ role: "assistant", content: range(() => ({ type: "tool_use", id: "t", name: "f", input: { a: 1 } })) }],
      { format: "anthropic" },
    ],
    [
      "results and texts",
      [
        {
          role: "user",
          content: range((i) =>
            i % 2 ? { type: "text", text: "x" } : { type: "tool_result", tool_use_id: `t${i}`, content: "r" },
          ),
        },
      ],
      { format: "anthropic" },
    ],
    [
      "texts behind calls",
      [
        {
          role: "assistant",
          content: range((i) =>
            i % 2 ? { type: "text", text: "x" } : { type: "tool_use", id: `t${i}`, name: "f", input: {} },
          ),
        },
      ],
      { format: "anthropic" },
    ],
    [
      "server calls",
      [
        {
          role: "assistant",
          content: range((i) => ({ type: "server_tool_use", id: `x${i}`, name: "web_search", input: {} })),
        },
        user,
      ],
      { format: "anthropic" },
    ],
    [
      "server results",
      [
        {
          role: "assistant",
          content: range((i) => ({ type: "web_search_tool_result", tool_use_id: `x${i}`, content: [] })),
        },
        user,
      ],
      { format: "anthropic" },
    ],
    [
      "system messages",
      [user, ...range((i) => ({ role: i % 2 ? "system" : "assistant", content: "s" })), user],
      { format: "anthropic" },
    ],
    [
      "empty user messages",
      [user, ...range(() => ({ role: "user", content: "" })), user, { role: "assistant", content: " " }],
      { format: "anthropic" },
    ],
    [
      "split results",
      [
        { role: "assistant", content: range((i) => ({ type: "tool_use", id: `c${i}`, name: "f", input: {} })) },
        ...range((i) => ({ role: "user", content: [{ type: "tool_result", tool_use_id: `c${i}`, content: "r" }] })),
      ],
      { format: "anthropic" },
    ],
  ])("10,000 %s", (_, history, options) => {
    const target = options.provider === "vllm" ? { ...options, model: "gemma-3" } : options;
    const { problems } = repair(history, target);
    expect(problems.filter(({ repairable }) => repairable)).toEqual([]);
  });
});

function range<Value>(make: (i: number) => Value): Value[] {
  return Array.from({ length: 10_000 }, (_, i) => make(i));
}

function one(i: number): unknown {
  return {
    role: "assistant",
    content: null,
    tool_calls: [{ id: `c${i}`, type: "function", function: { name: "f", arguments: "{}" } }],
  };
}

function many(kind: "calls" | "same id" | "no id" | "one"): unknown {
  const ids =
    kind === "one" ? ["c0"] : range((i) => (kind === "calls" ? `c${i}` : kind === "same id" ? "c" : undefined));
  const tool_calls = ids.map((id, i) => ({
    ...(id === undefined ? {} : { id }),
    type: "function",
    function: { name: "f", arguments: `{"n":${i}}` },
  }));
  return { role: "assistant", content: null, tool_calls };
}
