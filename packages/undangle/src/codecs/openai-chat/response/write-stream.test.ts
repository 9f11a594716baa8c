import { describe, expect, test } from "vitest";
import { readWaiting } from "../../stream/read-waiting.fixture.ts";
import { chatWriter } from "./write-stream.ts";

const chunk = (delta: object, finish: string | null = null) => ({
  value: { id: "chatcmpl-1", model: "m", choices: [{ index: 0, delta, finish_reason: finish }] },
});
const call = (index: number, rest: object) => ({ index, ...rest });
const first = (id: string, text = "") => ({ id, type: "function", function: { name: "f", arguments: text } });
const more = (text: string) => ({ function: { arguments: text } });

/** Reads chunks after a first one as a strict client. */
function read(...frames: readonly { readonly value: Record<string, unknown> }[]) {
  const cleaner = chatWriter.stream();
  cleaner.emitted(chunk({ role: "assistant" }));
  return readWaiting(cleaner, frames);
}

describe("what OpenAI sends", () => {
  test("is read as it is", () => {
    const turns = read(
      chunk({ tool_calls: [call(0, first("a"))] }),
      chunk({ tool_calls: [call(0, more('{"x":'))] }),
      chunk({ tool_calls: [call(0, more("1}"))] }),
      chunk({ tool_calls: [call(1, first("b", "{}"))] }),
      chunk({}, "tool_calls"),
    );
    expect(turns).toEqual([
      {
        calls: [
          { id: "a", name: "f", arguments: '{"x":1}' },
          { id: "b", name: "f", arguments: "{}" },
        ],
        isEnded: true,
      },
    ]);
  });
});

describe("what a client would trip over", () => {
  const ended = chunk({}, "tool_calls");
  test.each([
    ["no id", chunk({ tool_calls: [call(0, { ...first("a"), id: null })] })],
    ["no index", chunk({ tool_calls: [first("a")] })],
    ["an index that does not count from 0", chunk({ tool_calls: [call(1, first("a"))] })],
    ["no type", chunk({ tool_calls: [call(0, { ...first("a"), type: undefined })] })],
    [
      "arguments as an object",
      chunk({ tool_calls: [call(0, { ...first("a"), function: { name: "f", arguments: {} } })] }),
    ],
    ["an end that says something else", chunk({ tool_calls: [call(0, first("a", "{}"))] }, "stop")],
    ["an unknown end", chunk({ tool_calls: [call(0, first("a", "{}"))] }, "eos")],
    ["two calls with one id", chunk({ tool_calls: [call(0, first("a")), call(1, first("a"))] })],
    ["choices that are no list", { value: { choices: null } }],
    [
      "a message beside what is new of it",
      { value: { choices: [{ index: 0, delta: {}, message: { content: "" }, finish_reason: null }] } },
    ],
  ])("%s", (_, frame) => {
    expect(read(frame, ended)).toBeUndefined();
  });
});

describe("a chunk that is only said", () => {
  const cleaner = () => {
    const one = chatWriter.stream();
    one.emitted(chunk({ role: "assistant" }));
    return one;
  };
  const said = [{ type: "text", choice: 0, text: "a" }] as const;

  test("is sound when it says what was read", () => {
    expect(cleaner().isValid(chunk({ content: "a" }), { texts: said, hasEnd: false })).toBe(true);
    expect(cleaner().isValid(chunk({ content: "b" }), { texts: said, hasEnd: false })).toBe(false);
    expect(cleaner().isValid(chunk({ content: ["a"] }), { texts: said, hasEnd: false })).toBe(false);
    expect(cleaner().isValid(chunk({ content: null }), { texts: [], hasEnd: false })).toBe(true);
  });

  test("ends a choice once, and as its calls ask for", () => {
    const one = cleaner();
    const read = { texts: [], hasEnd: true };
    expect(one.isValid(chunk({}, "length"), read)).toBe(true);
    one.emitted(chunk({}, "stop"));
    expect(one.isValid(chunk({}, "stop"), read)).toBe(false);
    const other = cleaner();
    other.held(chunk({ tool_calls: [call(0, first("a", "{}"))] }));
    other.released();
    expect(other.isValid(chunk({}, "stop"), read)).toBe(false);
    expect(other.isValid(chunk({}, "tool_calls"), read)).toBe(true);
  });

  test("names its role when it is the first", () => {
    const fresh = chatWriter.stream();
    expect(fresh.isValid(chunk({ content: "a" }), { texts: said, hasEnd: false })).toBe(false);
    expect(fresh.writeText(said, chunk({}).value)[0]?.value["choices"]).toEqual([
      { index: 0, delta: { role: "assistant", content: "a" }, finish_reason: null },
    ]);
  });
});
