import { describe, expect, test } from "vitest";
import { estimateTokens } from "#core";
import { defineMiddleware, tool } from "#engine";
import type { Middleware } from "#engine";
import { memoryFiles } from "#files";
import { createDeepAgent, filesystem } from "#middleware";
import { scriptedModel } from "#testing";
import { delegating, never, playModel, resultsIn, textOf } from "../subagents/stage.ts";

const write = (path: string, content: string) => ({ name: "write_file", arguments: { file_path: path, content } });
const read = (path: string) => ({ name: "read_file", arguments: { file_path: path } });
const tools = ["write_todos", "ls", "read_file", "write_file", "edit_file", "delete", "glob", "grep", "task"];

describe("createDeepAgent", () => {
  test("DA2: works with nothing but a model: plans, files and tasks in the thread", async () => {
    const model = playModel({
      go: [
        { calls: [{ name: "write_todos", arguments: { todos: [{ content: "look", status: "in_progress" }] } }] },
        delegating("make notes"),
        { calls: [read("/notes.md")] },
        { text: "Done." },
      ],
      "make notes": [{ calls: [write("/notes.md", "found it")] }, { text: "See /notes.md" }],
    });
    const agent = createDeepAgent({ model });
    const thread = agent.thread("t");
    expect(await thread.send("go").result).toMatchObject({ status: "done", text: "Done." });
    expect(model.requests[0]?.tools.map(({ name }) => name).toSorted()).toEqual(tools.toSorted());
    expect(resultsIn(model.requests.at(-1) ?? never()).at(-1)).toContain("found it");
    expect(await thread.state()).toMatchObject({ todos: { items: [{ content: "look" }] } });
    const child = model.requests.find(({ messages }) => textOf(messages[0]) === "make notes");
    expect(child?.tools.map(({ name }) => name)).not.toContain("task");
  });

  test.each(["en", "zh"] as const)(
    "DA1, DA5: guidance in %s follows the instructions, is short and static",
    async (language) => {
      const model = scriptedModel([{ text: "1" }, { text: "2" }]);
      const agent = createDeepAgent({ model, language, instructions: "You are Ada." });
      const thread = agent.thread("t");
      await thread.send("one").result;
      await thread.send("two").result;
      const [first = "", second] = model.requests.map(({ system }) => system.map(({ text }) => text).join(""));
      expect(first.startsWith("You are Ada.\n\n## ")).toBe(true);
      expect(second).toBe(first);
      const descriptions = JSON.stringify(model.requests[0]?.tools.map(({ name, ...tool }) => [name, tool]));
      expect(/\p{Script=Han}/u.test(descriptions)).toBe(language === "zh");
      expect(descriptions.includes("The path of")).toBe(language === "en");
      expect(estimateTokens(first)).toBeLessThan(1_000);
      const plain = scriptedModel([{ text: "1" }]);
      const bare = { model: plain, instructions: "Only this.", guidance: "", without: ["todos"] as const };
      await createDeepAgent(bare).thread("t").send("x").result;
      expect(plain.requests[0]?.system.map(({ text }) => text).join("")).toBe("Only this.");
    },
  );

  test("DA3: a tool with the name of a default one is refused, with both places", () => {
    const ls = tool({ name: "ls", description: "", execute: () => "" });
    expect(() => createDeepAgent({ model: scriptedModel([]), tools: [ls] })).toThrow(/ls.*tools\[0\].*filesystem/su);
  });

  test("the order of the stack; own middleware is before caching; a name replaces in place; without removes", () => {
    const order = (options: Partial<Parameters<typeof createDeepAgent>[0]>): readonly string[] => {
      const seen: string[] = [];
      const spy = (name: string): Middleware => defineMiddleware({ name, tools: () => (seen.push(name), []) });
      const names = [
        "todos",
        "memory",
        "skills",
        "filesystem",
        "subagents",
        "reduction",
        "summarization",
        "own",
        "prompt-caching",
        "patch-tool-calls",
      ];
      createDeepAgent({ model: scriptedModel([]), ...options, middleware: names.toReversed().map(spy) });
      return seen;
    };
    expect(order({})).toEqual([
      "todos",
      "memory",
      "skills",
      "filesystem",
      "subagents",
      "reduction",
      "summarization",
      "own",
      "prompt-caching",
      "patch-tool-calls",
    ]);
    expect(order({ without: ["todos", "subagents"] })).not.toContain("todos");
    expect(() => createDeepAgent({ model: scriptedModel([]), skills: ["/skills"], without: ["filesystem"] })).toThrow(
      /skills/u,
    );
    expect(() => createDeepAgent({ model: scriptedModel([]), without: ["nothing" as "todos"] })).toThrow(/without/u);
  });

  test("1,000 steps, and the limits of the user", async () => {
    const model = scriptedModel([{ calls: [{ name: "ls", arguments: {} }] }], { loop: true });
    const end = await createDeepAgent({ model, limits: { steps: 60 } })
      .thread("t")
      .send("go").result;
    expect(end.error?.message).toContain("60");
    expect(model.calls).toBe(60);
    const endless = createDeepAgent({
      model: scriptedModel([{ calls: [{ name: "ls", arguments: {} }] }], { loop: true }),
    });
    expect((await endless.thread("t").send("go").result).error?.message).toContain("1000");
  });

  test("DA4: the messages of a thread reach the model as the same list, so that no step depends on their number", async () => {
    const seen: (readonly unknown[])[] = [];
    const spy = (name: string): Middleware =>
      defineMiddleware({ name, wrapModelCall: (next) => (request) => (seen.push(request.messages), next(request)) });
    const model = scriptedModel([{ calls: [{ name: "ls", arguments: {} }] }, { text: "Done." }]);
    const own = defineMiddleware({ ...spy("outermost"), name: "todos" }); // in the place of the first one
    await createDeepAgent({ model, middleware: [own, spy("after summarization")] })
      .thread("t")
      .send("go").result;
    expect(seen).toHaveLength(4);
    expect(seen[1]).toBe(seen[0]);
    expect(seen[3]).toBe(seen[2]);
    expect(model.requests.map(({ messages }) => messages.length)).toEqual([seen[0]?.length, seen[2]?.length]);
  });

  test("DA7: a middleware that drops results gets a healthy request and a repair event", async () => {
    const dropping = defineMiddleware({
      name: "dropping",
      beforeModel: (request) => ({ ...request, messages: request.messages.filter(({ role }) => role !== "tool") }),
    });
    const model = scriptedModel([{ calls: [{ name: "ls", arguments: {} }] }, { text: "Done." }]);
    const run = createDeepAgent({ model, middleware: [dropping] })
      .thread("t")
      .send("go");
    const types: string[] = [];
    for await (const { type } of run) types.push(type);
    expect(types).toContain("repair");
    expect(resultsIn(model.requests[1] ?? never())).toHaveLength(1);
  });

  test("memory and skills: of the agent and general-purpose, not of named agents; D6, K13, M12", async () => {
    const files = memoryFiles();
    await files.write("/AGENTS.md", new TextEncoder().encode("Prefer brevity."));
    await files.write(
      "/skills/sums/SKILL.md",
      new TextEncoder().encode("---\nname: sums\ndescription: Adds numbers.\n---\nAdd."),
    );
    const model = playModel({
      go: [delegating("general", ["named", "helper"], ["skilled", "expert"]), { text: "Done." }],
      general: [{ text: "g" }],
      named: [{ text: "n" }],
      skilled: [{ text: "s" }],
    });
    const agent = createDeepAgent({
      model,
      files,
      memory: ["/AGENTS.md"],
      skills: ["/skills"],
      subagents: [
        { name: "helper", description: "d", instructions: "Help." },
        { name: "expert", description: "d", instructions: "Be good.", skills: ["/skills"] },
      ],
    });
    await agent.thread("t").send("go").result;
    const systemOf = (task: string): string =>
      model.requests
        .find(({ messages }) => textOf(messages[0]) === task)
        ?.system.map(({ text }) => text)
        .join("") ?? "";
    const has = (task: string): readonly boolean[] => [
      systemOf(task).includes("Prefer brevity."),
      systemOf(task).includes("Adds numbers."),
    ];
    expect(has("go")).toEqual([true, true]);
    expect(has("general")).toEqual([true, true]);
    expect(has("named")).toEqual([false, false]);
    expect(has("skilled")).toEqual([false, true]);
  });

  test("R8: a sub-agent may do less with files than its parent, and more only if that is said", async () => {
    const play = (path: string) => ({
      go: [delegating(["x", "a"]), { text: "Done." }],
      x: [{ calls: [read(path)] }, { text: "x" }],
    });
    const deny = (path: string) => ({ operations: ["read"], paths: [path], mode: "deny" }) as const;
    const allow = { operations: ["read"], paths: ["/secret/**"], mode: "allow" } as const;
    const result = async (path: string, spec: object): Promise<string> => {
      const files = memoryFiles();
      await files.write(path, new TextEncoder().encode("content"));
      const model = playModel(play(path));
      const agent = createDeepAgent({
        model,
        files,
        permissions: [deny("/secret/**")],
        subagents: [{ name: "a", description: "d", instructions: "i", ...spec }],
      });
      await agent.thread("t").send("go").result;
      return resultsIn(model.requests.findLast(({ messages }) => textOf(messages[0]) === "x") ?? never())[0] ?? "";
    };
    expect(await result("/secret/k", {})).not.toContain("content");
    expect(await result("/secret/k", { permissions: [allow] })).not.toContain("content");
    expect(await result("/secret/k", { permissions: [allow], inherit: false })).toContain("content");
    expect(await result("/other/k", { permissions: [deny("/other/**")] })).not.toContain("content");
    expect(await result("/other/k", {})).toContain("content");
  });

  test("options that would have no effect are refused", async () => {
    const model = scriptedModel([{ text: "Done." }]);
    const own = [filesystem()];
    expect(() => createDeepAgent({ model, middleware: own, files: memoryFiles() })).toThrow(/files.*filesystem\(\)/su);
    expect(() => createDeepAgent({ model, middleware: own, permissions: [] })).toThrow(/permissions/u);
    expect(() => createDeepAgent({ model, middleware: [...own, ...own] })).toThrow(/filesystem.*middleware\[1\]/su);
    expect(() => createDeepAgent({ model, memories: [] } as never)).toThrow(/memories/u);
    await createDeepAgent({ model, generalPurpose: false }).thread("t").send("go").result;
    expect(model.requests[0]?.tools.map(({ name }) => name)).not.toContain("task");
  });
});
