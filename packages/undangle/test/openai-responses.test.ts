import { check, repair } from "undangle";
import { describe, expect, test } from "vitest";
import {
  asks,
  calls,
  gives,
  responses,
  sealed,
  tells,
  thinking,
  thinks,
  without,
  writes,
  wrote,
} from "./fixtures/build-responses.ts";

const format = "openai-responses";

const mended = (input: unknown, more: Record<string, unknown> = {}): unknown =>
  (repair(thinking(input, more), { format }).output as { readonly input: unknown }).input;

const ask = asks("What is on the shelf?");
const idCall = (callId: string, id: string) => calls(callId, "look_up", {}, { id });

describe("outputs", () => {
  test("may stand anywhere behind their call, and stay there while something else is mended", () => {
    const input = [ask, calls("c1"), asks("Hurry!"), calls("c2"), gives("c1", "one"), calls("c3"), gives("c2", "two")];
    const { output, edits } = repair(responses(input), { format });
    expect(edits.map(({ rule, from, to }) => [rule, from, to])).toEqual([["unanswered-call", "input[5]", "input[6]"]]);
    const items = (output as { readonly input: readonly unknown[] }).input;
    expect(items.filter((_, index) => index !== 6)).toEqual(input);
  });

  test("are of the kind that their call asks for", () => {
    expect(mended([ask, writes("p1", "*** Begin Patch"), asks("Stop.")])).toMatchObject([
      {},
      { type: "custom_tool_call" },
      { type: "custom_tool_call_output", call_id: "p1" },
      {},
    ]);
    expect(mended([ask, wrote("p9", "Done!")])).toMatchObject([
      {},
      { type: "custom_tool_call", call_id: "p9", input: "" },
      { type: "custom_tool_call_output", call_id: "p9", output: "Done!" },
    ]);
  });

  test("of a call that is stored with the server are no orphans, however it is said", () => {
    const input = [gives("c9", "three books"), ask];
    expect(check({ model: "gpt-4.1", input }, { format }).map(({ rule }) => rule)).toEqual(["orphan-result"]);
    for (const stored of [{ previous_response_id: "resp_1" }, { conversation: "conv_1" }]) {
      expect(check({ model: "gpt-4.1", input, ...stored }, { format })).toEqual([]);
    }
    expect(check([{ type: "item_reference", id: "fc_9" }, ...input], { format })).toEqual([]);
    expect(check([{ type: "item_reference", id: "rs_9" }, ...input], { format })).toHaveLength(1);
  });

  test("that answer a stored call twice become one", () => {
    const input = [gives("c9", "three"), gives("c9", "books"), ask];
    expect(mended(input, { previous_response_id: "resp_1" })).toEqual([gives("c9", "three\n\nbooks"), ask]);
  });
});

