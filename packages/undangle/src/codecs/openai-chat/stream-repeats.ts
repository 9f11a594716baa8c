import { isRecord, textOf } from "#core";
import type { Assembly, Choice } from "#core";

import type { Repeatable } from "../stream/decoder.ts";
import { reasonIn } from "../stream/finish-reason.ts";

type Wire = Readonly<Record<string, unknown>>;

/** A choice whose delta says one piece of text, of a call that goes on, and nothing else. */
export function repeatableIn(wire: Wire, choice: Choice, assembly: Assembly): Repeatable | undefined {
  const { delta } = wire;
  if (!isRecord(delta) || choice.finishes.length > 0 || reasonIn(wire["finish_reason"]) !== undefined) return undefined;
  let said: string | undefined;
  for (const key in delta) {
    const value = delta[key];
    if (key === "role" || value === null || value === "") continue;
    if (said !== undefined) return undefined;
    said = key;
  }
  if (said === "tool_calls") return repeatableCall(delta[said], choice, assembly);
  const text = said === undefined ? undefined : delta[said];
  if (said === undefined || typeof text !== "string") return undefined;
  if (said === "content") return { key: said, text, again: (more) => assembly.text(choice, more) };
  if (said === "reasoning_content" || said === "reasoning")
    return { key: said, text, again: (more) => assembly.reasoning(choice, more) };
  return undefined;
}

/** More arguments of the last call, under its index. */
function repeatableCall(calls: unknown, { slots }: Choice, assembly: Assembly): Repeatable | undefined {
  const call: unknown = Array.isArray(calls) && calls.length === 1 ? calls[0] : undefined;
  const called = isRecord(call) ? call["function"] : undefined;
  const slot = slots.at(-1);
  if (!isRecord(call) || !isRecord(called) || slot === undefined) return undefined;
  const { index, id, type, extra_content: extra } = call;
  const { name, arguments: text } = called;
  if (typeof index !== "number" || index !== slot.label || typeof text !== "string") return undefined;
  if (textOf(id) !== undefined || textOf(name) !== undefined || type === "custom" || isRecord(extra)) return undefined;
  return { key: "arguments", text, again: (more) => assembly.append(slot, more) };
}
