import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { AgentEvent, EventData, EventType } from "#engine";

import { english } from "../texts/english.ts";
import { visibleWidth } from "../screen.ts";
import { liveCallLines } from "./call-lines.ts";
import type { Face } from "./face.ts";
import { printSaid, showEvent } from "./show-event.ts";
import { setText } from "./text-flow.ts";
import { newView } from "./view.ts";
import type { View } from "./view.ts";

const face = (columns = 60): Face => ({ texts: english, paint: (_, text) => text, columns, rows: 24 });

type Data = {
  readonly [Type in EventType]: readonly [type: Type, data: EventData[Type], path?: readonly string[]];
}[EventType];

/** What is printed for events, a second after each other, and the view behind them. */
function shown(events: readonly Data[], look: Face = face(), from: View = newView()): { lines: string[]; view: View } {
  let view = from;
  const lines: string[] = [];
  events.forEach(([type, data, path], index) => {
    const event: unknown = { id: String(index + 1), type, data, ...(path !== undefined && { path }) };
    const step = showEvent(
      view,
      event as AgentEvent, // a pair of the table
      { face: look, at: (index + 1) * 1000 },
    );
    ({ view } = step);
    lines.push(...step.lines);
  });
  return { lines, view };
}

const pay = { id: "call_1", name: "pay", arguments: { to: "ACME", amount: 300 } };
const begun: readonly Data[] = [
  ["run_start", { runId: "r", reason: "message", mode: "ask" }],
  ["model_start", { step: 1, model: "m" }],
  ["text_delta", { text: "I pay." }],
  ["tool_call_start", { id: "call_1", name: "pay" }],
  ["tool_call_delta", { id: "call_1", text: '{"to":' }],
];
const none = { inputTokens: 0, outputTokens: 0, totalTokens: 0, cachedTokens: 0 };
const used = { usage: none, threadUsage: none };

describe("a run", () => {
  test("is told as text, calls with their time and the first line of their result", () => {
    const { lines, view } = shown([
      ...begun,
      ["model_end", { finish: "tool_calls", entry: 1 }],
      ["tool_call_ready", pay],
      ["tool_call_running", { id: "call_1", name: "pay", attempt: 1 }],
      ["tool_call_end", { id: "call_1", name: "pay", success: true, status: "succeeded", result: "paid\nreceipt 12" }],
      ["text_delta", { text: "Done." }],
      ["model_end", { finish: "stop", entry: 2 }],
      ["run_end", { runId: "r", status: "done", ...used }],
    ]);
    expect(lines).toEqual([
      "I pay.",
      "",
      '✓ 1 pay(to: "ACME", amount: 300)  1.0 s',
      "    paid  (2 lines, 15 B: /show 1)",
      "",
      "Done.",
    ]);
    expect(view).toMatchObject({ isRunning: false, calls: [], open: undefined });
  });

  test("has a line for each call while it runs, with what the tool reports", () => {
    const { view } = shown([
      ...begun,
      ["tool_call_ready", pay],
      ["tool_call_start", { id: "call_2", name: "look" }],
      ["tool_call_delta", { id: "call_2", text: '{"a":1' }],
      ["tool_call_running", { id: "call_1", name: "pay", attempt: 1 }],
      ["tool_call_running", { id: "call_1", name: "pay", attempt: 1, progress: "half way" }],
    ]);
    expect(liveCallLines(view, face(), 12_500)).toEqual([
      '⠴ pay(to: "ACME", amount: 300)  3.5 s · half way',
      "⠴ look()  … 6 characters",
    ]);
  });

  test.each<[status: EventData["tool_call_end"]["status"], told: string]>([
    ["failed", "✗ 1 pay()  failed"],
    ["stopped", "■ 1 pay()  stopped"],
    ["expired", "■ 1 pay()  expired"],
    ["lost", "! 1 pay()  outcome unknown"],
  ])("tells a call that is %s", (status, told) => {
    const { lines } = shown([["tool_call_end", { id: "call_1", name: "pay", success: false, status, error: "" }]]);
    expect(lines).toEqual([told]);
  });

  test("tells a rejection with its reason, and an approval with who stands behind it", () => {
    const at = 0;
    const { lines } = shown([
      ["tool_call_ready", pay],
      [
        "tool_call_end",
        {
          ...pay,
          success: false,
          status: "rejected",
          error: "{}",
          decision: { type: "reject", at, reason: "too much" },
        },
      ],
      [
        "tool_call_end",
        { id: "x", name: "look", success: true, status: "succeeded", decision: { type: "approve", at } },
      ],
    ]);
    expect(lines).toEqual(['⊘ 1 pay(to: "ACME", amount: 300)  rejected', "    too much", "✓ 2 look()  approved"]);
  });

  test("that failed says what to do, that was stopped says so", () => {
    const error = { code: "model/failed", message: "The provider is away." } as unknown as NonNullable<
      EventData["run_end"]["error"]
    >; // any code
    expect(shown([["run_end", { runId: "r", status: "failed", error, ...used }]]).lines).toEqual([
      "✗ The provider is away.",
      "  Nothing was lost. /retry sends the request again.",
    ]);
    expect(shown([...begun.slice(0, 3), ["run_end", { runId: "r", status: "stopped", ...used }]]).lines).toEqual([
      "I pay.",
      "",
      "Stopped.",
    ]);
  });

  test("says that an answer does not count, where something of it was seen, and else why it takes longer", () => {
    const seen = shown([...begun.slice(0, 3), ["model_discarded", { reason: "cut off" }]]);
    expect(seen.lines).toEqual(["I pay.", "", "The last response was discarded: cut off"]);
    const unseen = shown([...begun.slice(0, 2), ["model_discarded", { reason: "too many requests" }]]);
    expect(unseen.lines).toEqual([]);
    expect(liveCallLines(unseen.view, face(), 5000)).toEqual(["⠋ thinking 3.0 s · too many requests"]);
  });

  test("shows reasoning apart from the answer", () => {
    const painted: Face = { ...face(), paint: (look, text) => `<${look}>${text}` };
    const { lines } = shown(
      [
        ["reasoning_delta", { text: "Hm." }],
        ["text_delta", { text: "\n\nYes." }],
        ["model_end", { finish: "stop", entry: 1 }],
      ],
      painted,
    );
    expect(lines).toEqual(["<dim>Hm.", "", "Yes."]);
  });
});

