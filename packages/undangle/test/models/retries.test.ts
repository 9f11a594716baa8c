import { openaiCompatible } from "undangle/models";
import type { CompatibleOptions } from "undangle/models";
import { afterEach, describe, expect, test } from "vitest";
import { faultOf, hear, requestFor } from "./asking.ts";
import { chatEnd, chatPiece, rawServer } from "./raw-server.ts";
import type { RawServer } from "./raw-server.ts";

const key = "sk-secret-0123456789abcdef";
let server: RawServer | undefined;

afterEach(async () => {
  await server?.close(); // it throws when a connection is left open
  server = undefined;
});

type Answer = readonly [status: number, body: string, headers?: Readonly<Record<string, string>>];

/** Answers one request after the other, and then as a model does. */
async function serve(...answers: readonly Answer[]): Promise<RawServer> {
  server = await rawServer((response, { number }) => {
    const [status, body, headers = {}] = answers[number - 1] ?? [200, `${chatPiece("Hello.")}${chatEnd}`];
    const type = status === 200 ? "text/event-stream" : "application/json";
    response.writeHead(status, { "content-type": type, ...headers });
    response.end(body);
  });
  return server;
}

const modelAt = ({ url }: RawServer, options: CompatibleOptions = {}) =>
  openaiCompatible({ baseURL: url, apiKey: key, retryDelay: 1, name: "m", ...options })("some-model");

const said = (message: string, code: string | null = null): string =>
  JSON.stringify({ error: { message, type: "some_error", code } });

describe("a request that fails", () => {
  test.each([408, 425, 429, 500, 502, 503, 504, 529])("is made again after a status of %i", async (status) => {
    const { turn, parts } = await hear(modelAt(await serve([status, said("Not now.")], [status, said("Not now.")])));
    expect(turn?.text).toBe("Hello.");
    expect(server?.requests).toHaveLength(3);
    expect(parts).not.toContain("<discarded>"); // nothing had been said
  });

  test.each([400, 401, 403, 404, 413, 422, 501])("is not made again after a status of %i", async (status) => {
    const error = faultOf(await hear(modelAt(await serve([status, said("Never.")]))));
    expect(error.data).toMatchObject({ status, canRetry: false, model: "m" });
    expect(server?.requests).toHaveLength(1);
  });

  test("sends the same bytes every time", async () => {
    await hear(modelAt(await serve([500, ""], [500, ""])));
    expect(new Set(server?.requests.map(({ body }) => body)).size).toBe(1);
  });

  test("is given up after the retries that were asked for", async () => {
    const failing: readonly Answer[] = [
      [503, said("Busy.")],
      [503, said("Busy.")],
      [503, said("Busy.")],
    ];
    const error = faultOf(await hear(modelAt(await serve(...failing), { retries: 1 })));
    expect(error.code).toBe("model/overloaded");
    expect(server?.requests).toHaveLength(2);
    const none = faultOf(await hear(modelAt(await serve(...failing), { retries: 0 })));
    expect(none.code).toBe("model/overloaded");
    expect(server?.requests).toHaveLength(1);
  });

  test("is not made again when the quota is used up", async () => {
    const error = faultOf(await hear(modelAt(await serve([429, said("You exceeded…", "insufficient_quota")]))));
    expect(error.is("model/rate-limit") && error.data.canRetry).toBe(false);
    expect(server?.requests).toHaveLength(1);
  });

  test("waits as long as it is told, in seconds, milliseconds or until a date", async () => {
    const soon = new Date(Date.now() + 1000).toUTCString();
    for (const headers of [{ "retry-after-ms": "30" }, { "retry-after": "0.03" }, { "retry-after": soon }]) {
      const { turn } = await hear(modelAt(await serve([429, said("Slow down."), headers])));
      expect(turn?.text).toBe("Hello.");
      await server?.close();
    }
  });

  test("says so when the wait is long", async () => {
    const model = modelAt(await serve([429, said("Slow down."), { "retry-after": "50" }]));
    const controller = new AbortController();
    for await (const part of model.stream(requestFor({ signal: controller.signal }))) {
      const told = part.type === "warning" ? part.message : "";
      expect(told).toMatch(/is rate-limited: .*Slow down\..* Retry in 50 s\.$/u);
      break;
    }
    controller.abort();
  });

  test("does not wait for longer than a minute: the error says how long", async () => {
    const error = faultOf(await hear(modelAt(await serve([429, said("Slow down."), { "retry-after": "3600" }]))));
    expect(error.is("model/rate-limit") && error.data).toMatchObject({ retryAfter: 3_600_000, canRetry: true });
    expect(server?.requests).toHaveLength(1);
  });

  test("heeds what a provider says itself about another attempt", async () => {
    const never = faultOf(await hear(modelAt(await serve([500, said("No."), { "x-should-retry": "false" }]))));
    expect(never.data).toMatchObject({ canRetry: false });
    await server?.close();
    const { turn } = await hear(modelAt(await serve([400, said("Yes."), { "x-should-retry": "true" }])));
    expect(turn?.text).toBe("Hello.");
  });

  test("says what the provider said, with its status and the id of the request", async () => {
    const headers = { "x-request-id": "req_123" };
    const error = faultOf(await hear(modelAt(await serve([404, said("There is no such model."), headers]))));
    expect(error.code).toBe("model/refused");
    expect(error.data).toMatchObject({ message: "There is no such model.", status: 404, requestId: "req_123" });
    expect(error.message).toContain("There is no such model. (status 404, request req_123)");
  });

  test("says something of a page of HTML, of nothing, and of a text", async () => {
    const page = "<!DOCTYPE html><html><head><title>502 Bad\n Gateway</title></head></html>";
    const answers = [
      [page, "a page of HTML: 502 Bad Gateway"],
      ["", "status 502, without an error text"],
      ["upstream connect error", "upstream connect error"],
    ] as const;
    for (const [body, message] of answers) {
      const error = faultOf(await hear(modelAt(await serve([502, body]), { retries: 0 })));
      expect(error.data).toMatchObject({ message });
      await server?.close();
    }
  });

  test("never shows the key, whoever repeats it", async () => {
    const error = faultOf(await hear(modelAt(await serve([401, said(`Incorrect API key provided: ${key}.`)]))));
    expect(error.code).toBe("model/auth");
    expect(JSON.stringify([error.message, error.data, error.stack, String(error.cause)])).not.toContain(key);
    await server?.close();
    const broken = modelAt(await serve(), { apiKey: `${key}\nmore` }); // no header can hold it, and fetch shows it whole
    const shown = faultOf(await hear(broken));
    expect(JSON.stringify([shown.message, shown.data, shown.stack])).not.toContain(key);
    expect(shown.cause).toBeUndefined();
  });

  test("does not follow a redirect, to which the key would go along", async () => {
    const error = faultOf(await hear(modelAt(await serve([307, "", { location: "http://127.0.0.1:9/elsewhere" }]))));
    expect(error.code).toBe("model/refused");
    expect(error.message).toContain("http://127.0.0.1:9/elsewhere");
  });

  test("is told by its words where the connection fails", async () => {
    const gone = await serve();
    await gone.close();
    server = undefined;
    const error = faultOf(await hear(modelAt(gone, { retries: 1 })));
    expect(error.code).toBe("model/unreachable");
    expect(error.data).toMatchObject({ canRetry: true });
    expect(error.message).toContain("ECONNREFUSED");
  });
});

