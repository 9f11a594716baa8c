import { pino } from "pino";
import { expect, test } from "vitest";

import { serve } from "./serve-fixture.ts";

interface Line {
  readonly msg: string;
  readonly path?: string;
  readonly status?: number;
  readonly ms?: number;
  readonly firstByteMs?: number;
}

test("every answer is logged with how long its first byte took, and its last", async () => {
  const lines: Line[] = [];
  const logger = pino({ level: "info" }, { write: (line: string) => void lines.push(JSON.parse(line) as Line) });
  const { call } = serve({ turns: [{ text: "One two three." }], options: { logger } });
  const messages = [{ role: "user", content: "Count." }];
  await call("POST", "/v1/chat/completions", { messages, stream: true });
  await call("POST", "/v1/chat/completions", { messages });
  await call("POST", "/threads/none/messages", { content: "Hi." });
  await call("GET", "/nothing");
  const answered = lines.filter(({ msg }) => msg === "Request completed");
  expect(answered.map(({ path, status }) => [path, status])).toEqual([
    ["/v1/chat/completions", 200],
    ["/v1/chat/completions", 200],
    ["/threads/none/messages", 404],
    ["/nothing", 404],
  ]);
  for (const { ms = -1, firstByteMs = Infinity } of answered) expect(firstByteMs).toBeLessThanOrEqual(ms);
});