describe("sub-agents", () => {
  const task = { id: "call_1", name: "task", arguments: { description: "look" } };
  const inner = { id: "call_1/call_1", name: "read", arguments: { file: "a" } };
  const write = { id: "call_1/call_2", name: "write", arguments: { file: "b" } };
  const other = { id: "call_2", name: "task", arguments: { description: "more" } };
  const path = ["call_1"];
  const delegated: readonly Data[] = [
    ["run_start", { runId: "r", reason: "message", mode: "ask" }],
    ["tool_call_ready", task],
    ["tool_call_ready", other],
    ["tool_call_running", { id: "call_1", name: "task", attempt: 1 }],
    ["tool_call_running", { id: "call_2", name: "task", attempt: 1 }],
    ["model_start", { step: 1, model: "m" }, path],
    ["text_delta", { text: "A text of the sub-agent.\n" }, path],
    ["tool_call_start", { id: inner.id, name: "read" }, path],
    ["tool_call_ready", inner, path],
    ["model_end", { finish: "tool_calls", entry: 1 }, path],
  ];
  const read: Data = ["tool_call_end", { ...inner, success: true, status: "succeeded", result: "a\nb" }, path];
  const waits: EventData["approval_required"] = {
    ...write,
    path: "task#call_1 > write",
    digest: "",
    decisions: [],
    always: [],
  };
  const ended: Data = [
    "tool_call_end",
    { id: "call_1", name: "task", success: true, status: "succeeded", result: "Ok." },
  ];

  test("have their calls below the call that they run, and their text is not shown", () => {
    const { lines, view } = shown([...delegated, ["tool_call_running", { ...inner, attempt: 1 }, path]]);
    expect(lines).toEqual([]);
    expect(view).toMatchObject({ isRunning: true, open: undefined, askedAt: undefined });
    expect(liveCallLines(view, face(), 12_000)).toEqual([
      '⠋ task(description: "look")  8.0 s',
      '    ⠋ read(file: "a")  1.0 s',
      '⠋ task(description: "more")  7.0 s',
    ]);
  });

  test("have their ended calls printed with the call that they run, without numbers", () => {
    const { lines, view } = shown([...delegated, read, ended, ["tool_call_ready", { ...pay, id: "call_3" }]]);
    expect(lines).toEqual(['✓ 1 task(description: "look")  8.0 s', '    ✓ read(file: "a")', "    Ok."]);
    expect(view.numbers.get("call_3")).toBe(3);
    expect(view.calls.map(({ id }) => id)).toEqual(["call_2", "call_3"]);
  });

  test("show their last three calls while they run, and how many there were", () => {
    const many = Array.from({ length: 5 }, (_, i): readonly Data[] => {
      const call = { id: `call_1/call_${i}`, name: `read_${i}`, arguments: {} };
      return [
        ["tool_call_ready", call, path],
        ["tool_call_end", { ...call, success: true, status: "succeeded" }, path],
      ];
    }).flat();
    const { view } = shown([...delegated.slice(0, 4), ...many]);
    expect(liveCallLines(view, face(), 14_000).slice(0, 4)).toEqual([
      '⠋ task(description: "look")  10 s · 5 calls',
      "    ✓ read_2()",
      "    ✓ read_3()",
      "    ✓ read_4()",
    ]);
    expect(shown([ended], face(), view).lines).toHaveLength(7);
  });

  test("that wait keep their calls and arguments over the end of the run", () => {
    const { view } = shown([
      ...delegated,
      read,
      ["approval_required", waits, path],
      ["approval_required", waits], // the agent repeats it when it begins to wait
      ["run_end", { runId: "r", status: "waiting", ...used }],
    ]);
    expect(liveCallLines(view, face(), 0)).toEqual([
      '◌ task(description: "look")  waits',
      '    ✓ read(file: "a")',
      '    ◌ write(file: "b")  waits for your decision',
    ]);
    const rejected = {
      ...write,
      success: false,
      status: "rejected",
      decision: { type: "reject", at: 0, reason: "no" },
    } as const;
    const { lines } = shown([["tool_call_end", rejected, path], ended], face(), view);
    expect(lines).toEqual([
      '✓ 1 task(description: "look")',
      '    ✓ read(file: "a")',
      '    ⊘ write(file: "b")  rejected',
      "        no",
      "    Ok.",
    ]);
  });

  test("lose the calls of a discarded response, and nothing else changes", () => {
    const { view, lines } = shown([
      ...delegated,
      ["tool_call_start", { id: write.id, name: "write" }, path],
      ["model_discarded", { reason: "cut off" }, path],
    ]);
    expect(lines).toEqual([]);
    expect(view.calls.map(({ id }) => id)).toEqual(["call_1", "call_1/call_1", "call_2"]);
  });
});

