import { callsInJson, closerEnd, jsonEnd, objectText } from "./leak-json.ts";
import type { LeakedCall } from "./leak-json.ts";

/** One way in which models write calls as text: what opens it, where it ends, and what it says. */
export interface Envelope {
  readonly openers: readonly string[];
  /**
   * The index behind the envelope that opens at the beginning of the text; undefined while it is not closed. `isLast`:
   * nothing more comes.
   */
  end(text: string, isLast: boolean): number | undefined;
  /** The calls in it; undefined when it holds anything else. */
  read(text: string): readonly LeakedCall[] | undefined;
  /** What closes one call of several in it. */
  readonly innerEnd?: RegExp;
}

/** Hermes, Qwen, GLM: one tag, and JSON or more tags in it. */
const jsonTag: Envelope = {
  openers: ["<tool_call>", "<tool_calls>", "<function_call>", "<seed:tool_call>"],
  end(text) {
    const opener = text.slice(0, text.indexOf(">") + 1);
    return closerEnd(text, `</${opener.slice(1)}`, opener.length);
  },
  read(text) {
    const inner = text.slice(text.indexOf(">") + 1, text.lastIndexOf("</"));
    const bare = inner.replace(/<\/?tool_call>/gu, "\n");
    return (
      callsInJson(inner) ?? callsInJson(bare) ?? fromFunctionTags(text) ?? fromInvokes(text) ?? fromArgumentTags(inner)
    );
  },
};

/** Qwen3-Coder: `<function=NAME><parameter=KEY>VALUE</parameter></function>`; Llama puts JSON between the tags. */
const functionTag: Envelope = {
  openers: ["<function="],
  end: (text) => closerEnd(text, "</function>", text.indexOf(">") + 1),
  read: fromFunctionTags,
};

/** Anthropic's old markup, which MiniMax and DeepSeek have inherited. */
const invokeTags: Envelope = {
  openers: [
    "<function_calls>",
    "<minimax:tool_call>",
    "<invoke name=",
    ...["antml:", "｜DSML｜", "|DSML|", "||DSML||", "｜｜DSML｜｜"].map((prefix) => `<${prefix}`),
  ],
  end(text) {
    const prefix = /^<(?:antml:|[｜|]{1,2}DSML[｜|]{1,2})?/u.exec(text)?.[0] ?? "<";
    const name = /^(?:function_calls|tool_calls|minimax:tool_call|invoke)\b/u.exec(text.slice(prefix.length))?.[0];
    if (name !== undefined) return closerEnd(text, `</${prefix.slice(1)}${name}>`, prefix.length);
    return text.length > 80 ? prefix.length : undefined; // no tag that calls anything
  },
  read: (text) => fromInvokes(text) ?? callsInJson(text.replace(/<[^>]*>/gu, "\n")),
  innerEnd: /<\/[^>]*invoke>/gu,
};

/** Kimi and DeepSeek: special tokens, with bars and blanks of both kinds. */
const tokens: Envelope = {
  openers: [
    "tool_calls_section_begin",
    "tool_call_section_begin",
    "tool_calls_begin",
    "tool_call_begin",
    "tool▁calls▁begin",
    "tool▁call▁begin",
  ].flatMap((name) => [`<|${name}|>`, `<｜${name}｜>`]),
  end(text) {
    const plain = plainTokens(text);
    const opener = plain.slice(0, plain.indexOf(">") + 1);
    return closerEnd(plain, opener.replace("_begin", "_end"), opener.length);
  },
  read(text) {
    const plain = plainTokens(text);
    const bodies = Array.from(
      plain.matchAll(/<\|tool_call_begin\|>([^]*?)<\|tool_call_end\|>/gu),
      ([, body = ""]) => body,
    );
    const calls = bodies.map(fromTokens);
    return calls.length > 0 && calls.every((call) => call !== undefined) ? calls : undefined;
  },
  innerEnd: /<[|｜]tool[_▁]call[_▁]end[|｜]>/gu,
};

