import { UndangleError } from "#core";
import { describe, expect, test } from "vitest";

import type { ModelPart, ModelRequest } from "../model.ts";
import { requestOf, tools } from "./conversation.fixture.ts";
import { demoModel } from "./demo-model.ts";

const model = demoModel({ pace: 0 });

async function partsOf(request: ModelRequest, options = { pace: 0 }): Promise<readonly ModelPart[]> {
  const parts: ModelPart[] = [];
  for await (const part of demoModel(options).stream(request)) parts.push(part);
  return parts;
}

describe("its stream", () => {
  test("brings a text in small pieces that are the whole of it", async () => {
    const request = requestOf(["哈哈哈哈哈哈哈哈哈哈哈哈 haha haha haha haha 😀😀😀"], { tools: [] });
    const pieces = (await partsOf(request)).flatMap((part) => (part.type === "text-delta" ? [part.text] : []));
    const { text, finish, complete, anomalies } = await model.stream(request).turn();
    expect({ finish, complete, anomalies }).toEqual({ finish: "stop", complete: true, anomalies: [] });
    expect(pieces.join("")).toBe(text);
    expect(pieces.length).toBeGreaterThan(10);
    expect(text).toContain("哈哈哈哈哈哈哈哈哈哈哈哈 haha haha haha haha 😀😀😀");
  });

  test("brings calls with their arguments as they grow", async () => {
    const parts = await partsOf(requestOf(["Transfer 300 euros to ACME and read my mail"]));
    expect(parts.filter(({ type }) => type === "call-start")).toHaveLength(2);
    expect(parts.filter(({ type }) => type === "call-delta").length).toBeGreaterThan(2);
    expect(parts.at(-1)).toMatchObject({
      type: "finish",
      turn: {
        finish: "tool_calls",
        calls: [
          { name: "transfer", arguments: { to: "ACME", amount: 300 }, state: "ready", idGenerated: false },
          { name: "read_mail", arguments: {}, state: "ready", idGenerated: false },
        ],
      },
    });
  });

  test("counts tokens, the more the longer the conversation", async () => {
    const few = await model.stream(requestOf(["Hello"])).turn();
    const more = await model.stream(requestOf(["Hello", { answer: "Hello. ".repeat(100) }, "Hello"])).turn();
    expect(Number(few.usage?.["completion_tokens"])).toBeGreaterThan(10);
    expect(Number(more.usage?.["prompt_tokens"])).toBeGreaterThan(Number(few.usage?.["prompt_tokens"]) + 100);
  });

  test("is the same for the same conversation", async () => {
    const request = requestOf(["Read my mail and pay invoice 12"]);
    expect(await model.stream(request).turn()).toEqual(await model.stream(request).turn());
  });

  test("gives no id that the thread knows", async () => {
    const knownIds = ["call_demo_1", "call_demo_3", "x"];
    const { calls } = await model.stream(requestOf(["Read my mail and tell me the time"], { knownIds })).turn();
    expect(calls.map(({ id }) => id)).toEqual(["call_demo_4", "call_demo_5"]);
    const iterator = knownIds.values(); // can be read only once
    expect(await model.stream(requestOf(["Read my mail and tell me the time"], { knownIds: iterator })).turn()).toEqual(
      await model.stream(requestOf(["Read my mail and tell me the time"], { knownIds })).turn(),
    );
  });

  test("calls tools by whatever name they have", async () => {
    for (const name of ["mcp.mail:read", "读取邮件", "read mail", "functions.read_mail"]) {
      const tool = { ...tools.readMail, name };
      const { calls } = await model.stream(requestOf(["Read my mail"], { tools: [tool] })).turn();
      expect(calls.map((call) => call.name)).toEqual([name]);
    }
  });

  test("takes its time where it is to", async () => {
    const start = performance.now();
    const parts = await partsOf(requestOf(["Hello"], { tools: [] }), { pace: 5 });
    expect(performance.now() - start).toBeGreaterThan(parts.length * 3);
  });
});

describe("a request that is aborted", () => {
  test("before it begins brings nothing", async () => {
    const signal = AbortSignal.abort(new Error("enough"));
    expect(await model.stream(requestOf(["Hello"], { signal })).turn()).toMatchObject({
      complete: false,
      text: "",
      error: { message: "enough", from: "connection" },
    });
  });

  test("in the middle ends at once, and not with the next piece", async () => {
    const controller = new AbortController();
    const stream = demoModel({ pace: 60_000 }).stream(requestOf(["Hello"], { signal: controller.signal }));
    const start = performance.now();
    setTimeout(() => controller.abort(new Error("enough")), 20);
    expect(await stream.turn()).toMatchObject({ complete: false, error: { message: "enough" } });
    expect(performance.now() - start).toBeLessThan(5000);
  });

  test("leaves no listener behind", async () => {
    const controller = new AbortController();
    const { signal } = controller;
    let listeners = 0;
    const watched = new Proxy(signal, {
      get(target, key) {
        if (key === "addEventListener") listeners++;
        if (key === "removeEventListener") listeners--;
        const value: unknown = Reflect.get(target, key);
        return typeof value === "function" ? (value.bind(target) as unknown) : value;
      },
    });
    await demoModel({ pace: 1 })
      .stream(requestOf(["Hello"], { signal: watched }))
      .turn();
    expect(listeners).toBe(0);
  });
});

test.each([[{ pace: -1 }], [{ pace: Number.NaN }], [{ pace: "fast" }], [{ name: 1 }], [{ now: 1 }], [{ speed: 1 }]])(
  "it refuses the options %j",
  (options) => {
    // Wrong on purpose: the types forbid it, and JavaScript does not.
    expect(() => demoModel(options as object)).toThrow(UndangleError);
  },
);
