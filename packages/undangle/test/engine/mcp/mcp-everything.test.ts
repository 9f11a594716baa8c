/** The server that the makers of MCP publish for trying out clients. */
import { afterAll, beforeAll, expect, test } from "vitest";

import { allProviders } from "../all-formats.ts";
import { faultsOf } from "../health.ts";
import { chatOf, eventsOf, statesOf } from "../recorded.ts";
import { mcpStage, openEverything } from "./mcp-stage.ts";
import type { OddClient } from "./mcp-stage.ts";

let everything: OddClient;
beforeAll(async () => {
  everything = await openEverything();
});
afterAll(() => everything.client.close());

const done = { text: "Done." };

test("its tools run, and every provider takes what they returned", async () => {
  const calls = [
    { name: "all_echo", arguments: { message: "hello" } },
    { name: "all_get-sum", arguments: { a: 2, b: 3 } },
    { name: "all_get-tiny-image" },
    { name: "all_get-annotated-message", arguments: { messageType: "success", includeImage: true } },
    { name: "all_get-resource-links", arguments: { count: 2 } },
    { name: "all_get-resource-reference", arguments: { resourceType: "Blob", resourceId: 1 } },
    { name: "all_get-structured-content", arguments: { location: "Chicago" } },
    { name: "all_get-sum", arguments: { a: "two" } },
  ];
  const { thread, model, store } = await mcpStage(everything.client, [{ calls }, done], { prefix: "all_" });
  expect((await thread.send("Go.").result).status).toBe("done");
  const results = (await chatOf(thread)).flatMap(({ role, content }) => (role === "tool" ? [content] : []));
  expect(results[0]).toBe("Echo: hello");
  expect(results[1]).toContain("5");
  expect(results[6]).toContain("temperature");
  expect(results[7]).toContain("all_get-sum was not executed - its arguments do not fit");
  expect(await faultsOf(store, model.requests)).toEqual([]);
  const providers = await allProviders();
  for (const request of model.requests) expect(await providers.refusals(request)).toEqual([]);
  await providers.close();
});

test("a long operation tells how far it is", async () => {
  const calls = [{ name: "trigger-long-running-operation", arguments: { duration: 0.3, steps: 3 } }];
  const { thread, store } = await mcpStage(everything.client, [{ calls }, done]);
  const events = await eventsOf(thread.send("Go."));
  const told = events.flatMap(({ type, data }) => (type === "tool_call_running" ? [data.progress] : []));
  expect(told.filter(Boolean).length).toBeGreaterThan(1);
  expect(await statesOf(store, "t")).toEqual({ "trigger-long-running-operation": "succeeded" });
});
