import { isRecord, isText, listOf, readInput, recordOf, type Loose } from "../../../src/testing/judge/loose.ts";
import { judgeChatPairing } from "../../../src/testing/judge/openai-chat/pairing.ts";
import type { Verdict } from "../../../src/testing/judge/verdict.ts";
import { callBlocks, fieldsOf, kindOf } from "./message.ts";

/**
 * The rules about pairs that every provider behind LangChain has, on the serialised messages. LangChain has none of its
 * own: it sends what it is given, and leaves out calls that it could not parse.
 */
export function judgeLangchain(input: unknown): Verdict[] {
  const { messages } = readInput(input);
  if (messages.length === 0) return [{ id: "OAC-EMPTY", path: "messages", text: "There are no messages." }];
  const verdicts = messages.flatMap((message, index) => judgeMessage(recordOf(message), `messages[${index}]`));
  return [...verdicts, ...judgeChatPairing(messages.map(asChat))];
}

function judgeMessage(message: Loose, path: string): Verdict[] {
  const kind = kindOf(message);
  const fields = fieldsOf(message);
  if (kind === "tool" && !isText(fields["tool_call_id"])) {
    return [{ id: "OAC-RESULT-ID-MISSING", path: `${path}.tool_call_id`, text: "The result has no tool_call_id." }];
  }
  if (kind !== "ai") return [];
  const invalid = listOf(fields["invalid_tool_calls"]).map((_, index): Verdict => {
    return { id: "OAC-ARGS-TYPE", path: `${path}.invalid_tool_calls[${index}]`, text: "The call cannot be sent." };
  });
  const seen = new Set<unknown>();
  const listed = listOf(fields["tool_calls"]).flatMap((call, index) => {
    const id = recordOf(call)["id"];
    const repeated = isText(id) && seen.has(id);
    seen.add(id);
    return judgeCall(call, `${path}.tool_calls[${index}]`, repeated);
  });
  return [...invalid, ...listed];
}

function judgeCall(call: unknown, path: string, repeated: boolean): Verdict[] {
  if (!isRecord(call)) return [{ id: "OAC-CALL-TYPE", path, text: "The call is no object." }];
  const { id } = call;
  const chat = recordOf(call["function"]);
  const name = call["name"] ?? chat["name"];
  const args = call["args"] ?? (typeof chat["arguments"] === "string" ? parsed(chat["arguments"]) : undefined);
  return [
    ...(isText(id) ? [] : [{ id: "OAC-ID-MISSING", path: `${path}.id`, text: "The call has no id." }]),
    ...(repeated ? [{ id: "OAC-DUP-CALL-ID", path: `${path}.id`, text: "Two calls have one id." }] : []),
    ...(isText(name) ? [] : [{ id: "OAC-NAME-MISSING", path: `${path}.name`, text: "The call has no name." }]),
    ...(isRecord(args) ? [] : [{ id: "OAC-ARGS-TYPE", path: `${path}.args`, text: "The arguments are no object." }]),
  ];
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** The message as pairing sees it: who speaks, which ids it calls, which id it answers. */
function asChat(message: unknown): Loose {
  const kind = kindOf(message);
  const fields = fieldsOf(message);
  if (kind === "tool") return { role: "tool", tool_call_id: fields["tool_call_id"] };
  if (kind !== "ai") return { role: kind === "human" ? "user" : "system" };
  const listed = [...listOf(fields["tool_calls"]), ...listOf(fields["invalid_tool_calls"])];
  const others = [...callBlocks(fields["content"]), ...rawCalls(fields)];
  const known = new Set(listed.map((call) => recordOf(call)["id"]));
  return { role: "assistant", tool_calls: [...listed, ...others.filter(({ id }) => !known.has(id))] };
}

/** Calls as the provider sent them count where there are no others. */
function rawCalls(fields: Loose): Loose[] {
  if (listOf(fields["tool_calls"]).length > 0) return [];
  return listOf(recordOf(fields["additional_kwargs"])["tool_calls"]).filter(isRecord);
}
