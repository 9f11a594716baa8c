import { wrapFetch } from "undangle";
import type { WireRepair } from "undangle";
import { describe, expect, test, vi } from "vitest";

const url = "https://host.example/v1/chat/completions";
const text = JSON.stringify({
  model: "gpt-4.1",
  messages: [
    { role: "user", content: "Weather?" },
    { role: "assistant", tool_calls: [{ id: "a", type: "function", function: { name: "f", arguments: "{}" } }] },
    { role: "user", content: "Never mind." },
  ],
});
const healthy = JSON.stringify({ model: "gpt-4.1", messages: [{ role: "user", content: "Hi." }] });
const length = { "Content-Length": String(text.length) };
const json = { "content-type": "application/json", authorization: "Bearer key" };

const listener = () => vi.fn<typeof fetch>(async () => new Response("no", { status: 400 }));
const quiet = { logger: false } as const;

describe("the headers of a mended request keep their shape", () => {
  test.each<[shape: string, given: NonNullable<RequestInit["headers"]>, sent: unknown]>([
    ["an object", { ...json, ...length }, json],
    ["a list", [...Object.entries(json), ["content-length", "9"]], Object.entries(json)],
    ["an object that says nothing of a type", { ...length }, {}],
  ])("%s", async (_, headers, sent) => {
    const send = listener();
    await wrapFetch({ ...quiet, fetch: send })(url, { method: "POST", headers, body: text });
    expect(send.mock.calls[0]?.[1]?.headers).toEqual(sent);
    expect(send.mock.calls[0]?.[1]?.body).not.toBe(text);
  });

  test("Headers", async () => {
    const send = listener();
    const headers = new Headers({ ...json, ...length });
    await wrapFetch({ ...quiet, fetch: send })(url, { method: "POST", headers, body: text });
    const sent = send.mock.calls[0]?.[1]?.headers;
    expect(sent).toBeInstanceOf(Headers);
    expect(Object.fromEntries(sent as Headers)).toEqual(json);
    expect(headers.has("content-length")).toBe(true); // they are not ours
  });

  test("so that a fetch that adds one to them loses none", async () => {
    const send = listener();
    const adding: typeof fetch = (input, init) =>
      send(input, { ...init, headers: { ...(init?.headers as Record<string, string>), "x-trace": "1" } });
    await wrapFetch({ ...quiet, fetch: adding })(url, { method: "POST", headers: json, body: text });
    expect(send.mock.calls[0]?.[1]?.headers).toEqual({ ...json, "x-trace": "1" });
  });
});

/** An init of somebody's own class. */
class Init {
  readonly body = text;
  get method(): string {
    return "POST";
  }
  get headers(): Record<string, string> {
    return { ...json, ...length };
  }
  get redirect(): NonNullable<RequestInit["redirect"]> {
    return "error";
  }
}

describe("an init has all that fetch finds in it when its body is mended", () => {
  const inherited = { method: "POST", redirect: "error" } as const;
  test.each<[kind: string, init: RequestInit, headers: unknown]>([
    ["what is inherited", Object.assign(Object.create({ ...inherited, headers: json }), { body: text }), json],
    ["without any headers", Object.assign(Object.create(inherited), { body: text }), undefined],
    ["what getters say", new Init(), json],
  ])("%s", async (_, init, headers) => {
    const send = listener();
    await wrapFetch({ ...quiet, fetch: send })(url, init);
    const sent = send.mock.calls[0]?.[1];
    expect(sent).toMatchObject({ ...inherited, body: expect.stringContaining('"tool_call_id":"a"') as unknown });
    expect(sent?.headers).toEqual(headers);
  });

  test("and nothing that it has not", async () => {
    const send = listener();
    await wrapFetch({ ...quiet, fetch: send })(url, { method: "POST", body: text });
    expect(Object.keys(send.mock.calls[0]?.[1] ?? {})).toEqual(["method", "body"]);
  });
});

test("bytes stay bytes", async () => {
  const send = listener();
  await wrapFetch({ ...quiet, fetch: send })(url, { method: "POST", body: new TextEncoder().encode(text) });
  expect(send.mock.calls[0]?.[1]?.body).toBeInstanceOf(Uint8Array);
});

describe("a body is mended in whatever shape it is given", () => {
  test.each<[shape: string, body: string | Uint8Array<ArrayBuffer> | Blob]>([
    ["a text with a mark of its bytes", `\uFEFF${text}`],
    ["bytes with that mark", new TextEncoder().encode(`\uFEFF${text}`)],
    ["a Blob", new Blob([text], { type: "application/json" })],
    ["a Blob in pieces, with the mark", new Blob(["\uFEFF", text.slice(0, 9), text.slice(9)])],
  ])("%s", async (_, body) => {
    const send = listener();
    await wrapFetch({ ...quiet, fetch: send })(url, { method: "POST", body });
    const sent = send.mock.calls[0]?.[1]?.body;
    expect(sent?.constructor).toBe(body.constructor);
    expect(sent instanceof Blob && sent.type).toBe(body instanceof Blob && body.type);
    const { messages } = (await new Response(sent).json()) as { readonly messages: readonly { role: string }[] };
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "user"]);
  });

  test.each<[shape: string, body: string | Blob]>([
    ["a healthy text with that mark", `\uFEFF${healthy}`],
    ["a healthy Blob", new Blob([healthy])],
    ["a Blob that is too large", new Blob([text, " ".repeat(999)])],
    ["a Blob that is no JSON", new Blob(["--boundary"])],
  ])("but %s stays as it is", async (_, body) => {
    const send = listener();
    await wrapFetch({ ...quiet, fetch: send, maxBytes: 500 })(url, { method: "POST", body });
    expect(send.mock.calls[0]?.[1]?.body).toBe(body);
  });
});

