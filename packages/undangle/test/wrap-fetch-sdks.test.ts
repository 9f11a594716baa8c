import { wrapFetch } from "undangle";
import { describe, expect, test } from "vitest";
import { faultNames, faults, wireServer } from "undangle/testing";
import { sdks } from "./clients/sdks.ts";
import { turn, verdictOn } from "./clients/verdict.ts";

describe.each(sdks)("through $name", ({ format, hear }) => {
  const names = faultNames(format).filter((name) => faults[name].outcome !== "leaked");

  test.each(names)("%s", async (name) => {
    const server = await wireServer({ strict: false, turns: () => ({ ...turn, faults: [name] }) });
    try {
      const heard = await hear(server.baseUrl(format), wrapFetch({ logger: false })).catch(() => undefined);
      expect({ verdict: verdictOn(heard, faults[name].outcome), heard }).toMatchObject({ verdict: "right" });
    } finally {
      await server.close();
    }
  });

  test("a healthy answer", async () => {
    const server = await wireServer({ strict: false, turns: () => turn });
    const heard = await hear(server.baseUrl(format), wrapFetch({ logger: false }));
    await server.close();
    expect(verdictOn(heard, "same")).toBe("right");
  });
});
