import { openai } from "undangle/models";
import type { HttpModelOptions } from "undangle/models";
import { describe, expect, test } from "vitest";

import { faultOf, hear } from "./asking.ts";
import { chatEnd, chatPiece, rawServer } from "./raw-server.ts";

const key = "sk-0123456789";

const ask = (options: HttpModelOptions) =>
  hear(
    openai("gpt-4.1", {
      api: "chat",
      baseURL: "http://127.0.0.1:9/v1",
      apiKey: key,
      env: {},
      retryDelay: 1,
      ...options,
    }),
  );

describe("a key that is none", () => {
  test.each<[string, unknown]>([
    ["a blank one", "  "],
    ["a blank one of a function", () => ""],
    ["a number of a function", () => 5],
    ["nothing of a function", () => undefined],
  ])("%s is no key, and nothing is sent", async (_, apiKey) => {
    let sent = 0;
    const fetch = () => Promise.resolve(new Response(`${++sent}`));
    const error = faultOf(await ask({ apiKey: apiKey as string, fetch })); // as a program without types may give it
    expect(error.code).toBe("model/auth");
    expect(error.message).toContain("OPENAI_API_KEY");
    expect(sent).toBe(0);
  });

  test.each(["sk-密钥", "sk-\nbroken"])(
    "%j is told as one that cannot be right, and not tried again",
    async (apiKey) => {
      const error = faultOf(await ask({ apiKey }));
      expect(error.is("model/auth") && !error.data.canRetry).toBe(true);
      expect(error.message).not.toContain(apiKey);
    },
  );
});

describe("no secret is told", () => {
  test("not that in an address, which is not asked twice", async () => {
    const error = faultOf(await ask({ baseURL: "http://me:hunter2@127.0.0.1:9/v1" }));
    expect(error.is("model/unreachable") && error.data.canRetry).toBe(false);
    expect(`${error.message} ${String(error.cause)}`).not.toContain("hunter2");
  });

  test("not that in the address of a redirect", async () => {
    const server = await rawServer((response) => response.writeHead(302, { location: `http://x/?key=${key}` }).end());
    const error = faultOf(await ask({ baseURL: server.url }));
    expect(error.code).toBe("model/refused");
    expect(JSON.stringify([error.data, error.message])).not.toContain(key);
    await server.close();
  });
});

test.each<[string, unknown]>([
  ["nothing", undefined],
  ["an empty object", {}],
  ["a response of an older library", { status: 200, headers: new Headers(), body: { pipe() {} } }],
])("a fetch that gives back %s is told as such, and nothing is left unhandled", async (_, answer) => {
  let asked = 0;
  const fetch = () => Promise.resolve((asked++, answer) as Response); // which it is not
  const error = faultOf(await ask({ fetch }));
  expect(error.code).toBe("model/unreachable");
  expect(error.message).toContain("fetch");
  expect(asked).toBe(1);
});

test.each(["0", "-1"])("retry-after: %s is no reason to ask again at once", async (after) => {
  const times: number[] = [];
  const server = await rawServer((response, { number }) => {
    times.push(performance.now());
    if (number === 1) response.writeHead(429, { "retry-after": after }).end();
    else response.end(chatPiece("Hello.") + chatEnd);
  });
  const { turn } = await ask({ baseURL: server.url, retryDelay: 100 });
  expect(turn?.text).toBe("Hello.");
  const [first = 0, second = 0] = times;
  expect(second - first).toBeGreaterThan(40); // half of the delay, at least
  await server.close();
});