describe("a list of steps", () => {
  const todos = [
    { content: "Look", status: "completed" },
    { content: "Think", status: "in_progress" },
    { content: "Write\n it", status: "pending" },
  ];
  const written = { id: "call_1", name: "write_todos", success: true, status: "succeeded", result: "…" } as const;

  test("is shown when it changes", () => {
    const { lines } = shown([
      ["tool_call_ready", { ...written, arguments: { todos } }],
      ["tool_call_end", written],
    ]);
    expect(lines).toEqual(["✓ 1 write_todos(1 of 3 done)", "    ✓ Look", "    ▸ Think", "    ○ Write it"]);
  });

  test("that was refused, or is not a list, is shown as any call", () => {
    const failed = { ...written, success: false, status: "failed", error: "Twice." } as const;
    const { result: _, ...end } = failed;
    expect(
      shown([
        ["tool_call_ready", { ...written, arguments: { todos } }],
        ["tool_call_end", end],
      ]).lines,
    ).toEqual(["✗ 1 write_todos(1 of 3 done)  failed", "    Twice."]);
    const odd = { todos: [{ content: 1, status: "pending" }] };
    const { lines } = shown([
      ["tool_call_ready", { ...written, arguments: odd }],
      ["tool_call_end", written],
    ]);
    expect(lines[0]).toContain("content: 1");
  });
});