test("a request that is aborted before it is sent is not told of", async () => {
  const onRepair = vi.fn<(repair: WireRepair) => void>();
  const init = { method: "POST", signal: AbortSignal.abort() };
  for (const body of [text, new Blob([text])]) {
    const sent = wrapFetch({ ...quiet, onRepair })(url, { ...init, body });
    await expect(sent).rejects.toThrow(expect.objectContaining({ name: "AbortError" }));
  }
  expect(onRepair).not.toHaveBeenCalled();
});

/** A body that is sent while it is made; nobody says how long it is. */
function upload(first: string, signal?: AbortSignal) {
  let pulls = 0;
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        pulls += 1;
        if (pulls === 1) controller.enqueue(new TextEncoder().encode(first));
        else await new Promise(() => undefined); // the rest takes its time
      },
    },
    { highWaterMark: 0 },
  );
  const init = { method: "POST", body, duplex: "half" as const, ...(signal && { signal }) };
  return { pulls: () => pulls, init };
}

describe("a Request", () => {
  test("to another address is not read", async () => {
    const { init, pulls } = upload("{");
    const request = new Request("https://host.example/v1/files", init);
    const send = listener();
    await wrapFetch({ ...quiet, fetch: send })(request);
    expect(send.mock.calls[0]?.[0]).toBe(request);
    expect(pulls()).toBe(0);
  });

  test("is read no further than to see that it is no object, or too large", async () => {
    for (const first of ["--boundary", " ".repeat(9) + healthy]) {
      const { init, pulls } = upload(first);
      const request = new Request(url, init);
      const send = listener();
      await wrapFetch({ ...quiet, fetch: send, maxBytes: 20 })(request);
      expect(send.mock.calls[0]?.[0]).toBe(request);
      expect(request.bodyUsed).toBe(false);
      expect(pulls()).toBeLessThan(3); // a copy is one piece ahead
    }
  });

  test("that is aborted while it is read is sent, for whoever sends it to say so", async () => {
    const control = new AbortController();
    const { init } = upload("{", control.signal);
    const request = new Request(url, init);
    setTimeout(() => control.abort(), 20);
    await expect(wrapFetch(quiet)(request)).rejects.toThrow(expect.objectContaining({ name: "AbortError" }));
  });

  test("is mended with what was given beside it", async () => {
    const send = listener();
    const request = new Request(url, { method: "POST", headers: { ...json, ...length }, body: text });
    const beside = { priority: "high", headers: { ...json, "x-trace": "1", ...length } } as const;
    await wrapFetch({ ...quiet, fetch: send })(request, beside);
    const [sent, init] = send.mock.calls[0] ?? [];
    expect(init).toEqual({ priority: "high", headers: { ...json, "x-trace": "1" } });
    expect((sent as Request).headers.has("content-length")).toBe(false);
    expect(await (sent as Request).text()).toContain("Never mind.");
  });
});

/** A `Request` of somebody else's: nobody but its own class can make another one of it. */
class ForeignRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Headers;
  readonly #request: Request;

  constructor(input: string | ForeignRequest, init?: RequestInit) {
    this.#request = new Request(typeof input === "string" ? input : input.#request, init);
    ({ url: this.url, method: this.method, headers: this.headers } = this.#request);
  }
  get body(): Request["body"] {
    return this.#request.body;
  }
  get bodyUsed(): boolean {
    return this.#request.bodyUsed;
  }
  clone(): Request {
    return this.#request.clone();
  }
  text(): Promise<string> {
    return this.#request.text();
  }
}

describe("a Request of another implementation", () => {
  const foreign = (): Request => new ForeignRequest(url, { method: "POST", headers: json, body: text }) as never;

  test("is mended as one of the same", async () => {
    const send = listener();
    await wrapFetch({ ...quiet, fetch: send })(foreign());
    const sent = send.mock.calls[0]?.[0];
    expect(sent).toBeInstanceOf(ForeignRequest);
    const body = JSON.parse(await (sent as Request).text()) as { readonly messages: readonly { role: string }[] };
    expect(body.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "user"]);
  });

  test("passes as it is where none can be made, and that is told", async () => {
    const request = foreign();
    Object.defineProperty(request, "constructor", { value: () => undefined });
    const send = listener();
    const lines: string[] = [];
    const onRepair = vi.fn<(repair: WireRepair) => void>();
    await wrapFetch({ fetch: send, onRepair, logger: { warn: (line) => void lines.push(line) } })(request);
    expect(send.mock.calls[0]?.[0]).toBe(request);
    expect(onRepair).not.toHaveBeenCalled();
    expect(lines).toEqual([expect.stringMatching(/^undangle: the request of .* passed unchanged: /u)]);
  });
});
