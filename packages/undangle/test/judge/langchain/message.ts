import { isRecord, listOf, recordOf, type Loose } from "../../../src/testing/judge/loose.ts";

/** The fields of a serialised message: under `data`, under `kwargs`, or at the top. */
export function fieldsOf(message: unknown): Loose {
  const wire = recordOf(message);
  if (Array.isArray(wire["id"]) && isRecord(wire["kwargs"])) return wire["kwargs"];
  return isRecord(wire["data"]) && !("content" in wire) ? wire["data"] : wire;
}

/** Who speaks in a serialised message. */
export function kindOf(message: unknown): "human" | "ai" | "tool" | "other" {
  const wire = recordOf(message);
  const name =
    Array.isArray(wire["id"]) && isRecord(wire["kwargs"]) ? listOf(wire["id"]).at(-1) : (wire["type"] ?? wire["role"]);
  if (typeof name !== "string") return "other";
  if (/^(?:human|user|HumanMessage)/u.test(name)) return "human";
  if (/^(?:ai|assistant|AIMessage)/u.test(name)) return "ai";
  return /^(?:tool|ToolMessage)/u.test(name) ? "tool" : "other";
}

/** The calls in the content of an AI message, with their ids. */
export function callBlocks(content: unknown): Loose[] {
  return listOf(content).flatMap((block) => {
    const { type, id, call_id: callId } = recordOf(block);
    if (type === "tool_use" || type === "tool_call") return [{ id }];
    return type === "function_call" ? [{ id: callId }] : [];
  });
}