describe("a text that comes in pieces", () => {
  const words = fc.array(fc.constantFrom("a", "tool", "你", "好。", "🎉", " ", "  ", "\n", "- ", "longlonglonglong"), {
    maxLength: 60,
  });

  test("is printed as the whole of it would be, wherever it is cut", () => {
    fc.assert(
      fc.property(words, fc.integer({ min: 12, max: 50 }), (pieces, columns) => {
        const whole = pieces.join("");
        const events = pieces.map((text): Data => ["text_delta", { text }]);
        const { lines } = shown([...events, ["model_end", { finish: "stop", entry: 1 }]], face(columns));
        const expected = setText(whole.replace(/^\s*\n/u, "").trimEnd(), columns - 1);
        const squeeze = (text: readonly string[]): string => text.join("").replaceAll(/\s+/gu, "");
        expect(squeeze(lines)).toBe(squeeze(expected));
        for (const line of lines) expect(visibleWidth(line)).toBeLessThan(columns);
      }),
    );
  });

  test("is set in lines between words", () => {
    const events = "The quick brown fox jumps".split("").map((text): Data => ["text_delta", { text }]);
    expect(shown([...events, ["model_end", { finish: "stop", entry: 1 }]], face(13)).lines).toEqual([
      "The quick",
      "brown fox",
      "jumps",
    ]);
  });
});

describe("what could steer the terminal", () => {
  const evil = "\u001B[2J\u001B]0;owned\u0007\r\u009B31m\u202Egpj\u0000";

  test.each<readonly Data[]>([
    [["text_delta", { text: `${evil}\n` }]],
    [["reasoning_delta", { text: `${evil}\n` }]],
    [["tool_call_end", { id: "c", name: evil, success: true, status: "succeeded", result: evil }]],
    [["tool_call_ready", { id: "c", name: evil, arguments: { [evil]: evil } }]],
    [["warning", { message: evil }]],
    [["repair", { rule: "r", message: evil }]],
    [["tool_call_running", { id: "c", name: "t", attempt: 1, progress: { evil } }]],
    [["tool_call_running", { id: "c", name: "t", attempt: 1, progress: evil }]],
    [["tool_call_end", { id: "c/d", name: evil, success: true, status: "succeeded" }, ["c"]]],
  ])("is made visible in %j", (event) => {
    const { lines, view } = shown([event]);
    const all = [...lines, ...liveCallLines(view, face(), 5000), ...printSaid(newView(), evil, face()).lines];
    expect(all.join("")).not.toMatch(/[\p{Cc}\u202E]/u);
    expect(all.join("")).toContain("\\x1b[2J");
  });
});

test.each([20, 40, 80, 200])("no line is wider than a window of %i columns", (columns) => {
  const { lines, view } = shown(
    [
      ...begun,
      ["tool_call_ready", { ...pay, arguments: { text: "很长的参数 ".repeat(30) } }],
      ["tool_call_running", { id: "call_1", name: "pay", attempt: 1, progress: "step ".repeat(40) }],
      ["tool_call_start", { id: "call_2", name: "a_tool_with_a_name_that_is_quite_long_indeed" }],
      ["approval_required", { ...pay, id: "call_2", digest: "", decisions: [], always: [] }],
      [
        "tool_call_end",
        { id: "c", name: "t".repeat(64), success: true, status: "succeeded", result: "长 ".repeat(200) },
      ],
      ["warning", { message: "w ".repeat(200) }],
      ["tool_call_ready", { ...pay, id: "call_1/call_1" }, ["call_1"]],
      ["tool_call_ready", { ...pay, id: "call_1/call_1/call_1" }, ["call_1", "call_1"]],
      ["tool_call_end", { ...pay, id: "call_1/call_2", success: true, status: "succeeded" }, ["call_1"]],
      [
        "tool_call_end",
        { ...pay, id: "x/y/z/call_2", success: false, status: "failed", error: "e ".repeat(90) },
        ["x", "y", "z"],
      ],
    ],
    face(columns),
  );
  for (const line of [...lines, ...liveCallLines(view, face(columns), 99_000)])
    expect(visibleWidth(line)).toBeLessThan(columns);
});

test("a request of a middleware does not end the wait for the response", () => {
  const purpose = "summary";
  const { lines, view } = shown([
    ["run_start", { runId: "r", reason: "message", mode: "ask" }],
    ["model_start", { step: 1, model: "m" }],
    ["model_start", { step: 1, model: "small", purpose }],
    ["model_end", { finish: "stop", purpose }],
  ]);
  expect(lines).toEqual([]);
  expect(view.askedAt).toBe(2000);
});
