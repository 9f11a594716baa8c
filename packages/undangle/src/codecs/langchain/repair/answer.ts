import { isRecord } from "#core";
import type { Cause } from "#core";

import type { Range } from "../../codec.ts";
import { noteAnswer } from "../../note-answer.ts";
import type { Context } from "./context.ts";
import { openEnvelope } from "../envelope.ts";
import type { Fields } from "../envelope.ts";
import { listIn } from "./places.ts";
import { noticeFields } from "./write.ts";

/** Adds a turn and the results for its open calls to a list, as the rules would. */
export function answerTurn({ start, end }: Range, list: unknown[], context: Context): void {
  const { list: input, policy, journal, mould, outlook } = context;
  const envelope = openEnvelope(input[start]);
  if (envelope === undefined) return; // the survey has found the turn there
  const results = new Map<unknown, unknown>();
  for (let i = start + 1; i < end; i++) results.set(openEnvelope(input[i])?.fields["tool_call_id"], input[i]);
  const cause: Cause = outlook(end) === "user" ? "superseded" : "interrupted";
  list.push(input[start]);
  listIn(envelope.fields, "tool_calls").forEach((each, place) => {
    const call = each as Fields & { readonly id: string; readonly name: string }; // checked by the survey
    const { id, name, args } = call;
    if (results.has(id)) {
      list.push(results.get(id));
      return;
    }
    const told = { id, name, arguments: args, cause, position: start, language: policy.language };
    const { wire, prefix } = mould.make(
      "tool",
      noticeFields({ id, name, text: policy.notice(told).text }, envelope, mould),
      envelope,
    );
    const from = `messages[${start}]${envelope.prefix}.tool_calls[${place}]`;
    const to = `messages[${list.length}]${prefix}`;
    list.push(wire);
    const after = prefix === "" ? wire : isRecord(wire) ? wire[prefix.slice(1)] : undefined;
    noteAnswer({ id, name, from, to, after }, journal);
  });
}
