import { createAgent, tool } from "#engine";
import type { Model } from "#model";
import { wireServer } from "#testing";
import type { FaultName, ScriptedTurn, WireFormat, WireRequest } from "#testing";
import { z } from "zod";

/** What the model says, once the fault is over. */
const wanted: ScriptedTurn = {
  text: "Let me look.",
  reasoning: "Hm.",
  calls: [
    { name: "find_book", arguments: { title: "Der Prozeß", year: 1925 } },
    { name: "open_file", arguments: { path: 'a "b" }{' } },
  ],
};

/** The calls of it, as tools see them. */
export const saidCalls = wanted.calls?.map((call) => ({ name: call.name, arguments: call.arguments })) ?? [];

const inputs = [
  ["find_book", z.object({ title: z.string(), year: z.number() })],
  ["open_file", z.object({ path: z.string() })],
] as const;

export interface FaultyFamily {
  readonly format: WireFormat;
  /** Whose rules the server keeps. */
  readonly provider?: string | undefined;
  /** What it seals its answers with. */
  readonly seal?: string | undefined;
  readonly make: (baseUrl: string) => Model;
}

/** Lets an agent talk to a model whose first answer goes wrong, and says what came of it. */
export async function faultyTalk({ format, provider, seal, make }: FaultyFamily, fault: FaultName) {
  const sealed = seal === undefined ? wanted : { ...wanted, seal };
  let asked = 0;
  const answered = (request: WireRequest): ScriptedTurn => {
    if (/Opened|Found|not executed/u.test(JSON.stringify(request.body))) return { text: "Done." };
    return asked++ === 0 ? { ...sealed, faults: [fault] } : sealed;
  };
  const server = await wireServer({ turns: answered, ...(provider !== undefined && { provider }) });
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
  const thread = createAgent({ model: make(server.baseUrl(format)), tools }).thread("t");
  const run = thread.send("Find and open it.");
  const events: string[] = [];
  for await (const { type } of run) events.push(type);
  const { status, text } = await run.result;
  const history = await thread.history("openai-chat");
  await server.close();
  return { ran, events, status, text, history, refused: server.requests.flatMap(({ refused }) => refused ?? []) };
}
