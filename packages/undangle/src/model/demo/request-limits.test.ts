import { describe, expect, test } from "vitest";

import { requestOf } from "./conversation.fixture.ts";
import { demoModel } from "./demo-model.ts";
import { tokensIn } from "./estimate-usage.ts";
import type { ModelRequest } from "../model.ts";

const model = demoModel({ pace: 0 });
const turnOf = (said: string, more: Partial<ModelRequest> = {}) => model.stream(requestOf([said], more)).turn();

describe("maxTokens", () => {
  test.each(["Hello", "Tell me a story", "你好", "Read my mail", "Transfer 300 euros to ACME and read my mail"])(
    "%s: a reply is cut off where its tokens are used up",
    async (said) => {
      const whole = await turnOf(said);
      const all = Number(whole.usage?.["completion_tokens"]);
      for (const maxTokens of [1, 2, 5, 10, all - 1]) {
        const { text, finish, usage, calls } = await turnOf(said, { sampling: { maxTokens } });
        expect(Number(usage?.["completion_tokens"])).toBeLessThanOrEqual(maxTokens);
        expect(finish).toBe("length");
        expect(whole.text.startsWith(text)).toBe(true);
        expect(calls.length).toBeLessThanOrEqual(whole.calls.length);
      }
      expect(await turnOf(said, { sampling: { maxTokens: all } })).toEqual(whole);
    },
  );

  test("arguments that are cut off are not ready", async () => {
    const said = "Transfer 300 euros to ACME";
    const whole = await turnOf(said);
    const maxTokens = tokensIn(whole.text) + tokensIn("transfer") + 2;
    const { calls, finish } = await turnOf(said, { sampling: { maxTokens } });
    expect([finish, calls.map(({ name, state }) => [name, state])]).toEqual(["length", [["transfer", "truncated"]]]);
  });
});

describe("stop", () => {
  test("ends the text before the first of the sequences, and makes no calls after it", async () => {
    const whole = await turnOf("Read my mail");
    const [first = "", second = ""] = whole.text.split(" ").slice(1);
    const { text, calls, finish } = await turnOf("Read my mail", { sampling: { stop: [second, first, "never said"] } });
    expect([text, calls, finish]).toEqual([whole.text.slice(0, whole.text.indexOf(first)), [], "stop"]);
  });

  test("changes nothing where the text has none of them", async () => {
    expect(await turnOf("Hello", { sampling: { stop: ["never said", ""] } })).toEqual(await turnOf("Hello"));
  });
});

describe("any JSON object", () => {
  const output = { type: "object" };
  const objectOf = async (said: string, more: Partial<ModelRequest> = {}): Promise<unknown> =>
    JSON.parse((await turnOf(said, { output, tools: [], ...more })).text);
  const schema = {
    type: "object",
    properties: {
      name: { type: "string" },
      age: { type: "integer" },
      tags: { type: "array", items: { type: "string" } },
    },
    required: ["name", "age", "tags"],
  };

  test("has an answer where nothing says what it is to have", async () => {
    expect(await objectOf("Hello")).toEqual({ answer: expect.stringMatching(/./u) as string });
  });

  test("has the form of a schema in the instructions", async () => {
    const text = `JSON schema:\n${JSON.stringify(schema)}\nYou MUST answer with a JSON object that matches the JSON schema above.`;
    const system = [{ type: "text" as const, path: "", text }];
    expect(await objectOf("Anna is 31 years old.", { system })).toEqual({
      name: "Anna",
      age: 31,
      tags: [expect.any(String)],
    });
  });

  test("has the form of a schema, or of an example, in the message", async () => {
    const keys = ["age", "name", "tags"];
    const inSchema = await objectOf(`Anna is 31. Answer in this form: ${JSON.stringify(schema)}`);
    expect(Object.keys(inSchema as object).sort()).toEqual(keys);
    const inExample = await objectOf(`Anna is 31. Answer like {"name": "Bob", "age": 5, "tags": ["x"]}.`);
    expect(Object.keys(inExample as object).sort()).toEqual(keys);
  });

  test.each(["{".repeat(50_000), '{"a":'.repeat(10_000), `"${"{".repeat(30_000)}`, "}{".repeat(30_000)])(
    "brackets that mean nothing are no form (%#)",
    async (text) => {
      expect(await objectOf(text)).toHaveProperty("answer");
    },
  );
});
