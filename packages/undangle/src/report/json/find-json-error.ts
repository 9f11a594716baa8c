import { skipBlanks } from "./scan-json.ts";

export type JsonFault =
  | "empty"
  | "cut-off"
  | "extra"
  | "trailing-comma"
  | "single-quotes"
  | "comment"
  | "python-word"
  | "no-number"
  | "shortened"
  | "control-character"
  | "bad-escape"
  | "bad-number"
  | "value"
  | "key"
  | "colon"
  | "comma";

/** The first offset at which a text is not JSON, and the fault; undefined for valid JSON. One pass, no recursion. */
export function findJsonError(text: string): { readonly offset: number; readonly fault: JsonFault } | undefined {
  const closers: string[] = [];
  let want: "value" | "key" | "colon" | "next" = "value";
  let justOpened = false;
  for (let at = skipBlanks(text, 0); ; at = skipBlanks(text, at)) {
    const character = text.charAt(at);
    const closer = closers.at(-1);
    if (character === "" && (want !== "next" || closer !== undefined)) {
      const end = text.trimEnd().length;
      return { offset: end, fault: end === 0 ? "empty" : "cut-off" };
    }
    if (want === "next") {
      if (character === "") return undefined;
      if (closer === undefined) return { offset: at, fault: isComment(text, at) ? "comment" : "extra" };
      if (character === closer) closers.pop();
      else if (character !== ",") return { offset: at, fault: isComment(text, at) ? "comment" : "comma" };
      else want = closer === "}" ? "key" : "value";
      at++;
      justOpened = false;
    } else if (want === "colon") {
      if (character !== ":") return { offset: at, fault: "colon" };
      want = "value";
      at++;
    } else if (character === closer && justOpened) {
      closers.pop();
      want = "next";
      at++;
    } else if (want === "key" || character === '"') {
      if (character !== '"') return { offset: at, fault: faultAt(text, at, want) };
      const end = scanString(text, at);
      if (typeof end === "object") return end;
      at = end;
      want = want === "key" ? "colon" : "next";
      justOpened = false;
    } else if (character === "{" || character === "[") {
      closers.push(character === "{" ? "}" : "]");
      want = character === "{" ? "key" : "value";
      justOpened = true;
      at++;
    } else {
      const word = /[-+.\w]+/y;
      word.lastIndex = at;
      const found = word.exec(text)?.[0] ?? "";
      if (!/^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?)$/.test(found)) {
        const cut = at + found.length >= text.length && isCutWord(found);
        return cut ? { offset: text.length, fault: "cut-off" } : { offset: at, fault: faultAt(text, at, want) };
      }
      at += found.length;
      want = "next";
      justOpened = false;
    }
  }
}

function scanString(text: string, start: number): number | { readonly offset: number; readonly fault: JsonFault } {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x22) return at + 1;
    if (code < 0x20) return { offset: at, fault: "control-character" };
    if (code !== 0x5c) continue;
    const escape = text.slice(at + 1, at + 6);
    if (!/^(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/.test(escape)) {
      const cut = at + 1 + escape.length >= text.length && /^(?:u[0-9a-fA-F]*)?$/.test(escape);
      return cut ? { offset: text.length, fault: "cut-off" } : { offset: at, fault: "bad-escape" };
    }
    at++;
  }
  return { offset: text.length, fault: "cut-off" };
}

function faultAt(text: string, at: number, want: "value" | "key"): JsonFault {
  const rest = text.slice(at, at + 12);
  if (/^[}\]]/.test(rest)) return text.slice(0, at).trimEnd().endsWith(",") ? "trailing-comma" : want;
  if (rest.startsWith("'")) return "single-quotes";
  if (isComment(text, at)) return "comment";
  if (isShortened(text, at)) return "shortened";
  if (/^(?:None|True|False)\b/.test(rest)) return "python-word";
  if (/^-?(?:NaN|Infinity|undefined)\b/.test(rest)) return "no-number";
  return /^[-+.\d]/.test(rest) && want === "value" ? "bad-number" : want;
}

const isComment = (text: string, at: number): boolean => /^(?:\/[/*]|#)/.test(text.slice(at, at + 2));

/** True for what consoles print in place of a value: `[Array]`, `... 3 more items`, `<Message object at 0x7f>`. */
const isShortened = (text: string, at: number): boolean =>
  /^(?:\.{3}|…|<[A-Za-z])/.test(text.slice(at, at + 3)) ||
  (text.charAt(at - 1) === "[" && /^(?:Array|Object|Circular|Function|Getter)\b/.test(text.slice(at, at + 9)));

const isCutWord = (word: string): boolean =>
  ["true", "false", "null"].some((whole) => word !== "" && whole.startsWith(word)) ||
  /^-?(?:(?:0|[1-9]\d*)(?:\.|(?:\.\d+)?[eE][-+]?)?)?$/.test(word);