describe("an answer that breaks off", () => {
  test("is begun anew, and what was heard is taken back", async () => {
    server = await rawServer((response, { number }) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(chatPiece("Hel"));
      if (number > 1) response.end(`${chatPiece("lo.")}${chatEnd}`);
      else setTimeout(() => response.destroy(), 20);
    });
    const { parts, turn } = await hear(modelAt(server));
    expect(turn?.text).toBe("Hello.");
    const again = parts.indexOf("<discarded>");
    expect(parts.slice(0, again)).toContain("Hel");
    expect(parts.slice(again + 1).filter((part) => !part.startsWith("<"))).toEqual(["Hel", "lo."]);
    expect(parts.filter((part) => part === "<finish>")).toHaveLength(1);
  });

  test("is an error when it breaks off every time", async () => {
    server = await rawServer((response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(chatPiece("Hel"));
    });
    const heard = await hear(modelAt(server));
    expect(faultOf(heard).code).toBe("model/unreachable");
    expect(heard.parts.filter((part) => part === "<discarded>")).toHaveLength(2);
    expect(server.requests).toHaveLength(3);
  });

  test.each([
    [
      "an error among its events",
      `${chatPiece("Hel")}data: ${said("Overloaded.", "overloaded_error")}\n\n`,
      "model/overloaded",
    ],
    ["a page of HTML", "<html><title>Just a moment…</title></html>", "model/overloaded"],
    ["nothing at all", "", "model/unreachable"],
    [
      "MiniMax's way to say no",
      JSON.stringify({ base_resp: { status_code: 1027, status_msg: "sensitive" } }),
      "model/content-filter",
    ],
    [
      "MiniMax's way to ask for money",
      JSON.stringify({ base_resp: { status_code: 1008, status_msg: "insufficient" } }),
      "model/rate-limit",
    ],
    ["an overflow", `data: ${said("Too long", "context_length_exceeded")}\n\n`, "model/context-overflow"],
  ])("with a status of 200 and %s is told by what it is", async (_what, body, code) => {
    const error = faultOf(await hear(modelAt(await serve([200, body], [200, body], [200, body]))));
    expect(error.code).toBe(code);
    const { canRetry } = error.data as { canRetry: boolean }; // every error of a model has it
    expect(server?.requests).toHaveLength(canRetry ? 3 : 1);
  });

  test("is not asked for again when a filter ended it", async () => {
    const filtered = `${chatPiece("I")}data: ${JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: "content_filter" }] })}\n\ndata: [DONE]\n\n`;
    const { turn } = await hear(modelAt(await serve([200, filtered])));
    expect(turn?.finish).toBe("content_filter");
    expect(server?.requests).toHaveLength(1);
  });
});
