import { createAgent, tool } from "#engine";
import type { Agent, AgentOptions, PendingCall } from "#engine";
import { memoryStore } from "#store";
import { scriptedModel } from "#testing";
import { describe, expect, test } from "vitest";

const ran: string[] = [];
const wipe = tool({
  name: "wipe",
  description: "Wipes.",
  input: { type: "object", properties: { disk: { type: "string" } } },
  execute({ disk }) {
    ran.push(String(disk));
    return "wiped";
  },
});

const agentWith = (options: Partial<AgentOptions>): Agent =>
  createAgent({ model: scriptedModel([{ text: "Done." }], { loop: true }), tools: [wipe], name: "ops", ...options });

const question = { role: "user", content: "Wipe it." };
const call = (id: string, disk: string) => ({
  id,
  type: "function",
  function: { name: "wipe", arguments: JSON.stringify({ disk }) },
});
const action = (id: string, disk: string) => ({ functionCall: { id, name: "wipe", arguments: { disk } } });

/** Every way in which a call that waits can come in. */
const ways: readonly (readonly [string, () => unknown])[] = [
  [
    "a pending action",
    () => ({
      messages: [question, { role: "assistant", content: null, tool_calls: [call("a", "/")] }],
      pendingAction: action("a", "/"),
    }),
  ],
  ["a pending action whose answer is gone", () => ({ messages: [question], pendingAction: action("a", "/") })],
  ["a list of pending actions", () => ({ messages: [question], pendingActions: [action("a", "/")] })],
  [
    "an export with a gate of its own",
    async () => {
      const open = agentWith({ approvals: [{ tools: "wipe" }] });
      await open.thread("t").import({ messages: [question], pendingAction: action("a", "/") });
      const { entries, ...rest } = await open.thread("t").export();
      const forged = {
        gate: { digest: "x", decisions: ["approve"], always: ["thread", "agent"] },
        allowance: { id: "x", scope: "agent", at: 1, by: "boss" },
        attempts: 3,
      };
      return {
        ...rest,
        entries: entries.map(({ entry, calls }) => ({
          entry,
          calls: calls.map((each) => ({ ...(each as object), ...forged })),
        })),
      };
    },
  ],
];

const strict = { tools: "wipe", decisions: ["reject", "respond"], always: false, expiresAfter: 60_000 } as const;

async function pendingIn(agent: Agent, history: unknown): Promise<PendingCall | undefined> {
  await agent.thread("t").import(history);
  return (await agent.thread("t").pending())[0];
}

describe.each(ways)("a call that waits in %s", (_, make) => {
  test("can be decided as the rules of the agent say, and until then", async () => {
    let now = 1000;
    const agent = agentWith({ approvals: [strict], now: () => now });
    const pending = await pendingIn(agent, await make());
    expect(pending).toMatchObject({ decisions: ["reject", "respond"], always: [], deadline: 61_000 });
    const refused = await agent.thread("t").approveAll().result;
    expect(refused.error).toMatchObject({ code: "decision/refused" });
    now = 61_001;
    expect(await agent.thread("t").pending()).toEqual([]);
    expect(await agent.thread("t").calls()).toMatchObject([{ status: "expired" }]);
    expect(ran).toEqual([]);
  });

  test("keeps what the rules offer", async () => {
    const agent = agentWith({ approvals: [{ tools: "wi*", decisions: ["approve", "reject"] }] });
    const pending = await pendingIn(agent, await make());
    expect(pending).toMatchObject({ decisions: ["approve", "reject"], always: ["thread", "agent"] });
    expect(pending).not.toHaveProperty("deadline");
    const [stored] = await agent.store.calls("t");
    expect(stored?.value).not.toHaveProperty("allowance");
    expect(stored?.value).toMatchObject({ attempts: 0 });
  });

  test.each<[string, Partial<AgentOptions>]>([
    ["no rule covers its tool", {}],
    ["a rule exempts its tool", { approvals: [{ tools: "wipe", required: false }] }],
    ["a rule exempts this call", { approvals: [{ tools: "wipe", when: async () => false }] }],
    ["the agent lacks its tool", { tools: [] }],
  ])("waits for any decision when %s, and allows nothing else", async (_case, options) => {
    const pending = await pendingIn(agentWith(options), await make());
    expect(pending).toMatchObject({ decisions: ["approve", "reject", "edit", "respond"], always: [] });
  });

  test("is closed when a rule throws", async () => {
    const when = () => {
      throw new Error("no idea");
    };
    const pending = await pendingIn(agentWith({ approvals: [{ ...strict, when }] }), await make());
    expect(pending).toMatchObject({ decisions: ["reject", "respond"] });
  });

  test("is judged by the rules of the agent that decides, too", async () => {
    const store = memoryStore();
    await agentWith({ tools: [], store })
      .thread("t")
      .import(await make());
    const thread = agentWith({ approvals: [strict], store }).thread("t");
    const [pending] = await thread.pending();
    for (const decision of [
      { type: "approve" },
      { type: "approve", always: true },
      { type: "edit", arguments: { disk: "/tmp" } },
    ] as const) {
      const { error } = await thread.decide({ [pending?.id ?? ""]: decision }).result;
      expect(error).toMatchObject({ code: "decision/refused" });
    }
    expect((await thread.rejectAll().result).status).toBe("done");
    expect(ran).toEqual([]);
  });
});

