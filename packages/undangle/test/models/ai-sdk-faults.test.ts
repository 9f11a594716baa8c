import { check } from "#codecs";
import { createAgent, tool } from "#engine";
import { faultNames, faults, wireServer } from "#testing";
import type { FaultName, ScriptedTurn, WireRequest } from "#testing";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { aiSdkFamilies, modelOf } from "./ai-sdk-families.ts";
import type { AiSdkFamily } from "./ai-sdk-families.ts";

const wanted: ScriptedTurn = {
  text: "Let me look.",
  reasoning: "Hm.",
  calls: [
    { name: "find_book", arguments: { title: "Der Prozeß", year: 1925 } },
    { name: "open_file", arguments: { path: 'a "b" }{' } },
  ],
};

const inputs = [
  ["find_book", z.object({ title: z.string(), year: z.number() })],
  ["open_file", z.object({ path: z.string() })],
] as const;

/** What a package loses before we get to see it: the model hears that the calls were cut off, or nothing is left of them. */
const lost: readonly string[] = [
  "6, openai-compatible: index-zero",
  "6, openai-compatible: index-missing",
  "6, openai-compatible: index-null",
  "6, openai chat: index-zero",
  "6, google: gemini-snake-case",
  "7, google: gemini-snake-case",
];

/** Lets an agent talk to a model whose first answer goes wrong, and says what came of it. */
async function lived(family: AiSdkFamily, fault: FaultName) {
  const { format, seal } = family;
  const sealed = seal === undefined ? wanted : { ...wanted, seal };
  let asked = 0;
  const answered = (request: WireRequest): ScriptedTurn => {
    if (/Opened|Found|not executed/u.test(JSON.stringify(request.body))) return { text: "Done." };
    return asked++ === 0 ? { ...sealed, faults: [fault] } : sealed;
  };
  const server = await wireServer({ turns: answered });
  const ran: unknown[] = [];
  const tools = inputs.map(([name, input]) =>
    tool({
      name,
      description: name,
      input,
      execute: (given: unknown) => {
        ran.push({ name, arguments: given });
        return name === "find_book" ? "Found." : "Opened.";
      },
    }),
  );
  const thread = createAgent({ model: modelOf(family, server.baseUrl(format)), tools }).thread("t");
  const { status, text } = await thread.send("Find and open it.").result;
  const history = await thread.history("openai-chat");
  await server.close();
  return { ran, status, text, history, refused: server.requests.flatMap(({ refused }) => refused ?? []) };
}

describe.each(aiSdkFamilies)("an agent with a model of the AI SDK $name", (family) => {
  test.each(faultNames(family.format))(
    "lives through %s, and runs nothing that the model did not say",
    async (fault) => {
      const { ran, status, text, history, refused } = await lived(family, fault);
      expect(refused).toEqual([]);
      expect(status).toBe("done");
      expect(check(history, { format: "openai-chat" })).toEqual([]);
      const said = wanted.calls?.map((call) => ({ name: call.name, arguments: call.arguments }));
      const { outcome } = faults[fault];
      const isRepeated = outcome === "error" || fault === "cut" || fault === "cut-quietly";
      const isRun = (outcome === "same" || isRepeated) && !lost.includes(`${family.name}: ${fault}`);
      expect(ran).toEqual(isRun ? said : []);
      expect(text).toMatch(isRun ? /^Done\.$/u : /^/u);
    },
  );
});
