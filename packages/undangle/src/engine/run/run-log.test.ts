import { describe, expect, test } from "vitest";

import type { AgentEvent } from "../events.ts";
import { createRunLog } from "./run-log.ts";
import type { LogReader } from "./run-log.ts";

const delta = (text: string, id: string): AgentEvent => ({ id, type: "text_delta", data: { text } });
const argument = (call: string, text: string): AgentEvent => ({
  id: "1:1",
  type: "tool_call_delta",
  data: { id: call, text },
});
const start: AgentEvent = { id: "1", type: "model_start", data: { step: 1, model: "any" } };

function rest(reader: LogReader): readonly AgentEvent[] {
  const events: AgentEvent[] = [];
  for (let event = reader.next(); event !== undefined; event = reader.next()) events.push(event);
  return events;
}

const textOf = (events: readonly AgentEvent[]): string =>
  events.map(({ data }) => ("text" in data ? data.text : "")).join("");

describe("the log of a run", () => {
  test("keeps few events of a long text, and all of the text", () => {
    const log = createRunLog();
    let text = "";
    for (let i = 0; i < 200_000; i++) {
      text += `${i} `;
      log.push(delta(`${i} `, `2:${text.length}`));
    }
    expect(log.size()).toBeLessThan(2000);
    const events = rest(log.read(0));
    expect(textOf(events)).toBe(text);
    expect(events.at(-1)?.id).toBe(`2:${text.length}`);
  });

  test("keeps few events of many short texts", () => {
    const log = createRunLog();
    for (let i = 0; i < 1000; i++) {
      log.push(start);
      for (let piece = 0; piece < 20; piece++) log.push(delta("word ", "1:1"));
    }
    expect(log.size()).toBeLessThan(3000);
    expect(textOf(rest(log.read(0)))).toBe("word ".repeat(20_000));
  });

  test("joins pieces of one text only", () => {
    const log = createRunLog();
    for (let i = 0; i < 300; i++) log.push(argument("a", "1"));
    for (let i = 0; i < 300; i++) log.push(argument("b", "2"));
    const events = rest(log.read(0));
    const byCall = Object.groupBy(events, ({ data }) => ("id" in data ? data.id : ""));
    expect(textOf(byCall["a"] ?? [])).toBe("1".repeat(300));
    expect(textOf(byCall["b"] ?? [])).toBe("2".repeat(300));
  });

  test("lets every reader hear each word once, fast and slow ones", () => {
    const log = createRunLog();
    const readers = [1, 3, 700].map((pace) => ({ pace, reader: log.read(0), heard: [] as AgentEvent[] }));
    for (let i = 0; i < 5000; i++) {
      log.push(i % 900 === 0 ? start : delta(`${i} `, `${i}:1`));
      for (const { pace, reader, heard } of readers) if (i % pace === 0) heard.push(...rest(reader));
    }
    for (const { reader, heard } of readers) heard.push(...rest(reader));
    const all = textOf(rest(log.read(0)));
    for (const { heard } of readers) expect(textOf(heard)).toBe(all);
    expect(readers[0]?.heard).toHaveLength(5000); // it was reading when each delta arrived
  });

  test("keeps pieces apart as long as somebody has not read them", () => {
    const log = createRunLog();
    const reader = log.read(0);
    for (let i = 0; i < 5000; i++) log.push(delta("a", `1:${i + 1}`));
    expect(log.size()).toBe(5000);
    expect(rest(reader)).toHaveLength(5000);
    reader.leave();
    expect(log.size()).toBe(1);
  });

  test("a mark stays where it was put", () => {
    const log = createRunLog();
    for (let i = 0; i < 1000; i++) log.push(delta("before ", "1:1"));
    const mark = log.mark();
    for (let i = 0; i < 1000; i++) log.push(delta("after ", "1:1"));
    expect(textOf(rest(log.read(mark)))).toBe("after ".repeat(1000));
    expect(textOf(rest(log.read(0)))).toBe("before ".repeat(1000) + "after ".repeat(1000));
  });
});