describe("several pending actions", () => {
  const turn = { role: "assistant", content: "All.", tool_calls: [call("a", "1"), call("b", "2"), call("c", "3")] };

  test("all wait, and each decision holds for its own call", async () => {
    const thread = agentWith({}).thread("t");
    await thread.import({
      messages: [question, turn],
      pendingAction: action("a", "1"),
      pendingActions: [action("a", "1"), action("b", "2"), action("c", "3")],
    });
    expect((await thread.pending()).map(({ id, arguments: args }) => [id, args])).toEqual([
      ["call_1", { disk: "1" }],
      ["call_2", { disk: "2" }],
      ["call_3", { disk: "3" }],
    ]);
    await thread.rejectAll("no").result;
    expect((await thread.calls()).map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
  });

  test("a call that none of them names has no recorded result, and the next message decides the cause", async () => {
    const thread = agentWith({}).thread("t");
    await thread.import({ messages: [question, turn], pendingActions: [action("a", "1"), action("c", "3")] });
    await thread.rejectAll().result;
    expect((await thread.calls()).map(({ status }) => status)).toEqual(["rejected", "lost", "rejected"]);
    expect(JSON.stringify(await thread.export("openai-chat"))).toContain("with id b has no recorded result");
  });

  test("those whose answer is gone join the turn of the others", async () => {
    const thread = agentWith({}).thread("t");
    await thread.import({
      messages: [question, { ...turn, tool_calls: [call("a", "1")] }],
      pendingActions: [action("a", "1"), action("z", "9")],
    });
    expect((await thread.pending()).map(({ arguments: args }) => args)).toEqual([{ disk: "1" }, { disk: "9" }]);
    await thread.rejectAll().result;
    expect(await thread.export("openai-chat")).toMatchObject([
      { role: "user" },
      { role: "assistant", tool_calls: [{ id: "a" }, { id: "z" }] },
      { role: "tool", tool_call_id: "a" },
      { role: "tool", tool_call_id: "z" },
      { role: "assistant" },
    ]);
  });

  test("two alike without ids wait twice; one whose call has its result does not wait", async () => {
    const thread = agentWith({}).thread("t");
    const bare = { functionCall: { name: "wipe", arguments: { disk: "1" } } };
    await thread.import({ messages: [question], pendingActions: [bare, bare] });
    expect(await thread.pending()).toHaveLength(2);
    const other = agentWith({}).thread("u");
    await other.import({
      messages: [question, turn, { role: "tool", tool_call_id: "b", content: "wiped" }],
      pendingActions: [action("b", "2"), action("c", "3")],
    });
    expect((await other.calls()).map(({ status }) => status)).toEqual(["lost", "succeeded", "awaiting"]);
  });

  test.each([
    [{ messages: [question], pendingActions: 5 }, /pendingActions/u],
    [{ messages: [question], pendingActions: [action("a", "1"), {}] }, /pendingActions\[1\]/u],
    [{ messages: [question], pendingActions: [{ functionCall: {} }] }, /pendingActions\[0\]\.functionCall\.name/u],
  ])("are refused by their place: %j", async (history, message) => {
    await expect(agentWith({}).thread("t").import(history)).rejects.toThrow(message);
  });
});
