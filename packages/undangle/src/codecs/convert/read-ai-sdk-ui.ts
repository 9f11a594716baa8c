import type { JsonObject } from "#core";

import type { AssistantPart, Message, Result } from "./conversation.ts";
import type { Losses } from "./losses.ts";
import { readCall, readPart, readValue, readReasoning, readServerCall, rejected } from "./ai-sdk-parts.ts";
import { listOf, recordOf, stringOf, textPart, wordsOf } from "./wire.ts";

/** The messages of a UIMessage. An assistant UIMessage contains all its steps, each with calls and results. */
export function readUiMessage(wire: JsonObject, path: string, losses: Losses): readonly Message[] {
  losses.others(wire, ["id", "role", "parts", "metadata", "createdAt", "content"], path);
  const pieces = listOf(wire["parts"]).map((part, i) => ({ wire: recordOf(part), path: `${path}.parts[${i}]` }));
  if (wire["role"] !== "assistant") {
    const parts = pieces.filter((piece) => !isForScreen(piece.wire)).map((piece) => readPart(piece, losses));
    if (wire["role"] !== "system") return [{ role: "user", path, parts, name: undefined }];
    const texts = parts.filter((part) => part.type === "text");
    return [{ role: "system", path, parts: texts, isDeveloper: false }];
  }
  const messages: Message[] = [];
  let parts: AssistantPart[] = [];
  let results: Result[] = [];
  const close = (): void => {
    if (parts.length > 0) messages.push({ role: "assistant", path, parts });
    if (results.length > 0) messages.push({ role: "tool", path, results });
    parts = [];
    results = [];
  };
  for (const piece of pieces) {
    const type = stringOf(piece.wire["type"]) ?? "";
    if (type === "step-start") close();
    if (isForScreen(piece.wire)) continue;
    if (type === "reasoning") parts.push(readReasoning(piece.wire, piece.path, losses));
    else if (type !== "dynamic-tool" && !type.startsWith("tool-")) parts.push(readPart(piece, losses));
    else if (piece.wire["providerExecuted"] === true) {
      parts.push(readServerCall(piece.wire, piece.path, losses));
      const output = piece.wire["output"] ?? piece.wire["errorText"];
      if (output !== undefined) parts.push(textPart(`[output: ${wordsOf(output)}]`, piece.path));
    } else {
      const call = readCall(piece.wire, piece.path, losses);
      parts.push(call);
      const result = readState(piece.wire, call);
      if (result !== undefined) results.push(result);
    }
  }
  close();
  return messages;
}

/** True for parts that only the UI shows, and that are never sent to a model. */
function isForScreen({ type }: JsonObject): boolean {
  return (
    type === "step-start" || (typeof type === "string" && (type.startsWith("data-") || type.startsWith("source-")))
  );
}

/** The result of a call, from the state of its part. Undefined if there is none yet. */
function readState(
  wire: JsonObject,
  { path, id, name }: AssistantPart & { readonly type: "call" },
): Result | undefined {
  const head = { path, id, name };
  switch (wire["state"]) {
    case "output-available":
    case "result": {
      const key = wire["output"] === undefined ? "result" : "output";
      return { ...head, parts: readValue(wire[key], `${path}.${key}`), isError: false };
    }
    case "output-error":
      return { ...head, parts: [textPart(wordsOf(wire["errorText"] ?? ""), `${path}.errorText`)], isError: true };
    case "output-denied":
      return rejected({ toolCallId: id, toolName: name, reason: recordOf(wire["approval"])["reason"] }, path);
    case "approval-responded": {
      const { approved, reason } = recordOf(wire["approval"]);
      return approved === false ? rejected({ toolCallId: id, toolName: name, reason }, path) : undefined;
    }
    default:
      return undefined;
  }
}
