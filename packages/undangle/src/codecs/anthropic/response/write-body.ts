import { isRecord } from "#core";
import type { AssembledCall, JsonObject } from "#core";

import type { BodyWriter, ClientTurn } from "../../stream/response-writer.ts";
import { isStopFor } from "./strict-client.ts";

/** Writes messages of Anthropic as one body. */
export const anthropicBody: Pick<BodyWriter, "isTextVisible" | "clientTurns" | "write"> = {
  isTextVisible: isMessage,
  clientTurns(body) {
    const { content, stop_reason: reason } = body;
    if (!isMessage(body) || !Array.isArray(content) || !content.every(isSoundBlock)) return undefined;
    const calls = content.filter(isCall).map(plainCall);
    if (new Set(calls.map(({ id }) => id)).size < calls.length) return undefined;
    return [{ calls, isEnded: typeof reason === "string" && isStopFor(reason, calls.length) }];
  },
  write([turn], body) {
    const calls = turn?.calls ?? [];
    const blocks = blocksIn(body["content"]).filter(saysSomething);
    const called = calls.length > 0 && { stop_reason: "tool_use" };
    return { ...body, type: "message", role: "assistant", content: withCalls(blocks, calls), ...called };
  },
};

/** The blocks of a response, with types inferred from their keys if a server omits them. */
export function blocksIn(content: unknown): readonly JsonObject[] {
  if (!Array.isArray(content)) return [];
  return content.flatMap((block: unknown) => {
    if (typeof block === "string") return [{ type: "text", text: block }];
    return isRecord(block) ? [typed(block)] : [];
  });
}

function typed(block: JsonObject): JsonObject {
  const { type, text, thinking } = block;
  if (typeof type === "string" && type !== "") return block;
  if (typeof text === "string") return { ...block, type: "text" };
  return typeof thinking === "string" ? { ...block, type: "thinking" } : block;
}

/** True for a response with a type and a role. */
function isMessage({ type, role }: JsonObject): boolean {
  return type === "message" && role === "assistant";
}

/** False for blank text, which is also absent from the next request. */
const saysSomething = ({ type, text }: JsonObject): boolean => type !== "text" || (text !== null && text !== undefined);

function isSoundBlock(block: unknown): block is JsonObject {
  if (!isRecord(block) || typeof block["type"] !== "string") return false;
  const { type, id, name, input, text } = block;
  if (type === "text") return typeof text === "string";
  if (type !== "tool_use") return true;
  return typeof id === "string" && id !== "" && typeof name === "string" && name !== "" && isRecord(input);
}

const plainCall = ({ id, name, input }: JsonObject): ClientTurn["calls"][number] => ({
  id: String(id),
  name: String(name),
  arguments: JSON.stringify(input),
});

/** Calls without a type are identified by their name. */
const isCall = ({ type, name }: JsonObject): boolean => type === "tool_use" || (!type && Boolean(name));

/** The blocks with the calls in place. If blocks were removed, the calls are at the end. */
function withCalls(blocks: readonly JsonObject[], calls: readonly AssembledCall[]): readonly JsonObject[] {
  const places = blocks.filter(isCall);
  if (places.length !== calls.length)
    return [...blocks.filter((block) => !isCall(block)), ...calls.map((call) => callOf(call))];
  let next = 0;
  return blocks.map((block) => {
    const call = isCall(block) ? calls[next++] : undefined;
    return call === undefined ? block : callOf(call, block);
  });
}

/** Arguments that are not JSON stay unchanged. */
const callOf = ({ id, name, arguments: args, raw }: AssembledCall, block?: JsonObject): JsonObject => ({
  ...block,
  type: "tool_use",
  id,
  name,
  input: args ?? raw,
});