describe("the ids of items in place of those of calls", () => {
  test("pair a call that has no call_id with the output that names it, whatever its prefix", () => {
    for (const prefix of ["call_", "fc_"]) {
      const [one, two] = [1, 2].map((n) => without(calls("", `tool_${n}`, {}, { id: `${prefix}${n}` }), "call_id"));
      const items = mended([ask, one, two, gives(`${prefix}2`, "two"), asks("Well?")], { model: "gpt-4.1" });
      expect(items).toMatchObject([
        {},
        { name: "tool_1", call_id: `${prefix}1` },
        { name: "tool_2", call_id: `${prefix}2` },
        { type: "function_call_output", call_id: `${prefix}1` },
        gives(`${prefix}2`, "two"),
        {},
      ]);
    }
  });

  test("tell whose an output is that stands before its call", () => {
    const [one, two] = [1, 2].map((n) => without(calls("", `tool_${n}`, {}, { id: `fc_${n}` }), "call_id"));
    const items = mended([ask, one, gives("fc_2", "two"), ask, two], { model: "gpt-4.1" });
    expect(items).toMatchObject([
      {},
      { call_id: "fc_1" },
      { call_id: "fc_1" },
      {},
      { name: "tool_2" },
      gives("fc_2", "two"),
    ]);
  });

  test("still leave the rest to the order of the outputs", () => {
    const call = without(calls("", "look_up", {}, { id: "fc_1" }), "call_id");
    const items = mended([ask, call, gives("call_z", "three")], { model: "gpt-4.1" });
    expect(items).toMatchObject([{}, { call_id: "call_z", id: "fc_1" }, gives("call_z", "three")]);
  });

  test("that restart with every round keep each output with the call before it", () => {
    const call = (n: number) => without(calls("", "look_up", { n }, { id: "fc_0" }), "call_id");
    const items = mended([ask, call(1), gives("fc_0", "one"), call(2), gives("fc_0", "two")], { model: "gpt-4.1" });
    const [, , one, second, two] = items as readonly Record<string, unknown>[];
    expect([one, two?.["output"], two?.["call_id"]]).toEqual([gives("fc_0", "one"), "two", second?.["call_id"]]);
  });

  test("are replaced in outputs by the call_id that the call has", () => {
    const input = [
      ask,
      idCall("call_a", "fc_a"),
      gives("fc_a", "one"),
      idCall("call_b", "fc_b"),
      gives("call_b", "two"),
    ];
    const { output, edits } = repair(responses(input), { format });
    expect(output["input"]).toEqual(input.with(2, gives("call_a", "one")));
    expect(edits).toMatchObject([{ type: "rename", from: "input[2].call_id", before: "fc_a", after: "call_a" }]);
    expect(edits).toHaveLength(1);
    const tool = [ask, idCall("call_a", "fc_a"), { role: "tool", tool_call_id: "fc_a", content: "one" }];
    expect(check(responses(tool), { format }).map(({ path }) => path)).toEqual(["input[2]", "input[2].tool_call_id"]);
  });
});

describe("reasoning", () => {
  test("stays right before the call that it led to, by the same reference", () => {
    const reasoning = sealed(undefined, { id: "rs_1" });
    const call = idCall("c1", "fc_1");
    const items = mended([ask, reasoning, call, asks("Stop.")]) as readonly unknown[];
    expect(items[1]).toBe(reasoning);
    expect(items[2]).toBe(call);
  });

  test("goes when what it led to is gone, and so do the ids that ask for it", () => {
    expect(
      mended([ask, thinks("rs_1"), calls("c1"), idCall("c2", "fc_2"), gives("c1", "a"), gives("c2", "b")]),
    ).toEqual([ask, calls("c1"), calls("c2"), gives("c1", "a"), gives("c2", "b")]);
  });

  test("that was replaced by readable text goes, with the id of the message behind it", () => {
    const items = [ask, sealed("I should look it up."), tells("Three.", { id: "msg_1" }), asks("Thanks.")];
    expect(mended(items)).toEqual([ask, tells("Three."), asks("Thanks.")]);
  });

  test("is asked for by the ids of calls only where the model is known to reason", () => {
    const input = [ask, idCall("c1", "fc_1"), gives("c1", "three")];
    expect(check({ model: "gpt-5.2", input }, { format }).map(({ rule }) => rule)).toEqual(["missing-reasoning"]);
    expect(check({ model: "openai/o3", input }, { format })).toHaveLength(1);
    for (const model of ["gpt-4.1", "gpt-5-chat-latest", "my-deployment", undefined]) {
      expect(check({ model, input }, { format })).toEqual([]);
    }
  });

  test("does not stand before a call that was made for an orphan", () => {
    const items = mended([ask, sealed(), gives("c9", "three books"), tells("Three.")]) as readonly { type?: string }[];
    expect(items.map(({ type }) => type)).toEqual(["message", "function_call", "function_call_output", "message"]);
  });
});

describe("items that stand there twice", () => {
  test("go, unless the second call has an answer of its own", () => {
    const pair = [idCall("c1", "fc_1"), gives("c1", "one")];
    expect(mended([ask, ...pair, ...pair], { model: "gpt-4.1" })).toEqual([ask, ...pair]);
    const items = mended([ask, ...pair, idCall("c1", "fc_1"), gives("c1", "two")], { model: "gpt-4.1" });
    expect(items).toMatchObject([ask, ...pair, { name: "look_up" }, { output: "two" }]);
    expect(JSON.stringify(items).match(/"fc_1"/gu)).toHaveLength(1);
  });
});