/** The same length, so that an index in one is an index in the other. */
const plainTokens = (text: string): string =>
  text.replace(/<[|｜](tool[\w▁]*)[|｜]>/gu, (_, name: string) => `<|${name.replaceAll("▁", "_")}|>`);

function fromTokens(body: string): LeakedCall | undefined {
  const [head = "", ...rest] = body.split(/<\|tool_(?:call_argument_begin|sep)\|>/u);
  const isOld = head.trim() === "function"; // DeepSeek's older form: the word, the name, a fence
  const text = isOld || rest.length === 0 ? (rest[0] ?? head).trim() : `${head.trim()} ${rest.join("").trim()}`;
  const [, name, args = ""] = /^(?:functions[.:])?([\w.-]+?)(?::\d+)?(?:\s+([^]*))?$/u.exec(text) ?? [];
  return name === undefined ? undefined : { name, arguments: args.replace(/^```\w*|```\s*$/gu, "").trim() };
}

/** Kimi K3: tags in special tokens. */
const xtml: Envelope = {
  openers: ["<|open|>tools<|sep|>", "<|open|>call tool="],
  end: (text) =>
    closerEnd(text, text.startsWith("<|open|>tools") ? "<|close|>tools<|sep|>" : "<|close|>call<|sep|>", 8),
  read(text) {
    const found = text.matchAll(/<\|open\|>call tool="([^"]*)"[^]*?<\|sep\|>([^]*?)<\|close\|>call<\|sep\|>/gu);
    const calls = Array.from(found, ([, name = "", body = ""]) => ({ name, arguments: fromXtmlArguments(body) }));
    return calls.length > 0 ? calls : undefined;
  },
  innerEnd: /<\|close\|>call<\|sep\|>/gu,
};

function fromXtmlArguments(body: string): string {
  const found = body.matchAll(/<\|open\|>argument key="([^"]*)"([^]*?)<\|sep\|>([^]*?)<\|close\|>argument<\|sep\|>/gu);
  return objectText(
    Array.from(found, ([, key = "", marks = "", value = ""]) => [
      key.replaceAll("&quot;", '"').replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&"),
      value,
      marks.includes('type="string"'),
    ]),
  );
}

/** JSON behind a head, and perhaps a token that closes it. */
function headedEnd(text: string, isLast: boolean, { head, closers }: Headed): number | undefined {
  const start = head.exec(text)?.[0].length;
  const close = closers.map((closer) => text.indexOf(closer)).filter((at) => at >= 0);
  const end = start === undefined ? undefined : jsonEnd(text, start);
  if (end === undefined) {
    const first = Math.min(...close);
    const closer = closers.find((each) => text.startsWith(each, first)) ?? "";
    return closer === "" ? undefined : first + closer.length;
  }
  const rest = text.slice(end).trimStart();
  const closer = closers.find((each) => rest.startsWith(each));
  if (closer !== undefined) return text.length - rest.length + closer.length;
  return isLast || !closers.some((each) => each.startsWith(rest)) ? end : undefined;
}

interface Headed {
  /** All that stands in front of the JSON. */
  readonly head: RegExp;
  readonly closers: readonly string[];
}

