import { isRecord, wordOf } from "#core";
import type { Dialect } from "#core";

import type { Codec, Request } from "../codec.ts";
import { createOutlook } from "../spans.ts";
import { answerTurn, speakerOf } from "./repair/answer.ts";
import { answeredIds, settleClientTools } from "./client-tools.ts";
import type { Context } from "./repair/context.ts";
import { findCopies } from "./repair/copies.ts";
import { isCall } from "./repair/item.ts";
import { closeGaps, placeMedia, withNeededTurn, withoutCopies } from "./repair/order.ts";
import { innerPath } from "./repair/context.ts";
import { responsesProfile, responsesProviders } from "./profile.ts";
import type { ResponsesProfile } from "./profile.ts";
import { readResponses, settleIds } from "./repair/read.ts";
import { settleReasoning } from "./repair/reasoning.ts";
import { contentOfOutput } from "./repair/results.ts";
import { responsesSigns } from "./signs.ts";
import { refersToCall } from "./repair/stored-outputs.ts";
import { isEmptyText, surveyResponses } from "./repair/survey.ts";
import { callsOfOutputs, writeResponses } from "./repair/write.ts";

/** OpenAI's Responses format. */
export const openaiResponses: Codec<ResponsesProfile> = {
  format: "openai-responses",
  listKey: "input",
  fromText: (text) => ({ type: "message", role: "user", content: text }),
  wrapped: { rule: "unknown-block", texts: true },
  providers: responsesProviders,
  signs: responsesSigns,
  profile: responsesProfile,
  survey: surveyResponses,
  eachCallId(item, visit) {
    if (!isCall(item)) return;
    visit(item["call_id"]);
    visit(item["id"]);
  },
  eachLink(item, visit) {
    const { type, id, call_id: callId, approval_request_id: asked } = item;
    if (type === "mcp_approval_request") visit(id, "opens");
    else if (asked !== undefined) visit(asked, "closes");
    if (typeof type !== "string" || isCall(item)) return;
    if (!type.endsWith("_output")) visit(callId, "opens");
    else for (const answered of answeredIds(item)) visit(answered, "closes");
  },
  startsWithThinking: ({ type, id }) =>
    type === "reasoning" || (type === "item_reference" && wordOf(id).startsWith("rs_")),
  open(request, profile, policy, journal) {
    const { list } = request;
    let copies: ReturnType<Context["copies"]> | undefined;
    const context: Context = {
      profile,
      policy,
      journal,
      outlook: createOutlook(list, speakerOf),
      doomed: new Map(),
      media: new Map(),
      copies: () => (copies ??= findCopies(list)),
      isStored: () => profile.continues || refersToCall(list),
    };
    let callOf: ReturnType<typeof callsOfOutputs> = new Map();
    const dialect: Dialect = {
      profile,
      mergesTurns: true,
      splitsUserTurns: true,
      resultsAnywhere: !profile.outputsAdjacent,
      fields: { callId: ".call_id", resultId: ".call_id", name: ".name", arguments: ".arguments" },
      toolNames: toolNames(request),
      emptyArguments: "{}",
      contentOf: contentOfOutput,
      mayRestore: () => true,
      isFreeText: ({ wire }) => isRecord(wire) && wire["type"] === "custom_tool_call",
      from: ({ source }) => (source === undefined ? undefined : `input[${source.index}]${innerPath(source)}`),
      to: (entry, call) => `input[${call?.slot ?? entry.at}]`,
    };
    return {
      dialect,
      read(start, end) {
        if (isEmptyText(request)) {
          journal.report({ rule: "no-messages", from: "input", message: "There is no message." });
          return [];
        }
        return readResponses(list, start, end, context);
      },
      prepare: (entries) => settleIds(entries, list, context),
      speakerOf,
      answer: (turn, written) => answerTurn(turn, list, written, context),
      settle(entries) {
        const placed = closeGaps(placeMedia(withoutCopies(entries), context), context);
        const settled = withNeededTurn(settleReasoning(settleClientTools(placed, context), context), context);
        callOf = callsOfOutputs(settled);
        return settled;
      },
      write: (entries, written) => writeResponses(entries, written, callOf),
      mendBody: () => undefined,
    };
  },
};

function toolNames({ body }: Request): string[] {
  const tools = body?.["tools"];
  if (!Array.isArray(tools)) return [];
  return tools.flatMap((tool: unknown) => {
    const isOwn = isRecord(tool) && (tool["type"] === "function" || tool["type"] === "custom");
    return isOwn && typeof tool["name"] === "string" ? [tool["name"]] : [];
  });
}
