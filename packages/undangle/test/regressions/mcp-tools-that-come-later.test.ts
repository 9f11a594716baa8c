import { createAgent, mcpTools } from "#engine";
import type { AgentOptions, McpClient, McpOptions } from "#engine";
import { scriptedModel } from "#testing";
import { describe, expect, test } from "vitest";

/** A server whose list the test changes, with all of its calls. */
function server(...first: readonly string[]) {
  const ran: string[] = [];
  let names = first;
  const client: McpClient = {
    listTools: async () =>
      Promise.resolve({ tools: names.map((name) => ({ name, inputSchema: { type: "object" as const } })) }),
    callTool: async ({ name }: { readonly name: string }) => {
      ran.push(name);
      return Promise.resolve({ content: [{ type: "text", text: "done" }] });
    },
  };
  return { client, ran, list: (...given: readonly string[]) => void (names = given) };
}

interface Stage {
  readonly options?: McpOptions;
  readonly agent?: Partial<AgentOptions>;
  readonly first: readonly string[];
  readonly later: readonly string[];
}

/** The tools of the later list whose calls wait for a person, by their names on the server. */
async function waiting({ options = {}, agent = {}, first, later }: Stage): Promise<readonly string[]> {
  const { client, ran, list } = server(...first);
  const tools = await mcpTools(client, options);
  list(...later);
  await tools.refresh();
  const names = tools.tools().map(({ name }) => name);
  const model = scriptedModel([{ calls: names.map((name) => ({ name })) }, { text: "Done." }]);
  const { pending } = await createAgent({ model, tools: [tools], ...agent })
    .thread("t")
    .send("Go.").result;
  expect(pending.length + ran.length).toBe(names.length);
  return later.filter((name) => !ran.includes(name));
}

/** With `approval: { rm: true }` a tool that the server added or renamed later ran without an approval. */
describe("with an approval for a tool of a server,", () => {
  const approval = { rm: true };
  test.each<readonly [string, Stage, readonly string[]]>([
    [
      "the tool itself waits, and others do not",
      { options: { approval }, first: ["rm", "ls"], later: ["rm", "ls"] },
      ["rm"],
    ],
    ["it waits under another case", { options: { approval }, first: ["rm", "ls"], later: ["RM", "ls"] }, ["RM"]],
    [
      "it waits with punctuation",
      { options: { approval }, first: ["rm"], later: ["r.m", "r-m", "r m"] },
      ["r.m", "r-m", "r m"],
    ],
    ["it waits in wide letters", { options: { approval }, first: ["rm"], later: ["ｒｍ"] }, ["ｒｍ"]],
    [
      "it waits under a nearly equal name from the start",
      { options: { approval }, first: ["rm", "RM"], later: ["rm", "RM"] },
      ["rm", "RM"],
    ],
    ["it waits beside itself", { options: { approval }, first: ["rm"], later: ["rm", "Rm"] }, ["rm", "Rm"]],
    [
      "a new tool waits, whatever its name is",
      { options: { approval }, first: ["rm", "ls"], later: ["rm", "ls", "wipe"] },
      ["rm", "wipe"],
    ],
    [
      "a tool that was gone for a while does not",
      { options: { approval, prefix: "x_" }, first: ["rm", "ls"], later: ["ls"] },
      [],
    ],
    [
      "a condition is not asked about another tool",
      { options: { approval: { rm: { when: () => false } } }, first: ["rm"], later: ["RM"] },
      ["RM"],
    ],
    [
      "what the options let pass by name passes",
      { options: { approval: { rm: true, Rm: false } }, first: ["rm", "Rm"], later: ["rm", "Rm"] },
      ["rm"],
    ],
  ])("%s", async (_, stage, expected) => {
    expect(await waiting(stage)).toEqual(expected);
  });

  test.each<readonly [string, McpOptions]>([
    ["none is wanted", {}],
    ["none is wanted by name", { approval: { ls: false } }],
    ["that is said for all", { approval: false }],
  ])("and a new tool runs where %s", async (_, options) => {
    expect(await waiting({ options, first: ["ls"], later: ["ls", "new"] })).toEqual([]);
  });

  test("a decision that the tool leaves out is left out under another name, too", async () => {
    const { client, list } = server("rm");
    const tools = await mcpTools(client, { approval: { rm: { decisions: ["reject"], always: false } } });
    list("RM");
    await tools.refresh();
    const model = scriptedModel([{ calls: [{ name: "RM" }] }, { text: "Done." }]);
    const { pending } = await createAgent({ model, tools: [tools] })
      .thread("t")
      .send("Go.").result;
    expect(pending).toMatchObject([{ name: "RM", decisions: ["reject"], always: [] }]);
  });
});

describe("a rule of the agent for a tool of a server", () => {
  const agent = (tools: string, more: object = {}) => ({ approvals: [{ tools, ...more }] });
  test.each<readonly [string, Stage, readonly string[]]>([
    ["holds under another case", { agent: agent("rm"), first: ["rm"], later: ["RM", "ls"] }, ["RM"]],
    ["holds with a prefix", { agent: agent("a_rm"), options: { prefix: "a_" }, first: ["rm"], later: ["Rm"] }, ["Rm"]],
    ["holds for a name that had to be changed", { agent: agent("rm"), first: ["rm"], later: ["r.m"] }, ["r.m"]],
    [
      "that lifts the gate holds for just that name",
      { agent: agent("rm", { required: false }), options: { approval: true }, first: ["rm"], later: ["rm", "RM"] },
      ["RM"],
    ],
  ])("%s", async (_, stage, expected) => {
    expect(await waiting(stage)).toEqual(expected);
  });
});
