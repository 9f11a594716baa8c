import { createAgent, tool } from "#engine";
import { scriptedModel } from "#testing";
import { expect, test } from "vitest";
import { z } from "zod";

import { eventsOf } from "./recorded.ts";

test("who decided what, and what was edited, stands in the events and in the list of calls", async () => {
  const names = ["approved", "rejected", "edited", "answered"];
  const agent = createAgent({
    model: scriptedModel([{ calls: names.map((name) => ({ name, arguments: { n: 1 } })) }, { text: "Done." }]),
    now: () => 5,
    approvals: [{ tools: "*" }],
    tools: names.map((name) =>
      tool({ name, description: "Does it.", input: z.object({ n: z.number() }), execute: (args) => args }),
    ),
  });
  const thread = agent.thread("t");
  await thread.send("Go.").result;
  const run = thread.decide(
    {
      call_1: { type: "approve" },
      call_2: { type: "reject", reason: "not today" },
      call_3: { type: "edit", arguments: { n: 2 } },
      call_4: { type: "respond", result: "42" },
    },
    { by: "ann" },
  );
  expect(await run.result).toMatchObject({ status: "done" });
  const events = await eventsOf(run);
  const edit = { type: "edit", at: 5, by: "ann", proposed: { name: "edited", arguments: { n: 1 } } };
  expect(events.flatMap(({ type, data }) => (type === "tool_call_running" ? [data] : []))).toEqual([
    { id: "call_1", name: "approved", attempt: 1, startedAt: 5, decision: { type: "approve", at: 5, by: "ann" } },
    { id: "call_3", name: "edited", attempt: 1, startedAt: 5, decision: edit, arguments: { n: 2 } },
  ]);
  const ends = events.flatMap(({ type, data }) => (type === "tool_call_end" ? [[data.id, data.decision]] : []));
  expect(Object.fromEntries(ends)).toEqual({
    call_1: { type: "approve", at: 5, by: "ann" },
    call_2: { type: "reject", at: 5, by: "ann", reason: "not today" },
    call_3: edit,
    call_4: { type: "respond", at: 5, by: "ann" },
  });
  expect(await thread.calls()).toMatchObject([
    { id: "call_1", name: "approved", arguments: { n: 1 }, status: "succeeded", decision: { by: "ann" } },
    { id: "call_2", status: "rejected", error: expect.stringMatching(/not today/u) as unknown },
    { id: "call_3", arguments: { n: 2 }, status: "succeeded", decision: { proposed: { arguments: { n: 1 } } } },
    { id: "call_4", status: "responded", result: "42" },
  ]);
});
