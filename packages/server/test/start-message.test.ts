import { expect, test } from "vitest";

import { startMessage } from "../src/start-message.ts";
import { serve } from "./serve-fixture.ts";

test.each(["en", "zh"] as const)(
  "the request to copy fits into 80 columns and is one shell command (%s)",
  async (language) => {
    const { app } = serve();
    await app.ready();
    const message = startMessage(app.service, { url: "http://127.0.0.1:4111", language, needsKey: true });
    const command = /^ +curl [^]*?\}'$/mu.exec(message)?.[0] ?? "";
    for (const line of command.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
    expect(command).toContain("-H 'Authorization: Bearer ud_…' \\\n");
    const [body = ""] = /(?<=-d ')[^']*/u.exec(command) ?? [];
    expect(JSON.parse(body)).toMatchObject({ use_tools: true, stream: true, messages: [{ role: "user" }] });
  },
);
