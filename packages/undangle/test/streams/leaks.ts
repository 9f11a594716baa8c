import { cut, malformed, ready, streams, truncated, turn } from "./build.ts";
import type { ExpectedTurn, StreamSpec } from "./build.ts";
import { DONE, begin, calls, chatText, delta, end, entry, more, role, says } from "./build-chat.ts";

const tools = ["find_book", "lend", "ping"];
const moby = { title: "Moby Dick" };

/** Text that comes in pieces of eleven signs, and ends with stop. */
const leak = (text: string, expect: ExpectedTurn, given: Partial<StreamSpec> = {}): StreamSpec => ({
  tools,
  recoverLeaked: true,
  frames: chatText(...(text.match(/[^]{1,11}/gu) ?? []).map((piece) => says(piece))),
  expect,
  ...given,
});

const lent = ready(null, "lend", { days: 3, to: "Ann" });
const found = turn({ calls: [ready(null, "find_book", moby)] });
const both = turn({ calls: [...found.calls, lent] });

/** A tag, with what stands behind its name. */
const tag = (name: string, marks: string, body: string): string => `<${name}${marks}>${body}</${name}>`;

/** A call of Anthropic's old markup. */
const invoke = (
  prefix: string,
  name: string,
  ...parameters: readonly (readonly [key: string, marks: string, value: string])[]
) =>
  tag(
    `${prefix}invoke`,
    ` name="${name}"`,
    parameters.map(([key, marks, value]) => `\n${tag(`${prefix}parameter`, ` name="${key}"${marks}`, value)}`).join(""),
  );

const dsml = (prefix: string): string =>
  tag(
    `${prefix}tool_calls`,
    "",
    invoke(prefix, "find_book", ["title", ' string="true"', "Moby Dick"]) +
      invoke(prefix, "lend", ["days", ' string="false"', "3"], ["to", ' string="true"', "Ann"]),
  );

const findBook = (prefix = "") => invoke(prefix, "find_book", ["title", "", "Moby Dick"]);

/** A call of Kimi K3. */
const k3 = (name: string, ...args: readonly (readonly [key: string, type: string, value: string])[]) =>
  `<|open|>call tool="${name}" index="0"<|sep|>${args
    .map(([key, type, value]) => `<|open|>argument key="${key}" type="${type}"<|sep|>${value}<|close|>argument<|sep|>`)
    .join("")}<|close|>call<|sep|>`;

const json = '{"name": "find_book", "arguments": {"title": "Moby Dick"}}';
const lendJson = '{"name":"lend","arguments":{"days":3,"to":"Ann"}}';
const hermes = tag("tool_call", "", `\n${json}\n`);

const kimi = (name: string, args: string) =>
  `<|tool_call_begin|>functions.${name}:0<|tool_call_argument_begin|>${args}<|tool_call_end|>`;
const deepseek = (name: string, args: string) => `<｜tool▁call▁begin｜>${name}<｜tool▁sep｜>${args}<｜tool▁call▁end｜>`;

