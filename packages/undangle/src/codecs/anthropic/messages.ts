import { isRecord } from "#core";
import type { Source } from "#core";

import type { Context, Wire } from "./context.ts";

const aliases: Readonly<Record<string, "user" | "assistant">> = {
  human: "user",
  model: "assistant",
  ai: "assistant",
  bot: "assistant",
  tool: "user",
  function: "user",
  developer: "user",
};

/** The message with a role and a content that the API knows; undefined when nobody can tell what it is. */
export function mendMessage(source: Source, context: Context): Wire | undefined {
  const { wire } = source;
  const { journal } = context;
  if (!isRecord(wire)) {
    const got = wire === null ? "null" : Array.isArray(wire) ? "an array" : `a ${typeof wire}`;
    journal.note({ source, suffix: "" }, { rule: "unknown-role", message: `The message is ${got}, not an object.` });
    return undefined;
  }
  const named = mendRole(wire, source, context);
  return named === undefined ? undefined : mendContent(mendChatCalls(named, source, context), source, context);
}

function mendRole(wire: Wire, source: Source, { journal }: Context): Wire | undefined {
  const given = wire["role"];
  if (given === "user" || given === "assistant" || given === "system") return wire;
  const lower = typeof given === "string" ? given.trim().toLowerCase() : "";
  const role = ["user", "assistant", "system"].includes(lower)
    ? lower
    : Object.hasOwn(aliases, lower)
      ? aliases[lower]
      : undefined;
  const message = `${given === undefined ? "The message has no role" : `${JSON.stringify(given)} is not a role`} that the API knows.`;
  const at = { source, suffix: ".role" };
  if (role === undefined) {
    journal.note(at, { rule: "unknown-role", message });
    return undefined;
  }
  const id = wire["tool_call_id"];
  if (lower === "tool" && id !== undefined) {
    const { tool_call_id: _, name: __, ...rest } = wire;
    const after = { ...rest, role, content: [{ type: "tool_result", tool_use_id: id, content: wire["content"] }] };
    journal.note({ source, suffix: "" }, { rule: "unknown-role", message }, { type: "rewrite" });
    return after;
  }
  journal.note(at, { rule: "unknown-role", message }, { type: "rewrite" });
  return { ...wire, role };
}

/** Calls in the shape of the chat format become blocks. */
function mendChatCalls(message: Wire, source: Source, { journal }: Context): Wire {
  const calls = message["tool_calls"];
  if (message["role"] !== "assistant" || !Array.isArray(calls)) return message;
  const { tool_calls: _, ...rest } = message;
  const { content } = message;
  const said: readonly unknown[] = Array.isArray(content) ? content : content ? [{ type: "text", text: content }] : [];
  const blocks = calls.filter(isRecord).map((call) => {
    const called = isRecord(call["function"]) ? call["function"] : call;
    return { type: "tool_use", id: call["id"], name: called["name"], input: inputOf(called["arguments"]) };
  });
  const after = { ...rest, content: [...said, ...blocks] };
  const finding = {
    rule: "chat-shape" as const,
    message: "Calls stand in the content of a message, not in tool_calls.",
  };
  journal.note({ source, suffix: ".tool_calls" }, finding, { type: "rewrite", suffix: ".content" });
  return after;
}

/** Text that is an object is one here; whatever else it is, the rule for inputs sees to it. */
function inputOf(text: unknown): unknown {
  if (typeof text !== "string") return text ?? {};
  try {
    return JSON.parse(text);
  } catch {
    return text; // not JSON: it is wrapped where inputs are read
  }
}

function mendContent(message: Wire, source: Source, { journal }: Context): Wire {
  const { content } = message;
  if (typeof content === "string" || Array.isArray(content)) return message;
  if (content === undefined && message["role"] === "system" && isRecord(message["output_config"])) return message;
  const at = { source, suffix: ".content" };
  if (content === undefined || content === null) {
    const finding = { rule: "null-content" as const, message: "The message has no content." };
    journal.note(at, finding, { type: "rewrite" });
    return { ...message, content: [] };
  }
  const after = isRecord(content) ? [content] : JSON.stringify(content);
  const finding = { rule: "content-type" as const, message: "The content is neither text nor a list of blocks." };
  journal.note(at, finding, { type: "rewrite" });
  return { ...message, content: after };
}