describe("what other formats write", () => {
  test("becomes items: calls in a message, results as messages and as blocks", () => {
    const chat = { id: "c1", type: "function", function: { name: "look_up", arguments: "{}" } };
    const items = [
      ask,
      { role: "assistant", content: "Looking.", tool_calls: [chat] },
      { role: "tool", tool_call_id: "c1", content: "three" },
      { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "count", input: { of: "books" } }] },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "t1", content: "3" },
          { type: "text", text: "Well?" },
        ],
      },
      { type: "input_text", text: "Hello?" },
    ];
    expect(mended(items)).toEqual([
      ask,
      { role: "assistant", content: "Looking." },
      calls("c1"),
      gives("c1", "three"),
      calls("t1", "count", { of: "books" }),
      gives("t1", "3"),
      { role: "user", content: [{ type: "input_text", text: "Well?" }] },
      { type: "message", role: "user", content: [{ type: "input_text", text: "Hello?" }] },
    ]);
  });

  test("the one call of an older message becomes an item with its arguments, and a function message its output", () => {
    const called = { name: "look_up", arguments: '{"of":"books"}' };
    const old = { role: "assistant", content: null, function_call: called };
    const items = mended([ask, old, { role: "function", name: "look_up", content: "three" }]);
    const [, call, result] = items as readonly Record<string, unknown>[];
    expect(call).toEqual(calls(call?.["call_id"], "look_up", called.arguments));
    expect(result).toEqual(gives(call?.["call_id"], "three"));
    const both = { ...old, tool_calls: [{ id: "c1", type: "function", function: called }] };
    expect(mended([ask, both, gives("c1", "three")])).toEqual([
      ask,
      calls("c1", "look_up", called.arguments),
      gives("c1", "three"),
    ]);
    expect(mended([ask, { role: "assistant", content: "Three.", function_call: null }])).toEqual([
      ask,
      { role: "assistant", content: "Three." },
    ]);
  });

  test("edits of what stood beside calls and results name the place where it stood", () => {
    const said = { type: "text", text: "after" };
    const items = [
      ask,
      { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "count", input: {} }, said] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: "3" }, said] },
    ];
    const { edits } = repair(responses(items), { format });
    const rewrites = edits.filter(({ type }) => type === "rewrite");
    expect(rewrites.map(({ from, before }) => [from, before])).toEqual([
      ["input[1].content[1]", said],
      ["input[2].content[1]", said],
    ]);
    const paths = check(responses(items), { format }).map(({ path }) => path);
    expect(new Set(paths).size).toBe(paths.length);
  });

  test("parts of a tool message are named where the input has them", () => {
    const part = { type: "text", text: "three" };
    const input = [ask, calls("c1"), { role: "tool", tool_call_id: "c1", content: [part] }];
    const [, edit] = repair(responses(input), { format }).edits;
    expect(edit).toMatchObject({ from: "input[2].content[0]", to: "input[2].output[0]", before: part });
  });

  test("images keep their detail, and stay images in results", () => {
    const url = "https://example.com/a.png";
    const image = { type: "image", source: { type: "base64", media_type: "image/jpeg", data: "AAAA" } };
    const jpeg = { type: "input_image", image_url: "data:image/jpeg;base64,AAAA" };
    const shot = { type: "tool_result", tool_use_id: "c1", content: [{ type: "text", text: "Shot." }, image] };
    expect(
      mended([
        { role: "user", content: [{ type: "image_url", image_url: { url, detail: "low" } }] },
        calls("c1"),
        { role: "user", content: [shot] },
        calls("c2"),
        gives("c2", [{ type: "image", data: "AAAA", mimeType: "image/jpeg" }]),
      ]),
    ).toEqual([
      { role: "user", content: [{ type: "input_image", image_url: url, detail: "low" }] },
      calls("c1"),
      gives("c1", [{ type: "input_text", text: "Shot." }, jpeg]),
      calls("c2"),
      gives("c2", [jpeg]),
    ]);
  });

  test("what has no place here goes, and the edit says so: thinking, and the mark of an error", () => {
    const thought = { type: "thinking", thinking: "Hm.", signature: "c2ln" };
    const input = [
      ask,
      { role: "assistant", content: [thought, { type: "tool_use", id: "t1", name: "count", input: {} }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: "No shelf.", is_error: true }] },
      { role: "assistant", content: [thought, { type: "output_text", text: "None." }] },
    ];
    const { output, edits } = repair(responses(input), { format });
    expect(output["input"]).toEqual([
      ask,
      calls("t1", "count"),
      gives("t1", "No shelf."),
      { role: "assistant", content: [{ type: "output_text", text: "None." }] },
    ]);
    expect(edits.filter(({ lossless }) => !lossless).map(({ type, from }) => [type, from])).toEqual([
      ["remove", "input[1].content[0]"],
      ["move", "input[2].content[0]"],
      ["remove", "input[3].content[0]"],
    ]);
  });

  test("keys that only messages of the chat format have go, where OpenAI is asked", () => {
    const input = [
      { role: "user", content: "Hello.", name: "kim" },
      { role: "assistant", content: "Hi.", reasoning_content: "Hm." },
      ask,
    ];
    const { output, edits } = repair(responses(input), { format });
    expect(output["input"]).toEqual([{ role: "user", content: "Hello." }, { role: "assistant", content: "Hi." }, ask]);
    expect(edits.map(({ rule, from, lossless }) => [rule, from, lossless])).toEqual([
      ["unknown-property", "input[0].name", false],
      ["unknown-property", "input[1].reasoning_content", false],
    ]);
    expect(check(responses(input), { format, provider: "vllm" })).toEqual([]);
  });

  test("images that the model cannot have said stand in a user message behind its own", () => {
    const image = { type: "input_image", image_url: "https://example.com/a.png" };
    const { output, edits } = repair([ask, { role: "assistant", content: [image, { type: "text", text: "Here." }] }], {
      format,
    });
    expect(output).toMatchObject([
      ask,
      { role: "assistant", content: [{ type: "output_text", text: "Here." }] },
      { role: "user", content: [image] },
    ]);
    expect(edits.map(({ from, to }) => [from, to])).toEqual([
      ["input[1].content[0]", "input[2].content[0]"],
      ["input[1].content[1]", "input[1].content[0]"],
    ]);
  });

  test("types of item that nobody knows stay as they are, and are named", () => {
    const odd = { type: "hologram", call_id: "c1", role: "assistant" };
    const { output, problems } = repair([ask, odd, calls("c1"), asks("Stop.")], { format });
    expect((output as readonly unknown[])[1]).toBe(odd);
    expect(problems.map(({ rule, path, repairable }) => [rule, path, repairable])).toEqual([
      ["unknown-block", "input[1]", false],
    ]);
  });
});

describe("an empty text in place of the items", () => {
  test("is no item: only a stored conversation gives something to answer", () => {
    const body = responses("");
    const { output, problems } = repair(body, { format });
    expect(output).toBe(body);
    expect(problems).toMatchObject([{ rule: "no-messages", path: "input", repairable: false }]);
    expect(check(responses("", { previous_response_id: "resp_1" }), { format })).toEqual([]);
    expect(repair(body, { format, provider: "azure" }).output).toBe(body);
    expect(check(responses("Hello."), { format, provider: "azure" })).toEqual([]);
  });
});

describe("DeepSeek's server", () => {
  test("has only calls and outputs between a call and its output", () => {
    const say = tells("And the wind.");
    const input = [ask, calls("c1"), say, calls("c2"), asks("Hurry!"), gives("c2", "calm"), gives("c1", "3 °C")];
    expect(check({ input }, { format })).toEqual([]);
    const { output } = repair({ input }, { format, provider: "deepseek" });
    expect(output.input).toEqual([
      ask,
      say,
      calls("c1"),
      calls("c2"),
      gives("c1", "3 °C"),
      gives("c2", "calm"),
      asks("Hurry!"),
    ]);
  });
});
