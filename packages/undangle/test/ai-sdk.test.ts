import { check, repair } from "undangle";
import { describe, expect, test } from "vitest";
import { page, request, response, results, stepStart, tool, toolCall, toolResult } from "./fixtures/build-ai-sdk.ts";
import { said, text, user } from "./fixtures/build.ts";

const format = "ai-sdk";
const ask = user("Delete both.");
const calls = said([toolCall("c1", "remove"), toolCall("c2", "remove")]);
const gated = said([toolCall("c1", "remove"), request("a1", "c1"), toolCall("c2", "remove"), request("a2", "c2")]);
const denied = (id: string, reason: string) => toolResult(id, { type: "execution-denied", reason }, "remove");
const told = (id: string, ending: string) =>
  toolResult(id, { type: "error-text", value: `Tool call remove with id ${id}${ending}` }, "remove");
const superseded = " was cancelled - another message came in before it could be completed.";
const interrupted = " has no recorded result - the conversation was interrupted. It may or may not have run.";

describe("model messages", () => {
  test("get a tool message with an error for each call that nobody answered", () => {
    const { output, edits } = repair([ask, calls, user("Wait.")], { format });
    expect(output).toEqual([ask, calls, results(told("c1", superseded), told("c2", superseded)), user("Wait.")]);
    expect(edits.map(({ type, from, to }) => ({ type, from, to }))).toEqual([
      { type: "insert", from: "messages[1].content[0]", to: "messages[2].content[0]" },
      { type: "insert", from: "messages[1].content[1]", to: "messages[2].content[1]" },
    ]);
  });

  test("keep real results beside what is added, in the order of the calls", () => {
    const found = toolResult("c2", "gone", "remove");
    const { output } = repair([ask, calls, results(found)], { format });
    expect(output[2]).toEqual(results(told("c1", interrupted), found));
  });

  test("leave a tool message that says more than its content as it is", () => {
    const cached = {
      ...results(toolResult("c2", "gone", "remove")),
      providerOptions: { anthropic: { cacheControl: {} } },
    };
    const { output } = repair([ask, calls, cached], { format });
    expect(output[2]).toBe(cached);
    expect(output[3]).toEqual(results(told("c1", interrupted)));
  });

  test("tell the model of a refusal that a later message overtook, as the SDK does", () => {
    const decisions = results(response("a1", false, { reason: "not today" }), response("a2", true));
    const { output } = repair([ask, gated, decisions, user("Well?")], { format });
    const words =
      '{"success":false,"error":"The user rejected this operation","userRejected":true,"reason":"not today"}';
    const [first, second] = decisions["content"] as unknown[]; // both are there
    expect(output[2]).toEqual({ role: "tool", content: [first, second, denied("c1", words), told("c2", superseded)] });
  });

  test("hand the reason of a refusal to a generator of notices", () => {
    const history = [ask, gated, results(response("a1", false, { reason: "not today" })), user("Well?")];
    const { output } = repair(history, { format, notice: ({ cause, reason }) => `${cause}: ${reason ?? "no reason"}` });
    expect(JSON.stringify(output)).toContain("rejected: not today");
    expect(JSON.stringify(output)).toContain("superseded: no reason");
  });

  test("stay as they are where the SDK acts upon the last message", () => {
    const history = [ask, gated, results(response("a1", true), response("a2", false))];
    expect(repair(history, { format }).output).toBe(history);
  });

  test("have decisions that were stored one by one in one message, where the SDK looks", () => {
    const history = [ask, gated, results(response("a1", true)), results(response("a2", true))];
    const { output, edits } = repair(history, { format });
    expect(output).toEqual([ask, gated, results(response("a1", true), response("a2", true))]);
    expect(edits.map(({ rule, type }) => ({ rule, type }))).toEqual([{ rule: "split-results", type: "merge" }]);
  });

  test("keep what waits for a decision open where they are told to", () => {
    const history = [ask, gated];
    const { output, problems } = repair(history, { format, danglingAtEnd: "leave" });
    expect(output).toBe(history);
    expect(problems.map(({ rule }) => rule)).toEqual(["unanswered-call", "unanswered-call"]);
  });

  test("keep a request together with its call when that gets another id", () => {
    const doubled = said([toolCall("c1", "a", { n: 1 }), toolCall("", "b", { n: 2 }), request("a1", "c1")]);
    const { output } = repair([ask, doubled, user("Well?")], { format });
    const parts = (output[1]?.["content"] ?? []) as { toolCallId: string }[]; // the assistant message
    expect(parts[2]?.toolCallId).toBe(parts[0]?.toolCallId);
    expect(parts[1]?.toolCallId).toMatch(/^call_[0-9a-f]{24}$/u);
  });

  test("take the arguments of version 4 for the input", () => {
    const old = { type: "tool-call", toolCallId: "c1", toolName: "remove", args: { path: "/tmp" } };
    const { output } = repair([ask, said([old]), results(toolResult("c1", "gone", "remove"))], { format });
    expect(output[1]).toEqual(said([{ ...old, input: { path: "/tmp" } }]));
  });

  test("show the media of a quoted result as a user message has them", () => {
    const value = [text("a picture"), { type: "image-data", data: "aGk=", mediaType: "image/png" }, { type: "custom" }];
    const { output } = repair([results(toolResult("gone", { type: "content", value }))], { format, orphans: "quote" });
    expect(output).toEqual([
      user([
        text("[Output of an earlier tool call, quoted as data]\na picture"),
        { type: "file", data: "aGk=", mediaType: "image/png" },
        text('{"type":"custom"}'),
      ]),
    ]);
  });
});

describe("messages of a page", () => {
  const question = page("user", text("Find it."));

  test("say what became of a call that was cut off, with what was streamed as its input", () => {
    const part = { ...tool("c1", "input-streaming", { rawInput: '{"she' }), input: undefined };
    const { output } = repair([question, page("assistant", stepStart, part)], { format });
    expect(output[1]?.["parts"]).toEqual([
      stepStart,
      {
        type: "tool-look_up",
        toolCallId: "c1",
        state: "output-error",
        input: { _raw: '{"she' },
        errorText: "Tool call look_up with id c1 was not executed - its arguments were cut off.",
      },
    ]);
  });

  test("end a refusal in the state that the SDK has for it", () => {
    const approval = { id: "a1", approved: false, reason: "too dear" };
    const history = [question, page("assistant", stepStart, tool("c1", "approval-responded", { approval })), question];
    const { output } = repair(history, { format });
    expect(output[1]?.["parts"]).toEqual([stepStart, tool("c1", "output-denied", { approval })]);
  });

  test("keep parts that need nothing, and messages around, by reference", () => {
    const done = tool("c1", "output-available", { output: "three books" });
    const history = [question, page("assistant", stepStart, done, tool("c2", "input-available")), question];
    const { output } = repair(history, { format });
    expect(output[0]).toBe(question);
    const parts = (output[1]?.["parts"] ?? []) as unknown[]; // the assistant message
    expect(parts[1]).toBe(done);
    expect(output[1]?.["id"]).toBe(history[1]?.["id"]);
  });

  test("have problems at the place of the part", () => {
    const history = [question, page("assistant", stepStart, tool("c1", "input-available")), question];
    expect(check({ messages: history }).map(({ rule, path }) => ({ rule, path }))).toEqual([
      { rule: "unanswered-call", path: "messages[1].parts[1]" },
    ]);
  });
});