export const leaks = streams("openai-chat", {
  "Hermes and Qwen": {
    "one call behind text": leak(`Let me look. ${hermes}`, turn({ text: "Let me look. ", calls: found.calls }), {
      anomalies: ["leaked-call"],
    }),
    "two calls, text between": leak(
      `${hermes}\nand\n${tag("tool_call", "", lendJson)}`,
      turn({ text: "\nand\n", calls: both.calls }),
    ),
    "a wrapper around several": leak(
      tag("tool_calls", "", tag("tool_call", "", json) + tag("tool_call", "", lendJson)),
      both,
    ),
    "several in one tag, on lines": leak(tag("tool_call", "", `${json}\n${lendJson}`), both),
    "arguments as a text": leak(
      tag("tool_call", "", `{"name":"find_book","arguments":${JSON.stringify('{"title":"Moby Dick"}')}}`),
      found,
    ),
    "the closing tag stands in a string too": leak(
      tag("tool_call", "", '{"name":"find_book","arguments":{"title":"a </tool_call> b"}}'),
      turn({ calls: [ready(null, "find_book", { title: "a </tool_call> b" })] }),
    ),
    "no arguments": leak(tag("tool_call", "", '{"name":"ping"}'), turn({ calls: [ready(null, "ping")] })),
    "parameters as Llama says": leak(
      tag("function_call", "", '{"name":"find_book","parameters":{"title":"Moby Dick"}}'),
      found,
    ),
  },
  "Qwen3-Coder, Llama and GLM": {
    "functions and parameters as tags": leak(
      "<tool_call>\n<function=lend>\n<parameter=days>\n3\n</parameter>\n<parameter=to>\nAnn\n</parameter>\n</function>\n</tool_call>",
      turn({ calls: [lent] }),
    ),
    "a function tag without a wrapper": leak(
      'Ok <function=find_book>{"title":"Moby Dick"}</function>',
      turn({ text: "Ok ", calls: found.calls }),
    ),
    "keys and values of GLM": leak(
      tag(
        "tool_call",
        "",
        `lend\n${tag("arg_key", "", "days")}\n${tag("arg_value", "", "3")}\n${tag("arg_key", "", "to")}\n${tag("arg_value", "", "Ann")}\n`,
      ),
      turn({ calls: [lent] }),
    ),
    "GLM without arguments": leak(tag("tool_call", "", "ping"), turn({ calls: [ready(null, "ping")] })),
    "a text of several lines in a parameter": leak(
      "<function=find_book><parameter=title>\nMoby\n\nDick\n</parameter></function>",
      turn({ calls: [ready(null, "find_book", { title: "Moby\n\nDick" })] }),
    ),
  },
  "MiniMax, DeepSeek and the old tags of Anthropic": {
    MiniMax: leak(`Hm.${tag("minimax:tool_call", "", `\n${findBook()}\n`)}`, turn({ text: "Hm.", calls: found.calls })),
    "DSML with wide bars": leak(dsml("｜DSML｜"), both),
    "DSML with narrow bars": leak(dsml("|DSML|"), both),
    "DSML with double bars": leak(dsml("||DSML||"), both),
    "DSML with double wide bars": leak(dsml("｜｜DSML｜｜"), both),
    "in their wrapper": leak(tag("function_calls", "", findBook()), found),
    "alone, in a name space": leak(findBook(["antml", ""].join(":")), found),
    "in the tag of Hermes": leak(tag("tool_call", "", findBook()), found),
  },
  Kimi: {
    "a section": leak(
      `I see.<|tool_calls_section_begin|>${kimi("find_book", JSON.stringify(moby))}${kimi("lend", '{"days":3,"to":"Ann"}')}<|tool_calls_section_end|>`,
      turn({ text: "I see.", calls: both.calls }),
    ),
    "one call without a section": leak(kimi("find_book", ` ${JSON.stringify(moby)} `), found),
    "a fence and no separator": leak(
      '<|tool_call_section_begin|><|tool_call_begin|>functions.find_book\n```json\n{"title":"Moby Dick"}\n```\n<|tool_call_end|><|tool_call_section_end|>',
      found,
    ),
    "XTML of K3": leak(
      `<|open|>tools<|sep|>${k3("find_book", ["title", "string", "Moby Dick"])}${k3("lend", ["days", "number", "3"], ["to", "string", "Ann"])}<|close|>tools<|sep|>`,
      both,
    ),
    "XTML: a text that looks like a number, and a list": leak(
      `<|open|>tools<|sep|>${k3("lend", ["to", "string", "007"], ["days", "array", "[1, 2]"])}<|close|>tools<|sep|>`,
      turn({ calls: [ready(null, "lend", { to: "007", days: [1, 2] })] }),
    ),
  },
  "tokens of DeepSeek": {
    "as V3.1 writes them": leak(
      `<｜tool▁calls▁begin｜>${deepseek("find_book", JSON.stringify(moby))}${deepseek("lend", '{"days":3,"to":"Ann"}')}<｜tool▁calls▁end｜>`,
      both,
    ),
    "as R1 writes them": leak(
      `<｜tool▁calls▁begin｜>${deepseek("function", `find_book\n\`\`\`json\n${JSON.stringify(moby)}\n\`\`\``)}<｜tool▁calls▁end｜>`,
      found,
    ),
    "with narrow bars": leak(
      `<|tool▁calls▁begin|><|tool▁call▁begin|>find_book<|tool▁sep|>${JSON.stringify(moby)}<|tool▁call▁end|><|tool▁calls▁end|>`,
      found,
    ),
    "with underscores": leak(
      `<｜tool_calls_begin｜><｜tool_call_begin｜>find_book<｜tool_sep｜>${JSON.stringify(moby)}<｜tool_call_end｜><｜tool_calls_end｜>`,
      found,
    ),
  },
  Mistral: {
    "one, and no list": leak(`[TOOL_CALLS] ${json}`, found),
    "one, no list, with its end": leak(`Ok. [TOOL_CALLS]${json}</s>`, turn({ text: "Ok. ", calls: found.calls })),
    "a list": leak(`[TOOL_CALLS] [${json}, ${lendJson}]`, both),
    "a name and its arguments": leak(
      '[TOOL_CALLS]find_book[ARGS]{"title":"Moby Dick"}[TOOL_CALLS]lend[ARGS]{"days":3,"to":"Ann"}',
      both,
    ),
    "a name, an id and its arguments": leak(
      '[TOOL_CALLS]find_book[CALL_ID]a1b2c3d4e[ARGS]{"title":"Moby Dick"}</s>',
      found,
    ),
    "a name and nothing between": leak(
      'Ok. [TOOL_CALLS]find_book{"title":"Moby Dick"}',
      turn({ text: "Ok. ", calls: found.calls }),
    ),
  },
  harmony: {
    "as gpt-oss writes it": leak(
      '<|channel|>commentary to=functions.find_book <|constrain|>json<|message|>{"title":"Moby Dick"}<|call|>',
      found,
    ),
    "without the token at its end": leak(
      '<|channel|>commentary to=functions.find_book <|constrain|>json<|message|>{"title":"Moby Dick"}',
      found,
    ),
    "with the recipient first": leak(
      '<|start|>assistant to=functions.find_book<|channel|>commentary json<|message|>{"title":"Moby Dick"}<|call|>',
      found,
    ),
    "without any tokens": leak('assistantcommentary to=functions.find_book json{"title":"Moby Dick"}', found),
    two: leak(
      '<|channel|>commentary to=functions.find_book<|message|>{"title":"Moby Dick"}<|call|><|start|>assistant<|channel|>commentary to=functions.lend<|message|>{"days":3,"to":"Ann"}<|call|>',
      both,
    ),
  },
  "plain JSON": {
    "a call": leak(json, found),
    "a list of calls, printed prettily": leak(JSON.stringify([JSON.parse(json), JSON.parse(lendJson)], null, 2), both),
    "in the shape of the API": leak(
      '{"type":"function","function":{"name":"find_book","arguments":"{\\"title\\":\\"Moby Dick\\"}"}}',
      found,
    ),
    "a python tag": leak(`<|python_tag|>${json}<|eom_id|>`, found),
    "an answer that only has a name": leak(
      '{"name": "ping", "price": 3}',
      turn({ text: '{"name": "ping", "price": 3}' }),
    ),
    "an answer that is long and no call": leak(
      JSON.stringify({ books: Array.from({ length: 9 }, (_, i) => ({ i })) }),
      turn({ text: JSON.stringify({ books: Array.from({ length: 9 }, (_, i) => ({ i })) }) }),
    ),
    "a call and then text": leak(`${json}\nis what I would call.`, turn({ text: `${json}\nis what I would call.` })),
  },
  "what is no call": {
    "a tool that was not offered": leak(
      `So: ${hermes.replace("find_book", "burn_book")} it is.`,
      turn({ text: `So: ${hermes.replace("find_book", "burn_book")} it is.` }),
    ),
    "in a fence": leak(
      `Write:\n\`\`\`xml\n${hermes}\n\`\`\`\nso.`,
      turn({ text: `Write:\n\`\`\`xml\n${hermes}\n\`\`\`\nso.` }),
    ),
    "in backticks": leak(
      `Write \`${hermes.replaceAll("\n", "")}\` so.`,
      turn({ text: `Write \`${hermes.replaceAll("\n", "")}\` so.` }),
    ),
    "behind a fence that is closed it is one": leak(
      `\`\`\`\ncode\n\`\`\`\n${hermes}`,
      turn({ text: "```\ncode\n```\n", calls: found.calls }),
    ),
    "beginnings that come to nothing": leak(
      "a < b, <tool, <|x|>, [TOOLS] and <",
      turn({ text: "a < b, <tool, <|x|>, [TOOLS] and <" }),
    ),
    "the tag is only spoken of": leak(
      "The tag <tool_call> is used to ping things.",
      turn({ text: "The tag <tool_call> is used to ping things." }),
    ),
    "nobody said which tools there are": leak(hermes, turn({ text: hermes }), { tools: [] }),
    "nobody asked": leak(hermes, turn({ text: hermes }), { recoverLeaked: false }),
  },
  "beside calls that the provider tells": {
    "behind them": {
      tools,
      recoverLeaked: true,
      frames: [role, calls(begin(0, "c1", "ping", "{}")), says(hermes), end(), DONE],
      expect: turn({ text: hermes, calls: [ready("c1", "ping")] }),
    },
    "in front of them": {
      tools,
      recoverLeaked: true,
      frames: [role, says("So. "), says(hermes), calls(begin(0, "c1", "ping", "{}")), end(), DONE],
      expect: turn({ text: `So. ${hermes}`, calls: [ready("c1", "ping")] }),
    },
    "in front of one that nobody names": {
      tools,
      recoverLeaked: true,
      frames: [role, says(hermes), calls(more(0, '{"a":1}')), calls(entry({ args: " " })), end(), DONE],
      expect: turn({ text: hermes, calls: [malformed(null, "")] }),
    },
    "what is held back comes before them": {
      tools,
      recoverLeaked: true,
      frames: [role, says("a <tool"), calls(begin(0, "c1", "ping", "{}")), says(" b"), end(), DONE],
      expect: turn({ text: "a <tool b", calls: [ready("c1", "ping")] }),
    },
  },
  "never closed": {
    "in the arguments": leak(
      'Ok. <tool_call>{"name":"find_book","arguments":{"title":"Mo',
      turn({ text: "Ok. ", calls: [truncated(null, "find_book")], complete: false }),
    ),
    "the arguments are whole, the tag is not": leak(
      `<tool_call>${json}`,
      turn({ calls: [truncated(null, "find_book")], complete: false }),
    ),
    "in the second call of a section": leak(
      `<|tool_calls_section_begin|>${kimi("find_book", JSON.stringify(moby))}<|tool_call_begin|>functions.lend:1<|tool_call_argument_begin|>{"days":`,
      turn({ calls: [...found.calls, truncated(null, "lend")], complete: false }),
    ),
    "in a parameter": leak(
      "<function=find_book>\n<parameter=title>\nMoby",
      turn({ calls: [truncated(null, "find_book")], complete: false }),
    ),
    "and the stream broke off": {
      tools,
      recoverLeaked: true,
      frames: [role, says('<tool_call>{"name":"find_book","arguments":{"ti')],
      expect: cut({ calls: [truncated(null, "find_book")] }),
    },
    "before the name: it stays text": leak('Ok. <tool_call>{"na', turn({ text: 'Ok. <tool_call>{"na' })),
  },
  "with the finish": {
    "in the last delta": {
      tools,
      recoverLeaked: true,
      frames: [role, delta({ content: hermes }, "stop"), DONE],
      expect: found,
    },
    "length: whole, and not to be run": {
      tools,
      recoverLeaked: true,
      frames: [role, says(hermes), end("length"), DONE],
      expect: turn({ calls: found.calls, finish: "length", complete: false }),
    },
  },
});
