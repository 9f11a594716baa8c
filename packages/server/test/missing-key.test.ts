import { pino } from "pino";
import { describe, expect, test } from "vitest";

import { startMessage } from "../src/start-message.ts";
import { serve } from "./serve-fixture.ts";

const missing = "There is no key for the model openai/gpt-5.1: set OPENAI_API_KEY, or give the option apiKey.";
const chat = "/v1/chat/completions";
const messages = [{ role: "user", content: "Hello." }];

describe("a server whose model has no key", () => {
  test.each([
    ["of the option model", { options: { model: "openai/gpt-5.1" } }],
    ["of the standard persona", { config: { agents: { clerk: { model: "openai/gpt-5.1" } } } }],
    ["of the environment", { config: {}, options: { env: { UNDANGLE_MODEL: "openai/gpt-5.1" } } }],
  ])("%s does not start", async (_, stage) => {
    const { app } = serve(stage);
    await expect(app.ready()).rejects.toThrow(missing);
  });

  test("starts where a key is there", async () => {
    const { app } = serve({ options: { model: "openai/gpt-5.1", env: { OPENAI_API_KEY: "sk-1" } } });
    expect((await app.inject("/readyz")).statusCode).toBe(200);
  });

  test("of another persona starts, says so, and refuses the requests to that one", async () => {
    const lines: string[] = [];
    const { app, call } = serve({
      config: { agents: { helper: { model: "demo" }, clerk: { model: "openai/gpt-5.1" } } },
      options: { logger: pino({}, { write: (line: string) => void lines.push(line) }) },
    });
    await app.ready();
    expect(lines.join("")).toMatch(/"persona":"clerk".*OPENAI_API_KEY.*"msg":"A persona cannot respond"/u);
    const message = startMessage(app.service, { url: "http://localhost:4111", language: "en", needsKey: false });
    expect(message).toContain(`clerk cannot respond. ${missing}`);
    expect(startMessage(app.service, { url: "", language: "zh", needsKey: false })).toContain("OPENAI_API_KEY");
    expect((await call("POST", chat, { messages })).status).toBe(200);
    const refused = await call("POST", chat, { messages, personality_id: "clerk" });
    expect(refused).toMatchObject({
      status: 502,
      body: {
        error: {
          code: "model/auth",
          message:
            "This server has no key for the provider of the model. Start it with OPENAI_API_KEY in its environment.",
        },
      },
    });
  });
});
