import { wrapFetch } from "undangle";
import type { WrapFetchOptions } from "undangle";
import { describe, expect, test, vi } from "vitest";

/** What was mended was read and written again, and numbers that JavaScript does not keep came out as others. */
const chat = "https://host.example/v1/chat/completions";
const big = "12345678901234567890";

/** Sends a text, and gives the text that is sent on, and what comes back. */
async function exchange(url: string, body: string, answer = "{}", options: WrapFetchOptions = {}) {
  let sent: unknown;
  const send: typeof fetch = async (_, init) => {
    sent = init?.body;
    return new Response(answer, { headers: { "content-type": "application/json" } });
  };
  const response = await wrapFetch({ logger: false, ...options, fetch: send })(url, { method: "POST", body });
  return { sent: String(sent), got: await response.text() };
}

const dangling = (more: string, call = `"id":"a",`, given = `"{}"`): string =>
  `{"model":"m",${more}"messages":[{"role":"user","content":"x, 1.0, 7"},` +
  `{"role":"assistant","tool_calls":[{${call}"type":"function","function":{"name":"f","arguments":${given}}}]},` +
  `{"role":"user","content":"y"}]}`;

describe("a request that is mended keeps its numbers as they are written", () => {
  test.each([
    ["large ones", `"seed":${big},`],
    ["those beyond all that can be read", `"a":1e400,"b":-1E+999,`],
    ["fractions of nothing", `"temperature":1.0,"top_p":0.90,"z":-0,`],
    ["exponents", `"a":1e3,"b":1E-7,`],
    ["those in lists and objects", `"metadata":{"a":[1.0,${big},3,{"b":2.50}]},`],
    ["those that differ in the last digit", `"a":[${big},12345678901234567891],`],
  ])("%s", async (_, more) => {
    const { sent } = await exchange(chat, dangling(more));
    expect(sent.startsWith(`{"model":"m",${more}"messages":`)).toBe(true);
    expect(sent).toContain(`"role":"tool","tool_call_id":"a"`);
    expect(sent).toContain("x, 1.0, 7");
  });

  test("also in arguments that become a text, or stop being one", async () => {
    const object = await exchange(chat, dangling("", `"id":"a",`, `{"id":${big},"z":1.0}`));
    expect(object.sent).toContain(`"arguments":"{\\"id\\":${big},\\"z\\":1.0}"`);
    const text = dangling("", `"id":"a",`, `"{\\n \\"id\\": ${big},\\n \\"z\\": 1.0\\n}"`);
    const { sent } = await exchange("http://localhost:11434/api/chat", text);
    expect(sent).toContain(`"arguments":{"id":${big},"z":1.0}`);
  });

  test("also where ids are made", async () => {
    const { sent } = await exchange(chat, dangling(`"seed":${big},`, "", `{"id":${big}}`));
    expect(sent).toContain(`"seed":${big}`);
    expect(sent).toContain(`{\\"id\\":${big}}`);
  });

  test("and whoever writes the notices is asked once for each", async () => {
    const notice = vi.fn<() => string>(() => `at ${big}, 1.0`);
    const { sent } = await exchange(chat, dangling(`"seed":${big},`), "{}", { notice });
    expect(notice).toHaveBeenCalledTimes(1);
    expect(sent).toContain(`"content":"at ${big}, 1.0"`);
    expect(sent).toContain(`"seed":${big}`);
  });
});

describe("an answer that is mended keeps its numbers as they are written", () => {
  const call = (more = ""): string => `{${more}"type":"function","function":{"name":"f","arguments":{"n":${big}}}}`;
  const answer = (calls: string): string =>
    `{"id":"x","created":1.0,"choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[${calls}]},` +
    `"finish_reason":"stop"}],"usage":{"cost":0.10}}`;
  const asked = (more: string): string => `{${more}"model":"m","messages":[{"role":"user","content":"x"}]}`;

  test.each([
    ["with the ids that it has", call(`"id":"a",`)],
    ["with ids that are made", `${call()},${call()}`],
  ])("%s", async (_, calls) => {
    const onRepair = vi.fn<() => void>();
    const { got } = await exchange(chat, asked(""), answer(calls), { onRepair });
    expect(got).toContain(`"created":1.0`);
    expect(got).toContain(`"cost":0.10`);
    expect(got).toContain(`"arguments":"{\\"n\\":${big}}"`);
    expect(got).toContain(`"finish_reason":"tool_calls"`);
    expect(onRepair).toHaveBeenCalledTimes(1);
  });

  test("and has the ids that it would have with other numbers", async () => {
    const ids = await Promise.all(
      [answer(call()), answer(call()).replace("1.0", "1").replace("0.10", "0.1")].map(async (body) =>
        /call_\w+/u.exec((await exchange(chat, asked(""), body)).got),
      ),
    );
    expect(ids[0]?.[0]).toBeDefined();
    expect(ids[0]?.[0]).toBe(ids[1]?.[0]);
  });

  test("as a stream, where one was asked for", async () => {
    const { got } = await exchange(chat, asked(`"stream":true,`), answer(call()));
    expect(got).toContain(`"arguments":"{\\"n\\":${big}}"`);
    expect(got).toContain(`"cost":0.10`);
    expect(got.endsWith("data: [DONE]\n\n")).toBe(true);
  });
});