const mistralHead =
  /^\[TOOL_CALLS\]\s*(?:(?=(?:\[\s*)?\{)|([\w.-]+)\s*(?:\[CALL_ID\][\w-]*\s*)?(?:\[ARGS\]\s*)?(?=\{))/u;

const mistral: Envelope = {
  openers: ["[TOOL_CALLS]"],
  end(text, isLast) {
    const isOther = text.length > 200 && !mistralHead.test(text);
    return isOther ? "[TOOL_CALLS]".length : headedEnd(text, isLast, { head: mistralHead, closers: ["</s>"] });
  },
  read(text) {
    const [head = "", name] = mistralHead.exec(text) ?? [];
    const body = text.slice(head.length).replace(/<\/s>$/u, "");
    return name === undefined ? callsInJson(body) : [{ name, arguments: body.trim() }];
  },
};

const harmonyHead = /^[^]*?to=([\w.-]+)[^{]*?(?=\{)/u;

/** gpt-oss. The token that closes a call also stops the model, so that many servers leave it out. */
const harmony: Envelope = {
  openers: [
    "<|channel|>commentary to=",
    "<|channel|>analysis to=",
    "<|start|>assistant<|channel|>commentary to=",
    "<|start|>assistant to=",
    "assistantcommentary to=functions.",
    "commentary to=functions.",
  ],
  end: (text, isLast) => headedEnd(text, isLast, { head: harmonyHead, closers: ["<|call|>", "<|end|>"] }),
  read(text) {
    const [head = "", name] = harmonyHead.exec(text) ?? [];
    const body = text.slice(head.length).replace(/<\|(?:call|end)\|>$/u, "");
    return name === undefined ? undefined : [{ name: name.replace(/^functions\./u, ""), arguments: body.trim() }];
  },
};

const pythonTag: Envelope = {
  openers: ["<|python_tag|>"],
  end: (text, isLast) =>
    headedEnd(text, isLast, { head: /^<\|python_tag\|>\s*(?=[[{])/u, closers: ["<|eom_id|>", "<|eot_id|>"] }),
  read: (text) => callsInJson(text.replace(/<\|(?:python_tag|eom_id|eot_id)\|>/gu, "")),
};

/** Every envelope. */
export const envelopes: readonly Envelope[] = [
  tokens,
  xtml,
  harmony,
  pythonTag,
  mistral,
  invokeTags,
  functionTag,
  jsonTag,
];

function fromFunctionTags(text: string): readonly LeakedCall[] | undefined {
  const calls = Array.from(text.matchAll(/<function=([^>]*)>([^]*?)<\/function>/gu), ([, name = "", body = ""]) => {
    const args = body.trim().startsWith("{")
      ? body.trim()
      : fromParameters(body.matchAll(/<parameter=([^>]*?)()>([^]*?)<\/parameter>/gu));
    return { name: name.trim(), arguments: args };
  });
  return calls.length > 0 ? calls : undefined;
}

function fromInvokes(text: string): readonly LeakedCall[] | undefined {
  const plain = text.replace(/(<\/?)(?:antml:|[｜|]{1,2}DSML[｜|]{1,2})/gu, "$1");
  const found = plain.matchAll(/<invoke name="([^"]*)"[^>]*>([^]*?)<\/invoke>/gu);
  const calls = Array.from(found, ([, name = "", body = ""]) => ({
    name,
    arguments: fromParameters(body.matchAll(/<parameter name="([^"]*)"((?:\s[^>]*)?)>([^]*?)<\/parameter>/gu)),
  }));
  return calls.length > 0 ? calls : undefined;
}

/** GLM: the name, and then keys and values in tags of their own. */
function fromArgumentTags(body: string): readonly LeakedCall[] | undefined {
  const name = /^\s*([\w.-]+)\s*(?:<arg_key>|$)/u.exec(body)?.[1];
  const pairs = body.matchAll(/<arg_key>([^]*?)<\/arg_key>()\s*<arg_value>([^]*?)<\/arg_value>/gu);
  return name === undefined ? undefined : [{ name, arguments: fromParameters(pairs) }];
}

/** Each match is a key, marks that may say that the value is text, and the value, which may stand on lines of its own. */
function fromParameters(matches: Iterable<RegExpMatchArray>): string {
  return objectText(
    Array.from(matches, ([, key = "", marks = "", value = ""]) => [
      key,
      value.replace(/^\n|\n$/gu, ""),
      marks.includes('string="true"'),
    ]),
  );
}
