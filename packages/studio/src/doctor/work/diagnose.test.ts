import { chineseWords } from "undangle/report";
import { expect, test } from "vitest";

import { samples } from "../samples.ts";
import type { SampleName } from "../samples.ts";
import { diagnose } from "./diagnose.ts";

/** The sentences about the problems of a history in Chinese, with their titles. */
function chineseProblems(value: unknown): unknown {
  const made = diagnose({ type: "history", path: "", value }, {}, chineseWords);
  return "report" in made && made.report.problems.map(({ title, message }) => [title, message]);
}

test.each([
  ["cancelled", "search_flights（call_Fq81）"],
  ["interrupted", "run_sql（toolu_01K3）"],
  ["responses", "run（call_k2）"],
  ["gemini", "get_price"],
  ["aiSdk", "read_image（call_ocr）"],
  ["langchain", "book_table（call_t1）"],
] as const)("in Chinese, the problem of %s names the tool and does not repeat its title", (name, message) => {
  const { text }: { readonly text: string } = samples[name satisfies SampleName];
  expect(chineseProblems(JSON.parse(text))).toEqual([["工具调用没有结果", message]]);
});

test("the tool is named where a part of the call is wrong, and authors of messages are no tools", () => {
  const args = { id: "call_1", type: "function", function: { name: "pay", arguments: {} } };
  const messages = [
    { role: "user", name: "Ann", content: "Pay." },
    { role: "assistant", name: "bot", tool_calls: [args] },
    { role: "tool", tool_call_id: "call_1", content: "Paid." },
    { role: "tool", tool_call_id: "call_2", content: "Paid." },
  ];
  expect(chineseProblems(messages)).toEqual([
    ["参数的类型错误", "pay"],
    ["结果没有对应的调用", "call_2"],
  ]);
});
