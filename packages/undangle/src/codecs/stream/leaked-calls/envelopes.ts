import {
  callsInJson,
  closerEnd,
  jsonEnd,
  objectText,
  readWhole,
  skipBlanks,
  take,
  takeText,
  takeUntil,
} from "./json.ts";
import type { LeakedCall, Parameter, Scan } from "./json.ts";
import { callsInMarkup, minimaxToken } from "./markup.ts";

/** A syntax in which models write calls as text: its opening, its end and its content. */
export interface Envelope {
  readonly openers: readonly string[];
  /**
   * The index after the envelope at the start of the text. Undefined if it is not closed yet. `isLast`: the text is
   * complete.
   */
  end(text: string, isLast: boolean): number | undefined;
  /** The calls in it. Undefined if it contains anything else. */
  read(text: string): readonly LeakedCall[] | undefined;
  /** Closes one of several calls in it. */
  readonly innerEnd?: RegExp;
}

/** Hermes, Qwen and GLM: one tag that contains JSON or more tags. */
const jsonTag: Envelope = {
  openers: ["<tool_call>", "<tool_calls>", "<function_call>", "<seed:tool_call>"],
  end(text) {
    const opener = text.slice(0, text.indexOf(">") + 1);
    return closerEnd(text, `</${opener.slice(1)}`, opener.length);
  },
  read: callsInMarkup,
};

/** Qwen3-Coder: `<function=NAME><parameter=KEY>VALUE</parameter></function>`. Llama writes JSON between the tags. */
const functionTag: Envelope = {
  openers: ["<function="],
  end: (text) => closerEnd(text, "</function>", text.indexOf(">") + 1),
  read: callsInMarkup,
};

/** Anthropic's old markup, also used by MiniMax and DeepSeek. MiniMax-M3 writes a token before every tag. */
const invokeTags: Envelope = {
  openers: [
    "<function_calls>",
    "<minimax:tool_call>",
    "<invoke name=",
    minimaxToken,
    ...["antml:", "｜DSML｜", "|DSML|", "||DSML||", "｜｜DSML｜｜"].map((prefix) => `<${prefix}`),
  ],
  end(text) {
    const head = /^(?:\]<\]minimax\[>\[)?<(antml:|[｜|]{1,2}DSML[｜|]{1,2})?/u.exec(text);
    const start = head?.[0].length ?? minimaxToken.length;
    const name = /^(?:function_calls|tool_calls?|minimax:tool_call|invoke)\b/u.exec(text.slice(start, start + 40))?.[0];
    if (head !== null && name !== undefined) return closerEnd(text, `</${head[1] ?? ""}${name}>`, start);
    return text.length > 80 ? start : undefined; // no tag that contains a call
  },
  read: callsInMarkup,
  innerEnd: /<\/[^<>]{0,20}invoke>/gu,
};

/** Kimi and DeepSeek: special tokens, with ASCII or full-width bars and spaces. */
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
  read: (text) => readWhole(text, readTokens, section),
  innerEnd: /<[|｜]tool[_▁]call[_▁]end[|｜]>/gu,
};

/** Keeps the length, so that indexes are valid in both texts. */
const plainTokens = (text: string): string =>
  text.replace(/<[|｜](tool[\w▁]*)[|｜]>/gu, (_, name: string) => `<|${name.replaceAll("▁", "_")}|>`);

/** Separators of calls: whitespace, and tokens around several calls. */
const section = /\s+|<[|｜]tool[_▁](?:calls|calls?[_▁]section)[_▁](?:begin|end)[|｜]>/uy;
const callBegin = /<[|｜]tool[_▁]call[_▁]begin[|｜]>/uy;
const callEnd = /<[|｜]tool[_▁]call[_▁]end[|｜]>/u;
const separator = /<[|｜]tool[_▁](?:call[_▁]argument[_▁]begin|sep)[|｜]>/u;

function readTokens(scan: Scan): readonly LeakedCall[] | undefined {
  if (take(scan, callBegin) === undefined) return undefined;
  const rest = scan.text.slice(scan.at);
  const end = callEnd.exec(rest);
  const [head = "", after, ...more] = end === null ? [] : rest.slice(0, end.index).split(separator);
  if (end === null || more.length > 0) return undefined;
  scan.at += end.index + end[0].length;
  const isOld = head.trim() === "function"; // DeepSeek's older form: the type, the name, a code fence
  const text = isOld || after === undefined ? (after ?? head).trim() : `${head.trim()} ${after.trim()}`;
  const [, name, args = ""] = /^(?:functions[.:])?([\w.-]+?)(?::\d+)?(?:\s+([^]*))?$/u.exec(text) ?? [];
  return name === undefined ? undefined : [{ name, arguments: args.replace(/^```\w*|```\s*$/gu, "").trim() }];
}

/** Kimi K3: tags in special tokens. */
const xtml: Envelope = {
  openers: ["<|open|>tools<|sep|>", "<|open|>call tool="],
  end: (text) =>
    closerEnd(text, text.startsWith("<|open|>tools") ? "<|close|>tools<|sep|>" : "<|close|>call<|sep|>", 8),
  read: (text) => readWhole(text, readXtml, /\s+|<\|(?:open|close)\|>tools<\|sep\|>/uy),
  innerEnd: /<\|close\|>call<\|sep\|>/gu,
};

function readXtml(scan: Scan): readonly LeakedCall[] | undefined {
  const name = take(scan, /<\|open\|>call tool="([^"]*)"(?:\s+index="\d*")?<\|sep\|>/uy)?.[1];
  if (name === undefined) return undefined;
  const parameters: Parameter[] = [];
  for (;;) {
    skipBlanks(scan);
    if (takeText(scan, "<|close|>call<|sep|>")) break;
    const [, key, marks = ""] = take(scan, /<\|open\|>argument key="([^"]*)"((?:\s+type="\w*")?)<\|sep\|>/uy) ?? [];
    const value = key === undefined ? undefined : takeUntil(scan, "<|close|>argument<|sep|>");
    if (key === undefined || value === undefined) return undefined;
    const plain = key
      .replaceAll("&quot;", '"')
      .replaceAll("&lt;", "<")
      .replaceAll("&gt;", ">")
      .replaceAll("&amp;", "&");
    parameters.push({ key: plain, value, kind: marks.includes('type="string"') ? "text" : "any" });
  }
  const text = objectText(parameters);
  return text === undefined ? undefined : [{ name, arguments: text }];
}

/** The end of JSON after a head, including an optional closing token. */
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
  /** Everything before the JSON. */
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

/** Only tokens and their keywords may follow the name. */
const harmonyHead =
  /^[^=]{0,60}to=([\w.-]+)(?![\w.-])(?:\s*(?:<\|(?:start|channel|constrain|message)\|>|assistant|commentary|analysis|code|json))*\s*(?=\{)/u;

/** gpt-oss. The closing token of a call is also a stop token, so many servers omit it. */
const harmony: Envelope = {
  openers: [
    "<|channel|>commentary to=",
    "<|channel|>analysis to=",
    "<|start|>assistant<|channel|>commentary to=",
    "<|start|>assistant to=",
    "assistantcommentary to=functions.",
    "commentary to=functions.",
  ],
  end(text, isLast) {
    const isOther = text.length > 200 && !harmonyHead.test(text);
    if (isOther) return text.indexOf("to=") + "to=".length;
    return headedEnd(text, isLast, { head: harmonyHead, closers: ["<|call|>", "<|end|>"] });
  },
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
  read: (text) => callsInJson(text.replace(/^<\|python_tag\|>|<\|(?:eom_id|eot_id)\|>$/gu, "")),
};

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
