import { describe, expect, test } from "vitest";

import { serve } from "./serve-fixture.ts";

const turns = [{ text: "One." }, { text: "Two." }];
const ask = { messages: [{ role: "user", content: "Count." }] };
const chat = "/v1/chat/completions";

describe("a POST with an Idempotency-Key", () => {
  test.each([false, true])("is done once, and answered as often as it is sent (streamed: %s)", async (stream) => {
    const { call, model } = serve({ turns });
    const headers = { "idempotency-key": "k1" };
    const first = await call("POST", chat, { ...ask, stream }, headers);
    const again = await call("POST", chat, { ...ask, stream }, headers);
    expect(again.text).toBe(first.text);
    expect([again.status, again.headers["idempotency-replayed"], model.calls]).toEqual([200, "true", 1]);
    expect(again.headers["content-type"]).toBe(first.headers["content-type"]);
  });

  test("waits for the first when both come at once", async () => {
    const { call, model } = serve({ turns: [{ text: "Slow.", delay: 50 }] });
    const headers = { "idempotency-key": "k1" };
    const answers = await Promise.all([1, 2, 3].map(() => call("POST", chat, ask, headers)));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(model.calls).toBe(1);
  });

  test("is refused for another request, and tells keys and projects apart", async () => {
    const { call, model } = serve({ turns });
    await call("POST", chat, ask, { "idempotency-key": "k1" });
    const other = { messages: [{ role: "user", content: "Something else." }] };
    expect(await call("POST", chat, other, { "idempotency-key": "k1" })).toMatchObject({
      status: 422,
      body: { error: { code: "idempotency-conflict" } },
    });
    await call("POST", chat, ask, { "idempotency-key": "k2" });
    expect(model.calls).toBe(2);
  });

  test("may be sent again when it could not be done", async () => {
    const { call } = serve({ turns: [{ error: { status: 500, message: "away" } }, { text: "Now." }] });
    const headers = { "idempotency-key": "k1" };
    expect((await call("POST", chat, ask, headers)).status).toBeGreaterThanOrEqual(500);
    expect((await call("POST", chat, ask, headers)).status).toBe(200);
  });
});
