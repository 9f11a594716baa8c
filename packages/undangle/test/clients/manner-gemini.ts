import { isRecord, listOf, recordOf } from "../../src/testing/judge/loose.ts";
import type { Loose } from "../../src/testing/judge/loose.ts";
import { textOf } from "./manner.ts";
import type { Manner } from "./manner.ts";
import { toolNames } from "./program.ts";

/** Gemini's contents. */
export const geminiManner: Manner = {
  format: "gemini",
  listKey: "contents",
  path: "/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse",
  request: (contents) => ({
    contents,
    tools: [{ functionDeclarations: toolNames.map((name) => ({ name })) }],
  }),
  user: (text) => ({ role: "user", parts: [{ text }] }),
  results: (results) => [
    {
      role: "user",
      parts: results.map(({ call: { id, name }, text }) => ({
        functionResponse: { ...(id !== undefined && { id }), name, response: { output: text } },
      })),
    },
  ],
  listen(onText) {
    const parts: Loose[] = [];
    return {
      take(event) {
        if (event["error"] !== undefined) throw new Error(JSON.stringify(event["error"]));
        const candidate = recordOf(listOf(event["candidates"])[0]);
        const reason = textOf(candidate["finishReason"]);
        if (reason.includes("MALFORMED")) throw new Error(reason);
        for (const part of listOf(recordOf(candidate["content"])["parts"]).map(recordOf)) {
          if (typeof part["text"] === "string") onText(part["text"]);
          if (part["thought"] !== true && part["text"] !== "") parts.push(part);
        }
      },
      heard: () => ({
        text: parts.map(({ text }) => textOf(text)).join(""),
        calls: parts
          .map((part) => part["functionCall"])
          .filter(isRecord)
          .map(({ id, name, args }) => ({
            id: typeof id === "string" ? id : undefined,
            name: textOf(name),
            arguments: args,
          })),
      }),
      messages: () => (parts.length === 0 ? [] : [{ role: "model", parts }]),
    };
  },
};
