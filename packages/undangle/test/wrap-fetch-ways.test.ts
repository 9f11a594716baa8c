import { anthropicMiddleware, wrapFetch } from "undangle";
import type { WireRepair } from "undangle";
import { wireServer } from "undangle/testing";
import { describe, expect, test } from "vitest";
import { anthropicWays } from "./clients/ways/anthropic-ways.ts";
import { openaiWays } from "./clients/ways/openai-ways.ts";
import { geminiWays, langchainWays } from "./clients/ways/other-ways.ts";
import type { Way, WayLine } from "./clients/ways/way.ts";

/** What passes at one place between an SDK and a server. */
interface Passage {
  readonly requests: unknown[];
  readonly answers: Promise<string>[];
  readonly fetch: typeof globalThis.fetch;
}

function listenAt(next: typeof globalThis.fetch): Passage {
  const requests: unknown[] = [];
  const answers: Promise<string>[] = [];
  return {
    requests,
    answers,
    async fetch(input, init) {
      requests.push(init?.body);
      const response = await next(input, init);
      answers.push(response.clone().text());
      return response;
    },
  };
}

/** Asks in one way; tells what came of it, and what passed. */
async function go(
  { ask, format, script: { turns } }: Way,
  isAnswered: boolean,
  lineFrom: (wire: Passage) => Omit<WayLine, "baseUrl">,
) {
  const server = await wireServer({ turns });
  const wire = listenAt(globalThis.fetch);
  try {
    const heard = await ask({ baseUrl: server.baseUrl(format), ...lineFrom(wire) }, isAnswered).catch(
      (error: unknown) => error,
    );
    const refused = server.requests.flatMap((request) => request.refused ?? []);
    const headers = server.requests.map((request) => ({ ...request.headers, host: "" })); // its port differs
    return { heard, refused, headers, sent: wire.requests, got: await Promise.all(wire.answers) };
  } finally {
    await server.close();
  }
}

const bare = ({ fetch }: Passage): Omit<WayLine, "baseUrl"> => ({ fetch });

const byFetch = ({ fetch }: Passage): Omit<WayLine, "baseUrl"> => ({ fetch: wrapFetch({ logger: false, fetch }) });

const byMiddleware = ({ fetch }: Passage): Omit<WayLine, "baseUrl"> => ({
  fetch,
  middleware: [anthropicMiddleware({ logger: false })],
});

const ways = [...openaiWays, ...anthropicWays, ...geminiWays, ...langchainWays];

describe.each([
  ...ways.map((way) => ({ ...way, by: "wrapFetch", line: byFetch })),
  ...anthropicWays.map((way) => ({ ...way, by: "anthropicMiddleware", line: byMiddleware })),
])("$name, with $by", ({ line, ...way }) => {
  const { outcome } = way.script;

  test("sends a healthy history as it is, and hears what is said", async () => {
    const without = await go(way, true, bare);
    expect(without).toMatchObject({ heard: outcome, refused: [] });
    const { sent, headers, ...rest } = await go(way, true, line);
    expect(rest).toMatchObject({ heard: outcome, refused: [] });
    expect(sent).toEqual(without.sent);
    expect(headers).toEqual(without.headers);
  });

  test("is not refused with a call that has no result", async () => {
    expect((await go(way, false, bare)).refused).not.toEqual([]);
    expect(await go(way, false, line)).toMatchObject({ heard: outcome, refused: [] });
  });
});

test.each(ways)("$name gets the bytes of a healthy answer", async (way) => {
  let inside: Passage | undefined;
  const told: WireRepair[] = [];
  const { got } = await go(way, true, ({ fetch }) => {
    inside = listenAt(wrapFetch({ logger: false, fetch, onRepair: (repair) => void told.push(repair) }));
    return { fetch: inside.fetch };
  });
  expect(await Promise.all(inside?.answers ?? [])).toEqual(got);
  expect(told).toEqual([]);
});
