import { isObjectText } from "#core";

import {
  callsInJson,
  jsonEnd,
  objectText,
  valueText,
  readWhole,
  skipBlanks,
  take,
  takeText,
  takeUntil,
} from "./json.ts";
import type { LeakedCall, Parameter, Scan } from "./json.ts";

/**
 * The calls in the markup of an envelope, in any dialect. Undefined if it contains anything but calls and tags around
 * them: unknown markup may be an argument, and no argument may be lost.
 */
export const callsInMarkup = (text: string): readonly LeakedCall[] | undefined =>
  readWhole(text, (scan) => readJson(scan) ?? readInvoke(scan) ?? readFunction(scan) ?? readPairs(scan), between);

/** The namespace token of MiniMax-M3, and the tag prefixes of other models. */
export const minimaxToken = "]<]minimax[>[";
const token = String.raw`(?:\]<\]minimax\[>\[)?`;
const prefix = "((?:antml:|[｜|]{1,2}DSML[｜|]{1,2})?)";

/** Separators of calls: whitespace, commas, and tags around calls. */
const between = new RegExp(
  String.raw`(?:[\s,;]+|${token}</?${prefix}(?:tool_calls?|function_calls?|minimax:tool_call|seed:tool_call)>)`,
  "uy",
);

const invoke = new RegExp(String.raw`${token}<${prefix}invoke name=(?:"([^"<>]*)"|'([^'<>]*)')\s*>`, "uy");
const parameter = new RegExp(
  String.raw`${token}<${prefix}parameter name="([^"<>]*)"((?:\s+(?:string|type)="\w*")*)\s*>`,
  "uy",
);
const element = new RegExp(String.raw`(${token})<${prefix}((?!(?:parameter|invoke)>)[\p{L}_][\p{L}\p{N}_.-]*)>`, "uy");
const functionTag = /<function=([^<>]*)>/uy;
const functionParameter = /<parameter=([^<>]*)>/uy;
const glmName = /([\w.-]+)\s*(?=<arg_key>|<\/|$)/uy;

function readJson(scan: Scan): readonly LeakedCall[] | undefined {
  const end = jsonEnd(scan.text, scan.at);
  const calls = end === undefined ? undefined : callsInJson(scan.text.slice(scan.at, end));
  if (end !== undefined && calls !== undefined) scan.at = end;
  return calls;
}

/**
 * `<invoke name="NAME">` of Anthropic's old markup, MiniMax and DeepSeek, with parameters, elements or JSON as content.
 */
function readInvoke(scan: Scan): readonly LeakedCall[] | undefined {
  const opened = take(scan, invoke);
  if (opened === undefined) return undefined;
  const [, space = "", name = opened[3] ?? ""] = opened;
  const closer = `</${space}invoke>`;
  skipBlanks(scan);
  if (scan.text[scan.at] === "{") {
    const text = takeUntil(scan, closer)?.trim();
    return text !== undefined && isObjectText(text) ? [{ name, arguments: text }] : undefined;
  }
  const parameters = readAll(scan, closer, () => readParameter(scan) ?? readElement(scan, 0));
  return parameters && callWith(name, parameters);
}

/** Reads parameters up to a closing tag. Undefined if anything else appears. */
function readAll(scan: Scan, closer: string, read: () => Parameter | undefined): readonly Parameter[] | undefined {
  const all: Parameter[] = [];
  for (;;) {
    skipBlanks(scan);
    if (takeText(scan, closer) || takeText(scan, minimaxToken + closer)) return all;
    const one = read();
    if (one === undefined) return undefined;
    all.push(one);
  }
}

/** `<parameter name="KEY" string="true">VALUE</parameter>`. The attribute marks the value as text. */
function readParameter(scan: Scan): Parameter | undefined {
  const opened = take(scan, parameter);
  if (opened === undefined) return undefined;
  const [, space = "", key = "", marks = ""] = opened;
  const value = takeUntil(scan, `</${space}parameter>`);
  return value === undefined
    ? undefined
    : { key, value: bare(value), kind: marks.includes('string="true"') ? "text" : "any" };
}

/** `<KEY>VALUE</KEY>`. Only the token of MiniMax-M3 distinguishes text values from nested elements. */
function readElement(scan: Scan, depth: number): Parameter | undefined {
  const opened = take(scan, element);
  if (opened === undefined || depth > deepest) return undefined;
  const [, mark = "", space = "", key = ""] = opened;
  const closer = `</${space}${key}>`;
  if (mark !== "" && holdsElements(scan, closer)) {
    const inner = readAll(scan, closer, () => readElement(scan, depth + 1));
    const value = inner && jsonOf(inner);
    return value === undefined ? undefined : { key, value, kind: "json" };
  }
  const text = takeUntil(scan, closer);
  if (text === undefined) return undefined;
  const value = mark !== "" && text.endsWith(mark) ? text.slice(0, -mark.length) : text;
  const isMarkup = mark === "" && value.trim().startsWith("<") && value.trim().endsWith(">");
  return isMarkup ? undefined : { key, value: bare(value), kind: "any" };
}

/** Deeper than real arguments. */
const deepest = 50;

/** True if the token of MiniMax-M3 appears inside the element, and not only before its closing tag. */
function holdsElements({ text, at }: Scan, closer: string): boolean {
  const next = text.indexOf(minimaxToken, at);
  const end = text.indexOf(closer, at);
  return next >= 0 && next < end && next + minimaxToken.length !== end;
}

/** Elements as MiniMax-M3's template writes values: `item` elements form a list, all others an object. */
const jsonOf = (elements: readonly Parameter[]): string | undefined =>
  elements.every(({ key }) => key === "item") ? `[${elements.map(valueText).join(",")}]` : objectText(elements);

/** `<function=NAME>` of Qwen3-Coder with `<parameter=KEY>VALUE</parameter>`, and of Llama with JSON. */
function readFunction(scan: Scan): readonly LeakedCall[] | undefined {
  const name = take(scan, functionTag)?.[1]?.trim();
  if (name === undefined) return undefined;
  skipBlanks(scan);
  if (scan.text[scan.at] === "{") {
    const text = takeUntil(scan, "</function>");
    return text === undefined ? undefined : [{ name, arguments: text.trim() }];
  }
  const parameters = readAll(scan, "</function>", () => {
    const key = take(scan, functionParameter)?.[1];
    const value = key === undefined ? undefined : takeUntil(scan, "</parameter>");
    return key === undefined || value === undefined ? undefined : { key: key.trim(), value: bare(value), kind: "any" };
  });
  return parameters && callWith(name, parameters);
}

/** GLM: the name, then keys and values in separate tags. */
function readPairs(scan: Scan): readonly LeakedCall[] | undefined {
  const name = take(scan, glmName)?.[1];
  if (name === undefined) return undefined;
  const parameters: Parameter[] = [];
  while (takeText(scan, "<arg_key>")) {
    const key = takeUntil(scan, "</arg_key>");
    skipBlanks(scan);
    const value = key !== undefined && takeText(scan, "<arg_value>") ? takeUntil(scan, "</arg_value>") : undefined;
    if (key === undefined || value === undefined) return undefined;
    parameters.push({ key: key.trim(), value: bare(value), kind: "any" });
    skipBlanks(scan);
  }
  return callWith(name, parameters);
}

function callWith(name: string, parameters: readonly Parameter[]): readonly LeakedCall[] | undefined {
  const text = objectText(parameters);
  return text === undefined ? undefined : [{ name, arguments: text }];
}

/** Removes the line breaks around a value. */
const bare = (value: string): string => value.replace(/^\n|\n$/gu, "");
