import { isRecord, listOf, recordOf, type Loose } from "../../../src/testing/judge/loose.ts";
import type { Spot, Subject } from "../subject.ts";
import { generateGemini } from "./generate.ts";
import { judgeGemini } from "../../../src/testing/judge/gemini/judge.ts";

export const geminiSubject: Subject = {
  listKey: "contents",
  judge: judgeGemini,
  generate: generateGemini,
  textsOf: (contents) =>
    contents
      .map(recordOf)
      .flatMap(({ role, parts }) =>
        role === "system" ? [] : typeof parts === "string" ? [parts] : textsOfParts(parts),
      ),
  anatomy: {
    partKeys: ["parts"],
    contentKey: "parts",
    ids: (content) => insides(content, [...calls, ...responses]).map((holder) => ({ holder, key: "id" })),
    arguments: (content) => insides(content, calls).map((holder): Spot => ({ holder, key: "args" })),
  },
  userMessage: { role: "user", parts: [{ text: "go on" }] },
  isOpenEnded: (contents) => contents.length === 1 && recordOf(contents[0])["role"] === undefined,
};

const calls = ["functionCall", "function_call"] as const;
const responses = ["functionResponse", "function_response"] as const;

/** The calls or responses in the parts of a content. */
function insides({ parts }: Loose, keys: readonly string[]): Loose[] {
  return listOf(parts)
    .filter(isRecord)
    .flatMap((part) => keys.map((key) => part[key]).filter(isRecord));
}

function textsOfParts(parts: unknown): string[] {
  return listOf(parts).flatMap((part) => {
    if (typeof part === "string") return [part];
    const { text, thought } = recordOf(part);
    const said = typeof text === "string" && text !== "" && thought !== true ? [text] : [];
    const given = responses.map((key) => recordOf(recordOf(part)[key])["response"]).flatMap(stringsIn);
    return [...said, ...given];
  });
}

function stringsIn(value: unknown): string[] {
  if (typeof value === "string") return value === "" ? [] : [value];
  if (Array.isArray(value)) return listOf(value).flatMap(stringsIn);
  return isRecord(value) ? Object.values(value).flatMap(stringsIn) : [];
}
