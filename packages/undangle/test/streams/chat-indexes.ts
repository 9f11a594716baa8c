import { cut, ready, streams, truncated, turn } from "./build.ts";
import { DONE, begin, calls, chat, chunk, delta, end, entry, more, role, says } from "./build-chat.ts";

const red = { color: "red" };
const blue = { color: "blue" };

/** What a server that counts its chunks sends. */
const counted = (index: number, given: Readonly<Record<string, unknown>>, finish: string | null = null) =>
  chunk([{ index, delta: given, message: given, finish_reason: finish }]);

const choice = (index: number, given: unknown, finish: string | null = null) =>
  chunk([{ index, delta: given, finish_reason: finish }]);

export const chatIndexes = streams("openai-chat", {
  "index always 0": {
    "whole calls": {
      frames: chat(
        calls(begin(0, "p1", "paint", '{"color":"red"}')),
        calls(begin(0, "p2", "paint", '{"color":"blue"}')),
      ),
      expect: turn({ calls: [ready("p1", "paint", red), ready("p2", "paint", blue)] }),
      anomalies: ["index-reused"],
    },
    "in pieces without ids": {
      frames: chat(
        calls(begin(0, "p3", "paint", "")),
        calls(more(0, '{"color":')),
        calls(more(0, '"red"}')),
        calls(begin(0, "p4", "paint", "")),
        calls(more(0, '{"color":"blue"}')),
      ),
      expect: turn({ calls: [ready("p3", "paint", red), ready("p4", "paint", blue)] }),
    },
    "the same id too, another name": {
      frames: chat(calls(begin(0, "p5", "paint", '{"color":"red"}')), calls(begin(0, "p5", "dry", "{}"))),
      expect: turn({ calls: [ready("p5", "paint", red), ready(null, "dry")] }),
    },
    "no ids, the same name": {
      frames: chat(
        calls(entry({ index: 0, name: "paint", args: '{"color":"red"}' })),
        calls(entry({ index: 0, name: "paint", args: '{"color":"blue"}' })),
      ),
      expect: turn({ calls: [ready(null, "paint", red), ready(null, "paint", blue)] }),
    },
    "no ids, no arguments, two offered tools": {
      tools: ["wash", "dry"],
      frames: chat(calls(begin(0, null, "wash", "")), calls(begin(0, null, "dry", ""))),
      expect: turn({ calls: [ready(null, "wash"), ready(null, "dry")] }),
    },
  },
  "index missing": {
    "one whole call": {
      frames: [
        delta({
          role: "assistant",
          content: "",
          tool_calls: [entry({ id: "m1", name: "paint", args: '{"color":"red"}' })],
        }),
        end("stop"),
        DONE,
      ],
      expect: turn({ calls: [ready("m1", "paint", red)] }),
      anomalies: ["index-missing"],
    },
    "null, in pieces": {
      frames: chat(
        calls(begin(null, "m2", "paint", "")),
        calls(more(null, '{"color"')),
        calls(more(null, ':"red"}')),
        calls(begin(null, "m3", "paint", "")),
        calls(more(null, '{"color":"blue"}')),
      ),
      expect: turn({ calls: [ready("m2", "paint", red), ready("m3", "paint", blue)] }),
    },
    "two without ids in one chunk": {
      frames: chat(
        calls(entry({ name: "paint", args: '{"color":"red"}' }), entry({ name: "paint", args: '{"color":"blue"}' })),
      ),
      expect: turn({ calls: [ready(null, "paint", red), ready(null, "paint", blue)] }),
    },
    "two equal ones without arguments in one chunk": {
      frames: chat(calls(entry({ name: "dry" }), entry({ name: "dry" }))),
      expect: turn({ calls: [ready(null, "dry"), ready(null, "dry")] }),
    },
    "two without arguments in two chunks": {
      tools: ["wash", "dry"],
      frames: chat(calls(entry({ name: "wash", args: "" })), calls(entry({ name: "dry", args: "" }))),
      expect: turn({ calls: [ready(null, "wash"), ready(null, "dry")] }),
    },
    "at first, and then given": {
      frames: chat(
        calls(entry({ id: "m4", name: "paint", args: "" })),
        calls(more(0, '{"color":')),
        calls(more(0, '"red"}')),
      ),
      expect: turn({ calls: [ready("m4", "paint", red)] }),
    },
    "on continuations only": {
      frames: chat(
        calls(begin(0, "m5", "paint", '{"color":')),
        calls(entry({ args: '"red"}' })),
        calls(begin(1, "m6", "paint", "")),
        calls(entry({ args: '{"color":"blue"}' })),
      ),
      expect: turn({ calls: [ready("m5", "paint", red), ready("m6", "paint", blue)] }),
    },
    "the index stands in the function": {
      frames: chat(
        calls({ id: "m7", function: { index: 0, name: "paint", arguments: "" } }),
        calls({ id: "m8", function: { index: 1, name: "paint", arguments: "" } }),
        calls({ function: { index: 0, arguments: '{"color":"red"}' } }),
        calls({ function: { index: 1, arguments: '{"color":"blue"}' } }),
      ),
      expect: turn({ calls: [ready("m7", "paint", red), ready("m8", "paint", blue)] }),
    },
  },
  "index odd": {
    "begins at 1": {
      frames: chat(says("One moment."), calls(begin(1, "o1", "paint")), calls(more(1, '{"color":"red"}'))),
      expect: turn({ text: "One moment.", calls: [ready("o1", "paint", red)] }),
    },
    "begins at -1": {
      frames: chat(
        calls(begin(-1, "o2", "paint", '{"color"')),
        calls(more(-1, ':"red"}')),
        calls(begin(0, "o3", "dry", "{}")),
      ),
      expect: turn({ calls: [ready("o2", "paint", red), ready("o3", "dry")] }),
    },
    "2, 5 and 11": {
      frames: chat(
        calls(begin(2, "o4", "paint", '{"color":"red"}')),
        calls(begin(5, "o5", "dry", "{}")),
        calls(begin(11, "o6", "paint", '{"color":')),
        calls(more(11, '"blue"}')),
      ),
      expect: turn({ calls: [ready("o4", "paint", red), ready("o5", "dry"), ready("o6", "paint", blue)] }),
    },
    "a number as text": {
      frames: chat(
        calls(begin("0", "o7", "paint", "")),
        calls(more("1", "")),
        calls(begin("1", "o8", "dry", "{}")),
        calls(more("0", '{"color":"red"}')),
      ),
      expect: turn({ calls: [ready("o7", "paint", red), ready("o8", "dry")] }),
    },
  },
  "index counts deltas": {
    "without ids": {
      frames: chat(calls(begin(0, "t1", "paint", '{"col')), calls(more(1, 'or":')), calls(more(2, '"red"}'))),
      expect: turn({ calls: [ready("t1", "paint", red)] }),
    },
    "with the id on every delta": {
      frames: chat(
        calls(begin(0, "t1", "paint", "")),
        calls(entry({ index: 1, id: "t1", args: '{"color":' })),
        calls(entry({ index: 2, id: "t1", args: '"red"}' })),
        calls(begin(3, "t2", "dry", "{}")),
      ),
      expect: turn({ calls: [ready("t1", "paint", red), ready("t2", "dry")] }),
    },
  },
  "index out of order": {
    "1 before 0": {
      frames: chat(
        calls(begin(1, "q1", "paint", '{"color":"blue"}')),
        calls(begin(0, "q0", "paint", '{"color":"red"}')),
      ),
      expect: turn({ calls: [ready("q0", "paint", red), ready("q1", "paint", blue)] }),
    },
    "2, 0, 1, in pieces that take turns": {
      frames: chat(
        calls(begin(2, "q2", "dry", "{")),
        calls(begin(0, "q0", "paint", '{"color":')),
        calls(begin(1, "q1", "paint", '{"color":')),
        calls(more(2, "}")),
        calls(more(1, '"blue"}')),
        calls(more(0, '"red"}')),
      ),
      expect: turn({ calls: [ready("q0", "paint", red), ready("q1", "paint", blue), ready("q2", "dry")] }),
    },
  },
  "the index of the choice counts chunks": {
    "text and a call": {
      frames: [
        counted(0, { role: "assistant", content: "Mix" }),
        counted(1, { content: "ing" }),
        counted(2, { content: "", tool_calls: [begin(1, "f1", "paint", '{"color":"red"}')] }),
        counted(3, { content: "" }, "tool_calls"),
        DONE,
      ],
      expect: turn({ text: "Mixing", calls: [ready("f1", "paint", red)] }),
      anomalies: ["choices-folded"],
    },
    "two chunks only": {
      frames: [
        counted(0, { content: "", tool_calls: [begin(1, "f2", "paint", '{"color":"red"}')] }),
        counted(1, { content: "." }, "tool_calls"),
        DONE,
      ],
      expect: turn({ text: ".", calls: [ready("f2", "paint", red)] }),
    },
    "forty chunks": {
      frames: [
        ...Array.from({ length: 40 }, (_, i) => counted(i, { content: `${i} ` })),
        counted(40, {}, "stop"),
        DONE,
      ],
      expect: turn({ text: Array.from({ length: 40 }, (_, i) => `${i} `).join("") }),
    },
    "cut off": {
      frames: [
        counted(0, { content: "a" }),
        counted(1, { content: "b" }),
        counted(2, { tool_calls: [begin(0, "f3", "paint", '{"col')] }),
      ],
      expect: cut({ text: "ab", calls: [truncated("f3", "paint")] }),
    },
  },
  "several choices": {
    "opened one after the other, and cut off": {
      frames: [
        choice(0, { role: "assistant", content: "" }),
        choice(1, { role: "assistant", content: "" }),
        choice(0, { content: "A" }),
        choice(1, { content: "B" }),
      ],
      expect: cut({ text: "A" }),
    },
    "one chunk each, and then their ends": {
      frames: [
        choice(0, { content: "A" }),
        choice(1, { content: "B" }),
        choice(0, {}, "stop"),
        choice(1, {}, "stop"),
        DONE,
      ],
      expect: turn({ text: "A" }),
    },
    "one chunk each, with their ends": {
      frames: [choice(0, { content: "A" }, "stop"), choice(1, { content: "B" }, "stop"), DONE],
      expect: turn({ text: "A" }),
    },
    "opened in one chunk": {
      frames: [
        chunk([
          { index: 0, delta: { role: "assistant" } },
          { index: 1, delta: { role: "assistant" } },
        ]),
        choice(1, { tool_calls: [begin(0, "b1", "paint", '{"color":"blue"}')] }),
        choice(0, { tool_calls: [begin(0, "a1", "paint", '{"color":"red"}')] }),
        choice(0, {}, "tool_calls"),
        choice(1, {}, "tool_calls"),
        DONE,
      ],
      expect: turn({ calls: [ready("a1", "paint", red)] }),
    },
    "one in each chunk, three of them": {
      frames: [
        choice(0, { content: "A" }),
        choice(1, { content: "B" }),
        choice(2, { content: "C" }),
        choice(0, { content: "a" }),
        choice(1, { content: "b" }),
        choice(2, { content: "c" }),
        choice(0, {}, "stop"),
        choice(1, {}, "stop"),
        choice(2, {}, "length"),
        DONE,
      ],
      expect: turn({ text: "Aa" }),
    },
    "one after the other": {
      frames: [
        choice(0, { content: "first" }),
        choice(0, {}, "stop"),
        choice(1, { content: "second" }),
        choice(1, {}, "stop"),
        choice(2, { content: "third" }),
        choice(2, {}, "stop"),
        DONE,
      ],
      expect: turn({ text: "first" }),
    },
    "the only one is number 3": {
      frames: [choice(3, { content: "here" }), choice(3, {}, "stop"), DONE],
      expect: turn({ text: "here" }),
    },
  },
  "choices empty or absent": {
    "a chunk of filters, one of usage": {
      frames: [
        chunk([], { id: "", prompt_filter_results: [] }),
        role,
        calls(begin(0, "z1", "dry", "{}")),
        end(),
        chunk([], { usage: { total_tokens: 4 } }),
        DONE,
      ],
      expect: turn({ calls: [ready("z1", "dry")] }),
    },
    "null choices, null delta, no choices": {
      frames: [
        chunk(null),
        chunk([{ index: 0, delta: null, finish_reason: null }]),
        { usage: { total_tokens: 1 } },
        says("ok"),
        end("stop"),
        DONE,
      ],
      expect: turn({ text: "ok" }),
    },
  },
  "the index of the choice counts chunks, and says so nowhere else": {
    "no finish, only [DONE]": {
      frames: [
        choice(0, { content: "a" }),
        choice(1, { content: "b" }),
        choice(2, { tool_calls: [begin(1, "f4", "paint", '{"color":"red"}')] }),
        DONE,
      ],
      expect: turn({ text: "ab", calls: [ready("f4", "paint", red)] }),
      anomalies: ["choices-folded"],
    },
    "no finish, the arguments in pieces": {
      frames: [
        choice(0, { role: "assistant", content: "" }),
        choice(1, { tool_calls: [begin(0, "f4", "paint", '{"color":')] }),
        choice(2, { tool_calls: [more(0, '"red"}')] }),
        DONE,
      ],
      expect: turn({ calls: [ready("f4", "paint", red)] }),
    },
    "but for an index that came twice: those are two answers": {
      frames: [
        choice(0, { content: "a" }),
        choice(0, { content: "b" }),
        choice(1, { content: "c" }),
        choice(0, {}, "stop"),
        DONE,
      ],
      expect: turn({ text: "ab" }),
    },
    "the finish twice": {
      frames: [
        choice(0, { content: "a" }),
        choice(1, { content: "b" }),
        choice(2, { tool_calls: [begin(1, "f4", "paint", '{"color":"red"}')] }),
        choice(3, {}, "tool_calls"),
        choice(4, {}, "tool_calls"),
        DONE,
      ],
      expect: turn({ text: "ab", calls: [ready("f4", "paint", red)] }),
      anomalies: ["finish-repeated"],
    },
    "the finish has the index 0": {
      frames: [
        choice(0, { content: "a" }),
        choice(1, { content: "b" }),
        choice(2, { tool_calls: [begin(1, "f4", "paint", '{"color":"red"}')] }),
        choice(0, {}, "tool_calls"),
        DONE,
      ],
      expect: turn({ text: "ab", calls: [ready("f4", "paint", red)] }),
    },
    "the finish has the index 0, twice": {
      frames: [
        choice(0, { content: "a" }),
        choice(1, { content: "b" }),
        choice(0, { content: "" }, "stop"),
        choice(0, {}, "stop"),
        DONE,
      ],
      expect: turn({ text: "ab" }),
    },
    "cut off": {
      frames: [
        choice(0, { content: "a" }),
        choice(1, { content: "b" }),
        choice(2, { tool_calls: [begin(0, "f5", "paint", '{"col')] }),
      ],
      expect: cut({ text: "ab", calls: [truncated("f5", "paint")] }),
    },
  },
  "index always 0, and the ids tell": {
    "pieces that take turns": {
      frames: chat(
        calls(begin(0, "k1", "paint", "")),
        calls(begin(0, "k2", "paint", "")),
        calls(entry({ index: 0, id: "k1", args: '{"color":"red"}' })),
        calls(entry({ index: 0, id: "k2", args: '{"color":"blue"}' })),
      ),
      expect: turn({ calls: [ready("k1", "paint", red), ready("k2", "paint", blue)] }),
    },
    "pieces that take turns, with names": {
      frames: chat(
        calls(begin(0, "k1", "paint", '{"color":')),
        calls(begin(0, "k2", "paint", '{"color":')),
        calls(begin(0, "k1", "paint", '"red"}')),
        calls(begin(0, "k2", "paint", '"blue"}')),
      ),
      expect: turn({ calls: [ready("k1", "paint", red), ready("k2", "paint", blue)] }),
    },
    "both sent again": {
      frames: chat(
        calls(begin(0, "k1", "paint", '{"color":"red"}')),
        calls(begin(0, "k2", "paint", '{"color":"blue"}')),
        calls(begin(0, "k1", "paint", '{"color":"red"}')),
        calls(begin(0, "k2", "paint", '{"color":"blue"}')),
      ),
      expect: turn({ calls: [ready("k1", "paint", red), ready("k2", "paint", blue)] }),
    },
    "only on what follows": {
      frames: chat(
        calls(begin(0, "k1", "paint", "")),
        calls(begin(1, "k2", "paint", "")),
        calls(entry({ index: 0, id: "k2", args: '{"color":"blue"}' })),
        calls(entry({ index: 0, id: "k1", args: '{"color":"red"}' })),
      ),
      expect: turn({ calls: [ready("k1", "paint", red), ready("k2", "paint", blue)] }),
    },
  },
});
