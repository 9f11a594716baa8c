import { isRecord } from "#core";
import type { AssembledCall, AssembledTurn, JsonObject } from "#core";

import { argumentsText, isId } from "../../stream/response-writer.ts";
import type { RequestFacts, BodyWriter, ClientTurn } from "../../stream/response-writer.ts";
import { completedBody } from "./add-missing-fields.ts";
import { isCallItem, isCallType } from "../stream/frames.ts";

/** Writes responses as one body. */
export const responseBody: Pick<BodyWriter, "isTextVisible" | "clientTurns" | "write"> = {
  isTextVisible: isEmitted,
  clientTurns: read,
  write,
};

/** False if fields that clients require are missing. */
function isEmitted(body: JsonObject, facts?: RequestFacts): boolean {
  return completedBody(body, facts) === body;
}

/** Reads a body as a client. Undefined if the client would fail. */
function read(body: JsonObject, facts?: RequestFacts): readonly ClientTurn[] | undefined {
  const { output, status } = body;
  if (!isEmitted(body, facts) || !Array.isArray(output) || !output.every(isRecord)) return undefined;
  const calls: { id: string; name: string; arguments: string }[] = [];
  for (const item of output) {
    if (typeof item["type"] !== "string") return undefined;
    if (item["type"] === "message" && !Array.isArray(item["content"])) return undefined;
    if (!isCallType(item["type"])) continue;
    const call = plainCall(item);
    if (call === undefined || calls.some(({ id }) => id === call.id)) return undefined;
    calls.push(call);
  }
  return [{ calls, isEnded: (status ?? "completed") === "completed" }];
}

/** A call as clients read it. The input of a custom tool is plain text. */
export function plainCall(item: JsonObject): ClientTurn["calls"][number] | undefined {
  const { type, call_id: id, name, arguments: args, input } = item;
  if (!isId(id) || typeof name !== "string" || name.trim() === "") return undefined;
  const text = type === "custom_tool_call" && typeof input === "string" ? JSON.stringify({ input }) : args;
  return typeof text === "string" ? { id, name, arguments: text } : undefined;
}

/** Calls keep their positions; entries that are not calls are removed. */
function write([turn]: readonly AssembledTurn[], body: JsonObject, facts?: RequestFacts): JsonObject {
  const left = [...(turn?.calls ?? [])];
  const given = Array.isArray(body["output"]) ? body["output"].filter(isRecord) : [];
  const output = given.flatMap((item) => {
    if (!isCallItem(item)) return [item];
    const call = left.shift();
    return call === undefined ? [] : [writeCall(call, item)];
  });
  const status = turn?.complete === false && typeof body["status"] === "string" ? body["status"] : "completed";
  return completedBody({ ...body, status, output: [...output, ...left.map((call) => writeCall(call, {}))] }, facts);
}

function writeCall(call: AssembledCall, { id, ...item }: JsonObject): JsonObject {
  const { id: call_id, name, extras } = call;
  const isCustom = extras?.["type"] === "custom";
  const [type, prefix] = isCustom ? ["custom_tool_call", "ctc"] : ["function_call", "fc"];
  const { arguments: _arguments, input: _input, ...rest } = item;
  const input = isCustom ? { input: call.raw } : { arguments: argumentsText(call) };
  const own = typeof id === "string" && id.trim() !== "" ? id : `${prefix}_${call_id}`;
  return { ...rest, type, id: own, call_id, name, ...input, status: "completed" };
}
