import { createAgent } from "#engine";
import type { Middleware } from "#engine";
import { scriptedModel } from "#testing";
import { expect, test } from "vitest";

/** Without a logger, an answer was told once as it came, and once more at its end, as soon as there was a hook. */
test.each<readonly [string, Middleware]>([
  ["before the model", { name: "before", beforeModel: (request) => request }],
  ["behind the model", { name: "behind", afterModel: () => undefined }],
  ["around the model", { name: "around", wrapModelCall: (next) => (request) => next(request) }],
])("a hook %s hears and tells every word once, with or without a logger", async (_, middleware) => {
  const script = [
    { reasoning: "Hm.", text: "Hello there.", calls: [{ name: "none", arguments: { a: 1 } }] },
    { text: "Bye." },
  ];
  const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };
  for (const logger of [undefined, quiet]) {
    const agent = createAgent({ model: scriptedModel(script), middleware: [middleware], ...(logger && { logger }) });
    let told = "";
    for await (const { data } of agent.thread("t").send("Hi.")) if ("text" in data) told += data.text;
    expect(told).toBe('Hm.Hello there.{"a":1}Bye.');
  }
});
