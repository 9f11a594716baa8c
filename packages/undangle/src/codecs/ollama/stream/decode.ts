import { isRecord, jsonText, textOf } from "#core";
import type { Assembly } from "#core";

import type { StreamDecoder } from "../../stream/decoder.ts";
import { loseEntry, loseUnreadable } from "../../stream/events/unreadable-event.ts";

/** Decodes Ollama's /api/chat: lines of JSON with complete calls, rarely with ids, and `done: true` at the end. */
export function decodeOllama(assembly: Assembly): StreamDecoder {
  const choice = assembly.choice(0);
  return {
    frame(line) {
      const { message, done } = line;
      if (assembly.salt === "") assembly.salt = textOf(line["created_at"]) ?? "";
      if (isRecord(message)) {
        const { content, thinking } = message;
        if (typeof thinking === "string") assembly.reasoning(choice, thinking);
        if (typeof content === "string") assembly.text(choice, content);
        const calls = message["tool_calls"];
        if (Array.isArray(calls)) for (const call of calls) readCall(call, assembly);
        else if (isRecord(calls)) readCall(calls, assembly);
        else loseUnreadable(calls, assembly);
      } else if (typeof line["response"] === "string") assembly.text(choice, line["response"]);
      else if (done === undefined) assembly.note("frame-unknown", choice);
      if (done !== true) return;
      const { done: _done, message: _message, ...counts } = line;
      assembly.usage = counts;
      const stop = choice.slots.length > 0 ? "tool_calls" : "stop"; // one word has both meanings
      assembly.finish(choice, line["done_reason"] === "length" ? "length" : stop);
    },
  };
}

/** Every call is complete and separate. */
function readCall(wire: unknown, assembly: Assembly): void {
  loseEntry(wire, assembly);
  if (!isRecord(wire)) return;
  loseUnreadable(wire["function"], assembly);
  const called = isRecord(wire["function"]) ? wire["function"] : wire;
  const slot = assembly.open(assembly.choice(0));
  assembly.identify(slot, wire["id"]);
  assembly.name(slot, called["name"]);
  const args = called["arguments"];
  if (isRecord(args)) slot.value = { ...args };
  else if (args !== undefined && args !== null) {
    assembly.append(slot, typeof args === "string" ? args : jsonText(args));
  }
}
