import { isRecord, wordOf } from "#core";
import type { Cause, JsonObject } from "#core";

import type { Range } from "../../codec.ts";
import { noteAnswer } from "../../note-answer.ts";
import type { Context } from "./context.ts";
import { answerInOrder, responsesIn } from "./healthy-unit.ts";
import { callKey, insideOf, isCall, responseKey } from "../part.ts";

/** Adds a turn and the results for its open calls to a list, as the rules would. */
export function answerTurn(
  { start, end }: Range,
  input: readonly unknown[],
  list: unknown[],
  { policy, journal, model, spelling }: Context,
): void {
  const asked = partsOf(input[start]);
  const calls: JsonObject[] = [];
  for (const part of asked) if (isCall(part)) calls.push(insideOf(part, callKey(part, "camel")));
  const given = start + 1 < end ? input[start + 1] : undefined;
  const responses = responsesIn(given, model) ?? [];
  const answered: number[] = []; // the calls that have responses, in order
  const byId = responses.some(({ id }) => id);
  answerInOrder({ calls, count: calls.length, responses, byId }, answered);
  const behind = responses.length > 0 ? start + 2 : start + 1;
  const cause: Cause = behind < end ? "superseded" : "interrupted";
  const base: JsonObject = responses.length > 0 && isRecord(given) ? given : { role: "user" };
  const at = list.length + 1;
  const written: unknown[] = [];
  list.push(input[start], { ...base, parts: written });
  const answer = responseKey(undefined, spelling());
  let index = 0; // the index of the call
  let next = 0; // the first response that is not written yet
  for (let place = 0; place < asked.length; place++) {
    const part = asked[place];
    if (!isCall(part)) continue;
    if (answered[next] === index++) {
      written.push(partsOf(given)[next++]);
      continue;
    }
    const key = callKey(part, "camel");
    const { id: asId, name, args } = insideOf(part, key);
    const id = typeof asId === "string" ? asId : "";
    const call = { id, name: wordOf(name), arguments: args ?? {}, cause, position: start, language: policy.language };
    const response = { error: policy.notice(call).text };
    const after = id === "" ? { name, response } : { id, name, response };
    const from = `contents[${start}].parts[${place}].${key}`;
    const to = `contents[${at}].parts[${written.length}].${answer}`;
    written.push(answer === "functionResponse" ? { functionResponse: after } : { [answer]: after });
    noteAnswer({ id, name: call.name, from, to, after }, journal);
  }
  for (let i = behind; i < end; i++) list.push(input[i]);
}

/** The parts of a content that the survey found valid. */
function partsOf(content: unknown): readonly unknown[] {
  const parts = isRecord(content) ? content["parts"] : undefined;
  return Array.isArray(parts) ? parts : [];
}
