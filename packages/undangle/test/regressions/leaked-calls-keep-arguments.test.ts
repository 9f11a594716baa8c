import { assemble } from "undangle";
import type { AssembledTurn } from "undangle";
import { describe, expect, test } from "vitest";

const tools = ["bash", "rm", "find_book", "ping"];

const turnOf = (text: string): Promise<AssembledTurn> => {
  const chunk = (delta: object, finish: string | null) =>
    `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
  const sent = `${chunk({ role: "assistant", content: text }, null)}${chunk({}, "stop")}data: [DONE]\n\n`;
  return assemble(sent, { format: "openai-chat", tools, recoverLeaked: true }).turn();
};

const calls = async (text: string): Promise<unknown> =>
  (await turnOf(text)).calls.map(({ name, state, arguments: args }) => [name, state, args]);

const ns = "]<]minimax[>[";
const space = ["antml", ""].join(":");

describe("the arguments of a leaked call are read in every way in which models write them", () => {
  test.each<[about: string, text: string, name: string, args: unknown]>([
    [
      "elements in an invoke tag",
      '<invoke name="bash"><command>ls -l</command><days>3</days></invoke>',
      "bash",
      {
        command: "ls -l",
        days: 3,
      },
    ],
    [
      "elements in a name space",
      `<${space}invoke name="bash"><${space}command>ls</${space}command></${space}invoke>`,
      "bash",
      { command: "ls" },
    ],
    [
      "JSON in an invoke tag",
      '<function_calls><invoke name="bash">{"command":"ls"}</invoke></function_calls>',
      "bash",
      {
        command: "ls",
      },
    ],
    [
      "MiniMax-M3",
      `${ns}<tool_call>\n${ns}<invoke name="bash">\n${ns}<command>ls${ns}</command>\n${ns}<days>3${ns}</days>\n${ns}</invoke>\n${ns}</tool_call>`,
      "bash",
      { command: "ls", days: 3 },
    ],
    [
      "MiniMax-M3 with its token in front of opening tags only",
      `${ns}<tool_call>${ns}<invoke name="bash">${ns}<command>ls</command></invoke></tool_call>`,
      "bash",
      { command: "ls" },
    ],
    [
      "MiniMax-M3 with values in values",
      `<tool_call>${ns}<invoke name="bash">${ns}<env>${ns}<PATH>/bin${ns}</PATH>${ns}</env>${ns}<args>${ns}<item>a${ns}</item>${ns}<item>2${ns}</item>${ns}</args>${ns}</invoke></tool_call>`,
      "bash",
      { env: { PATH: "/bin" }, args: ["a", 2] },
    ],
    [
      "MiniMax-M3 without arguments",
      `${ns}<tool_call>${ns}<invoke name="ping">${ns}</invoke>${ns}</tool_call>`,
      "ping",
      {},
    ],
    ["Anthropic's key", '<tool_call>{"name":"bash","input":{"command":"ls"}}</tool_call>', "bash", { command: "ls" }],
  ])("%s", async (_, text, name, args) => {
    expect(await calls(text)).toEqual([[name, "ready", args]]);
  });
});

describe("what cannot be read as arguments leaves no call that is ready", () => {
  test.each<[about: string, text: string]>([
    ["text in an invoke tag", '<invoke name="rm">/srv/x</invoke>'],
    ["text beside an element", '<invoke name="rm">/srv/x<force>true</force></invoke>'],
    ["text beside a parameter", '<invoke name="rm"><parameter name="force">true</parameter>/srv/x</invoke>'],
    ["an element that is not closed", '<invoke name="rm"><path>/srv/x</invoke>'],
    ["an element with attributes", '<invoke name="rm"><path root="/srv">x</path></invoke>'],
    [
      "elements of which nobody knows whether they are text",
      '<invoke name="rm"><path><item>/srv</item></path></invoke>',
    ],
    ["a parameter without a name", '<invoke name="rm"><parameter>/srv/x</parameter></invoke>'],
    ["two parameters of one name", '<invoke name="rm"><path>/a</path><path>/b</path></invoke>'],
    [
      "the closing tag in a parameter",
      '<invoke name="rm"><parameter name="path">/a</parameter>/b</parameter></invoke>',
    ],
    ["attributes in an invoke tag", '<invoke name="rm" path="/srv/x"></invoke>'],
    ["attributes of a parameter", '<invoke name="rm"><parameter name="force" path="/srv/x">true</parameter></invoke>'],
    ["a name with more than the name of a tool", '<invoke name="rm /srv/x"></invoke>'],
    ["a name with brackets behind it", '<tool_call>{"name":"rm(path=/srv/x)"}</tool_call>'],
    ["text in a function tag", "<function=rm>/srv/x</function>"],
    ["elements in a function tag", "<function=rm><path>/srv/x</path></function>"],
    ["text behind GLM's values", "<tool_call>rm<arg_key>force</arg_key><arg_value>true</arg_value>/srv/x</tool_call>"],
    ["a GLM key without a value", "<tool_call>rm<arg_key>path</arg_key></tool_call>"],
    ["JSON with the arguments beside the name", '<tool_call>{"name":"rm","path":"/srv/x"}</tool_call>'],
    ["JSON with arguments in two places", '<tool_call>{"name":"rm","arguments":{},"input":{"path":"/"}}</tool_call>'],
    ["JSON with arguments that are a list", '<tool_call>{"name":"rm","arguments":["/srv/x"]}</tool_call>'],
    ["text between the calls of a wrapper", '<function_calls>/srv/x<invoke name="rm"></invoke></function_calls>'],
    [
      "text between the tokens of Kimi",
      "<|tool_calls_section_begin|>/srv/x<|tool_call_begin|>functions.rm:0<|tool_call_argument_begin|>{}<|tool_call_end|><|tool_calls_section_end|>",
    ],
    ["text in XTML", '<|open|>call tool="rm" index="0"<|sep|>/srv/x<|close|>call<|sep|>'],
    ["MiniMax-M3 with text", `${ns}<tool_call>${ns}<invoke name="rm">/srv/x${ns}</invoke>${ns}</tool_call>`],
    [
      "MiniMax-M3 with text beside values",
      `${ns}<tool_call>${ns}<invoke name="rm">${ns}<path>/srv${ns}<item>x${ns}</item>${ns}</path>${ns}</invoke>${ns}</tool_call>`,
    ],
    ["words between harmony's name and its arguments", "<|channel|>commentary to=functions.rm /srv/x {}<|call|>"],
  ])("%s", async (_, text) => {
    const turn = await turnOf(text);
    expect(turn.calls.filter(({ state }) => state === "ready")).toEqual([]);
    expect(turn.calls.length > 0 || turn.text === text).toBe(true);
  });
});

/** One call in every dialect, with what is neither a name nor an argument between ⟦ and ⟧. */
const dialects: Readonly<Record<string, string>> = {
  Hermes: '<tool_call>\n{"name": "find_book", "arguments": {"title": "Moby Dick"}}\n</tool_call>',
  "several tags":
    '<tool_calls><tool_call>{"name":"find_book","arguments":{"title":"Moby Dick"}}</tool_call></tool_calls>',
  "the API":
    '<tool_call>{⟦"type":"function",⟧"function":{"name":"find_book","arguments":{"title":"Moby Dick"}}}</tool_call>',
  Qwen3: "<tool_call>\n<function=find_book>\n<parameter=title>\nMoby Dick\n</parameter>\n</function>\n</tool_call>",
  Llama: '<function=find_book>{"title":"Moby Dick"}</function>',
  GLM: "<tool_call>find_book\n<arg_key>title</arg_key>\n<arg_value>Moby Dick</arg_value>\n</tool_call>",
  invoke:
    '<function_calls>\n<invoke name="find_book">\n<parameter name="title">Moby Dick</parameter>\n</invoke>\n</function_calls>',
  element: '<invoke name="find_book"><title>Moby Dick</title></invoke>',
  DSML: '<｜DSML｜tool_calls><｜DSML｜invoke name="find_book"><｜DSML｜parameter name="title"⟦ string="true"⟧>Moby Dick</｜DSML｜parameter></｜DSML｜invoke></｜DSML｜tool_calls>',
  "MiniMax-M2":
    '<minimax:tool_call>\n<invoke name="find_book">\n<parameter name="title">Moby Dick</parameter>\n</invoke>\n</minimax:tool_call>',
  "MiniMax-M3": `${ns}<tool_call>\n${ns}<invoke name="find_book">\n${ns}<title>Moby Dick${ns}</title>\n${ns}</invoke>\n${ns}</tool_call>`,
  Kimi: '<|tool_calls_section_begin|><|tool_call_begin|>functions.find_book:0<|tool_call_argument_begin|>{"title":"Moby Dick"}<|tool_call_end|><|tool_calls_section_end|>',
  XTML: '<|open|>tools<|sep|><|open|>call tool="find_book"⟦ index="0"⟧<|sep|><|open|>argument key="title"⟦ type="string"⟧<|sep|>Moby Dick<|close|>argument<|sep|><|close|>call<|sep|><|close|>tools<|sep|>',
  DeepSeek:
    '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>find_book<｜tool▁sep｜>{"title":"Moby Dick"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
  "DeepSeek R1":
    '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>find_book\n⟦```json⟧\n{"title":"Moby Dick"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
  Mistral: '[TOOL_CALLS][{"name":"find_book","arguments":{"title":"Moby Dick"}}]',
  "Mistral's newer form": '[TOOL_CALLS]find_book⟦[CALL_ID]a1b2c3d4e⟧[ARGS]{"title":"Moby Dick"}</s>',
  harmony: '<|channel|>commentary to=functions.find_book <|constrain|>json<|message|>{"title":"Moby Dick"}<|call|>',
  "a python tag": '<|python_tag|>{"name":"find_book","parameters":{"title":"Moby Dick"}}<|eom_id|>',
  "plain JSON": '{"name":"find_book","arguments":{"title":"Moby Dick"}}',
};

/** Every text that a dialect becomes when a word is put in, but for where only marks stand. */
function withWord(dialect: string, word: string): string[] {
  const texts: string[] = [];
  let isMark = false;
  Array.from(dialect).forEach((sign, at, signs) => {
    if (sign === "⟦" || sign === "⟧") isMark = sign === "⟦";
    else if (!isMark && signs[at - 1] !== "⟧")
      texts.push([...signs.slice(0, at), word, ...signs.slice(at)].join("").replaceAll(/[⟦⟧]/gu, ""));
  });
  return texts;
}

describe("nothing that stands in a leaked call is lost", () => {
  test.each(Object.entries(dialects))("%s", async (_, dialect) => {
    expect(await calls(dialect.replaceAll(/[⟦⟧]/gu, ""))).toEqual([["find_book", "ready", { title: "Moby Dick" }]]);
    const lost: string[] = [];
    for (const word of ["quux", " quux ", "<quux>", '"quux":1,', "<quux>1</quux>"]) {
      for (const text of withWord(dialect, word)) {
        const turn = await turnOf(text);
        const kept = [turn.text, ...turn.calls.map(({ name, raw }) => name + raw)].join("\n");
        const isReady = turn.calls.some(({ state }) => state === "ready");
        if (isReady && !kept.includes("quux")) lost.push(text);
      }
    }
    expect(lost).toEqual([]);
  });
});
