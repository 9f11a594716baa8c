import { setTimeout as pause } from "node:timers/promises";
import { wrapFetch } from "undangle";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { faultNames } from "undangle/testing";
import type { FaultName, ScriptedTurn } from "undangle/testing";
import { completeTurn } from "../src/testing/scripted-turn.ts";
import { createEar, marked } from "./clients/ear.ts";
import type { Program } from "./clients/program.ts";
import { rawPrograms } from "./clients/raw-programs.ts";
import { sdkPrograms } from "./clients/sdk-programs.ts";
import { waitingServer } from "./clients/waiting-server.ts";
import type { WaitingServer } from "./clients/waiting-server.ts";
import { wrongWith } from "./clients/wrong-with.ts";
import { randomFrom } from "./judge/random.ts";

let server: WaitingServer;

beforeAll(async () => {
  server = await waitingServer();
});

afterAll(() => server.close());

const answers: readonly (readonly [name: string, turn: ScriptedTurn])[] = [
  ["only text", { text: marked("t", 1, 3) }],
  ["only calls", { calls: [{ name: "find_book", arguments: { title: "Emma" } }, { name: "ping" }] }],
  ["text and a call", { text: marked("t", 1, 2), calls: [{ name: "open_file", arguments: { path: "ü" } }] }],
];

/** What is wrong with what a program hears of an answer; a text that does not come before the next one is sent is late. */
async function wrongThrough(program: Program, scripted: ScriptedTurn, fault: FaultName): Promise<string | undefined> {
  const ear = createEar();
  const turn = completeTurn(scripted, 1, "demo");
  const faults = [fault];
  server.stage = {
    isAwaited: () => true,
    provider: () => undefined,
    play: () => ({ turn, faults, lingers: false, random: randomFrom(1), ear, onBytes: () => undefined }),
    refuse: () => undefined,
  };
  const baseUrl = program.format.startsWith("openai") ? `${server.url}/v1` : server.url;
  const conversation = program.open({ baseUrl, fetch: wrapFetch({ logger: false }) });
  conversation.say("Hi.");
  const giveUp = new AbortController();
  const asking = conversation.ask({ signal: giveUp.signal, onText: ear.hear });
  const late = pause(2000, "late", { signal: giveUp.signal }).catch(() => "in time");
  const answer = await Promise.race([asking, late]);
  giveUp.abort();
  if (typeof answer === "string") return `late: ${server.unheard().join("")}`;
  return wrongWith(answer, { turn, faults, format: program.format });
}

describe.each([...sdkPrograms, ...rawPrograms])("through $name", (program) => {
  test.each(answers)("an answer of %s is heard in time, whatever is wrong with it", async (_, turn) => {
    const wrong: string[] = [];
    for (const fault of faultNames(program.format)) {
      const reason = await wrongThrough(program, turn, fault);
      if (reason !== undefined) wrong.push(`${fault}: ${reason}`);
    }
    expect(wrong).toEqual([]);
  });
});
