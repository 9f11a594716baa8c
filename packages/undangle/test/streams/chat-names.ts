import { cut, malformed, ready, streams, truncated, turn } from "./build.ts";
import { DONE, begin, calls, chat, delta, end, entry, more, role } from "./build-chat.ts";

const file = { path: "notes.md" };

export const chatNames = streams("openai-chat", {
  "name late": {
    "after half of the arguments": {
      frames: chat(
        calls(entry({ index: 0, id: "n1", args: "" })),
        calls(more(0, '{"path":')),
        calls(entry({ index: 0, name: "open_file" })),
        calls(more(0, '"notes.md"}')),
      ),
      expect: turn({ calls: [ready("n1", "open_file", file)] }),
      anomalies: ["name-late"],
    },
    "empty first, then with the arguments": {
      frames: chat(calls(begin(0, "n2", "", "")), calls(begin(0, "n2", "open_file", '{"path":"notes.md"}'))),
      expect: turn({ calls: [ready("n2", "open_file", file)] }),
    },
    "behind everything, without an index": {
      frames: chat(
        calls(entry({ id: "n3", args: '{"path":"notes.md"}' })),
        calls(entry({ id: "n3", name: "open_file" })),
      ),
      expect: turn({ calls: [ready("n3", "open_file", file)] }),
    },
    never: {
      frames: chat(calls(entry({ index: 0, id: "n4", args: '{"path":"notes.md"}' }))),
      expect: turn({ calls: [malformed("n4", "")] }),
      anomalies: ["name-missing"],
    },
    "never, and another call has no arguments: they may be its own": {
      frames: chat(calls(begin(0, "n5", "open_file", "")), calls(more(1, '{"path":"notes.md"}'))),
      expect: turn({ calls: [truncated("n5", "open_file"), malformed(null, "")], complete: false }),
    },
  },
  "name split": {
    "in two, the tool is known": {
      tools: ["open_file", "open"],
      frames: chat(
        calls(begin(0, "s1", "open")),
        calls(entry({ index: 0, name: "_file" })),
        calls(more(0, '{"path":"notes.md"}')),
      ),
      expect: turn({ calls: [ready("s1", "open_file", file)] }),
      anomalies: ["name-split"],
    },
    "in three, nobody knows the tools": {
      frames: chat(
        calls(begin(0, "s2", "op")),
        calls(entry({ index: 0, name: "en_" })),
        calls(entry({ index: 0, name: "file", args: '{"path":"notes.md"}' })),
      ),
      expect: turn({ calls: [ready("s2", "open_file", file)] }),
    },
    "in two equal pieces": {
      tools: ["gogo"],
      frames: chat(calls(begin(0, "s3", "go")), calls(begin(0, "s3", "go", "{}"))),
      expect: turn({ calls: [ready("s3", "gogo")] }),
    },
    "without an index and an id": {
      tools: ["open_file"],
      frames: chat(
        calls(entry({ name: "open" })),
        calls(entry({ name: "_fi" })),
        calls(entry({ name: "le", args: '{"path":"notes.md"}' })),
      ),
      expect: turn({ calls: [ready(null, "open_file", file)] }),
    },
  },
  "name repeated": {
    "before any argument": {
      frames: chat(
        calls(begin(0, "r1", "open_file")),
        calls(begin(0, "r1", "open_file")),
        calls(more(0, '{"path":"notes.md"}')),
      ),
      expect: turn({ calls: [ready("r1", "open_file", file)] }),
      anomalies: ["name-repeated"],
    },
    "grown with every delta": {
      frames: chat(
        calls(begin(0, "r2", "open")),
        calls(begin(0, "r2", "open_fi")),
        calls(begin(0, "r2", "open_file")),
        calls(begin(0, "r2", "open_file", '{"path":"notes.md"}')),
      ),
      expect: turn({ calls: [ready("r2", "open_file", file)] }),
    },
    "on every delta, with an id that comes once": {
      frames: chat(
        calls(begin(0, "r3", "open_file", '{"path"')),
        calls(entry({ index: 0, name: "open_file", args: ":" })),
        calls(entry({ index: 0, name: "open_file", args: '"notes.md"}' })),
        calls(entry({ index: 0, name: "open_file", args: "" })),
      ),
      expect: turn({ calls: [ready("r3", "open_file", file)] }),
    },
  },
  "name decorated": {
    "blanks around it": {
      frames: chat(calls(begin(0, "d1", "\topen_file \n", '{"path":"notes.md"}'))),
      expect: turn({ calls: [ready("d1", "open_file", file)] }),
      anomalies: ["name-decorated"],
    },
    "a token of the model behind it": {
      frames: chat(calls(begin(0, "d2", "open_file<|channel|>analysis", '{"path":"notes.md"}'))),
      expect: turn({ calls: [ready("d2", "open_file", file)] }),
    },
    "the name space of the template": {
      tools: ["open_file"],
      frames: chat(calls(begin(0, "d3", "functions.open_file", '{"path":"notes.md"}'))),
      expect: turn({ calls: [ready("d3", "open_file", file)] }),
    },
    "the name space and a counter, as in ids of Kimi": {
      tools: ["open_file"],
      frames: chat(calls(begin(0, "d4", "functions.open_file:0", '{"path":"notes.md"}'))),
      expect: turn({ calls: [ready("d4", "open_file", file)] }),
    },
    "a name space that is part of the name": {
      tools: ["functions.open_file"],
      frames: chat(calls(begin(0, "d5", "functions.open_file", '{"path":"notes.md"}'))),
      expect: turn({ calls: [ready("d5", "functions.open_file", file)] }),
    },
    "a name space where nobody knows the tools stays": {
      frames: chat(calls(begin(0, "d6", "functions.open_file", '{"path":"notes.md"}'))),
      expect: turn({ calls: [ready("d6", "functions.open_file", file)] }),
    },
  },
  "type missing or blank": {
    absent: {
      frames: chat(
        calls(entry({ index: 0, id: "t1", name: "open_file", args: '{"path"' })),
        calls(more(0, ':"notes.md"}')),
      ),
      expect: turn({ calls: [ready("t1", "open_file", file)] }),
    },
    "empty, null, and unheard of": {
      frames: chat(
        calls({ index: 0, id: "t2", type: "", function: { name: "ping", arguments: "{}" } }),
        calls({ index: 1, id: "t3", type: null, function: { name: "ping", arguments: "{}" } }),
        calls({ index: 2, id: "t4", type: "tool", function: { name: "ping", arguments: "{}" } }),
      ),
      expect: turn({ calls: [ready("t2", "ping"), ready("t3", "ping"), ready("t4", "ping")] }),
    },
    "custom: the input is text and no JSON": {
      frames: chat(
        calls({ index: 0, id: "t5", type: "custom", custom: { name: "run_sql", input: "select " } }),
        calls({ index: 0, custom: { input: "{1}" } }),
      ),
      expect: turn({ calls: [ready("t5", "run_sql", { input: "select {1}" })] }),
    },
    "custom, and cut off": {
      frames: [role, calls({ index: 0, id: "t6", type: "custom", custom: { name: "run_sql", input: "select " } })],
      expect: cut({ calls: [truncated("t6", "run_sql")] }),
    },
    "no wrapper at all": {
      frames: chat(
        calls({ index: 0, id: "t7", name: "open_file", arguments: '{"path":' }),
        calls({ index: 0, arguments: '"notes.md"}' }),
      ),
      expect: turn({ calls: [ready("t7", "open_file", file)] }),
    },
  },
  "phantom entries": {
    "behind the call": {
      frames: chat(calls(begin(0, "h1", "open_file", '{"path":"notes.md"}')), calls(begin(1, null, null, ""))),
      expect: turn({ calls: [ready("h1", "open_file", file)] }),
      anomalies: ["phantom-call"],
    },
    "in front of the call, with an id and an empty object": {
      frames: chat(calls(begin(0, "h2", "", "{}"), begin(1, "h3", "open_file", '{"path":"notes.md"}'))),
      expect: turn({ calls: [ready("h3", "open_file", file)] }),
    },
    "alone: nothing was called": {
      frames: [
        role,
        delta({ content: "Hm.", tool_calls: [{}, null, { index: 4, function: null }] }),
        end("stop"),
        DONE,
      ],
      expect: turn({ text: "Hm." }),
    },
  },
});
