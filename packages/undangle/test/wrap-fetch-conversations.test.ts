import { convert, wrapFetch } from "undangle";
import type { Format } from "undangle";
import { describe, expect, test } from "vitest";
import { wireServer } from "undangle/testing";
import type { WireServer } from "undangle/testing";
import { interruptions } from "./clients/interruptions.ts";
import type { Talk } from "./clients/interruptions.ts";
import { restart } from "./clients/program.ts";
import type { Answer, Line, Program } from "./clients/program.ts";
import { rawPrograms } from "./clients/raw-programs.ts";
import { sdkPrograms } from "./clients/sdk-programs.ts";
import { wholePrograms } from "./clients/whole-programs.ts";
import { standIn, stations } from "./clients/stations.ts";

const calls = [
  { name: "find_book", arguments: { title: 'Emma "x"', year: 1815 } },
  { name: "open_file", arguments: { path: "/tmp/ü.txt" } },
  { name: "ping" },
];

/** A strict server whose model calls three tools and says something by turns. */
async function start(): Promise<WireServer> {
  let answers = 0;
  return wireServer({ turns: () => (answers++ % 2 === 0 ? { text: "Let me look.", calls } : { text: "Done." }) });
}

/** Holds a conversation; tells how it went. */
async function hold(program: Program, run: (talk: Talk) => Promise<void>, isBare: boolean) {
  const server = await start();
  const fetch = isBare ? globalThis.fetch : wrapFetch({ logger: false });
  const line: Line = { baseUrl: server.baseUrl(program.format), fetch, isBare };
  let conversation = program.open(line);
  let failure: unknown;
  try {
    await run({
      history: program.history,
      current: () => conversation,
      restart() {
        conversation = restart(program, line, conversation.messages);
      },
    });
  } catch (error) {
    failure = error;
  } finally {
    await server.close();
  }
  return { failure, refused: server.requests.map(({ refused }) => refused).filter((reason) => reason !== undefined) };
}

describe.each([...sdkPrograms, ...wholePrograms, ...rawPrograms])("a program over $name", (program) => {
  test.each(interruptions)("goes on when $name", async ({ run, isTakenBy = [] }) => {
    const { failure, refused } = await hold(program, run, false);
    expect({ failure, refused }).toEqual({ failure: undefined, refused: [] });
    const bare = await hold(program, run, true);
    expect(bare.failure !== undefined).toBe(!isTakenBy.includes(program.format));
    if (program.isStrict === true) return;
    expect(bare.refused.length > 0).toBe(!isTakenBy.includes(program.format));
  });
});

/** Carries one conversation by all stations, with calls left open at each; tells who refused what. */
async function travel(isBareAt?: string): Promise<readonly string[]> {
  const refused: string[] = [];
  let history: readonly unknown[] = [];
  let from: Format | undefined;
  for (const station of stations) {
    const { program, name, baseUrl } = station;
    let answers = 0;
    const { server, fetch } = await standIn(station, () => ({
      text: "Let me look.",
      ...(answers++ % 2 === 0 && { calls }),
    }));
    const line = { baseUrl, fetch: name === isBareAt ? fetch : wrapFetch({ logger: false, fetch }) };
    const to = program.format;
    if (from !== undefined && from !== to) history = convert(history, { from, to }).output as readonly unknown[]; // a list for a list
    const conversation = program.open(line, history);
    const asked = async (): Promise<Answer> => {
      const answer = await conversation.ask();
      if (answer.error !== undefined && name !== isBareAt) throw answer.error;
      return answer;
    };
    const told = async (text: string): Promise<Answer> => {
      conversation.say(text);
      return asked();
    };
    const first = await told(`Hello, ${name}.`); // behind the open calls of the station before
    conversation.answer(first.calls.slice(1).map((call) => ({ call, text: "ok" }))); // one is rejected
    await asked();
    await told("Look again.");
    await told("Stop."); // the calls stay open
    const last = await told("And again.");
    conversation.answer(last.calls.slice(0, 1).map((call) => ({ call, text: "ok" })));
    await server.close();
    refused.push(
      ...server.requests.flatMap((request) => (request.refused === undefined ? [] : [`${name}: ${request.refused}`])),
    );
    history = structuredClone(conversation.messages);
    from = to;
  }
  return refused;
}

describe("a conversation that goes from OpenAI to Anthropic, Gemini, Mistral and back", () => {
  test("ends without a refusal", async () => {
    expect(await travel()).toEqual([]);
  });

  test.each(stations.map(({ name }) => name))("is refused by %s without it", async (name) => {
    const refused = await travel(name);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused.every((reason) => reason.startsWith(`${name}: `))).toBe(true);
  });
});
