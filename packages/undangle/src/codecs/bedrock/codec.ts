import { isRecord, eachRecord } from "#core";
import type { Dialect } from "#core";

import type { Codec } from "../codec.ts";
import { roleOf } from "../spans.ts";
import { answerTurn } from "./repair/answer.ts";
import { createLoopGuard, mendBody, toolNames } from "./repair/body.ts";
import { kindOf } from "./repair/block.ts";
import { createContext } from "./repair/context.ts";
import { divideTurns } from "./repair/divide.ts";
import { originOf } from "./repair/origin.ts";
import { bedrockProfile } from "./profile.ts";
import { readBedrock } from "./repair/read.ts";
import { contentOfResult } from "./repair/result-content.ts";
import { bedrockSigns } from "./signs.ts";
import { surveyBedrock } from "./repair/survey.ts";
import {
  isSpoken,
  mendDocuments,
  moveTextUp,
  noteMerges,
  noteMoves,
  openWithUser,
  settleEmptied,
  withoutEmptied,
} from "./repair/turns.ts";
import { writeBedrock } from "./repair/write.ts";

/** Amazon Bedrock's Converse. */
export const bedrock: Codec = {
  format: "bedrock",
  listKey: "messages",
  modelKey: "modelId",
  wrapped: { rule: "unknown-role", texts: true, parts: "content" },
  providers: ["bedrock"],
  signs: bedrockSigns,
  profile: () => bedrockProfile,
  survey: surveyBedrock,
  eachCallId(message, visit) {
    eachRecord(message, "content", ({ toolUse: call }) => {
      if (isRecord(call)) visit(call["toolUseId"]);
    });
  },
  startsWithThinking: ({ content }) => Array.isArray(content) && kindOf(content[0]) === "reasoningContent",
  open(request, profile, policy, journal) {
    const context = createContext(request, policy, journal);
    const mayRestore = createLoopGuard(context);
    const dialect: Dialect = {
      profile,
      mergesTurns: true,
      isSpoken,
      fields: {
        callId: ".toolUse.toolUseId",
        resultId: ".toolResult.toolUseId",
        name: ".toolUse.name",
        arguments: ".toolUse.input",
      },
      toolNames: toolNames(request.body),
      emptyArguments: {},
      contentOf: contentOfResult,
      mayRestore,
      isFreeText: () => false,
      from(entry, call) {
        if (entry.source === undefined) return undefined;
        const place = call?.place ?? (entry.role === "result" ? entry.place : undefined);
        const { index, wire } = entry.source;
        return `messages[${index}]${place === undefined ? "" : originOf(wire, place)}`;
      },
      to(entry, call) {
        const slot = call?.slot ?? (entry.role === "result" ? entry.slot : undefined);
        return `messages[${entry.at}]${slot === undefined ? "" : `.content[${slot}]`}`;
      },
    };
    return {
      dialect,
      read: (start, end) => readBedrock(request.list, start, end, context),
      speakerOf: roleOf,
      answer: (turn, list) => answerTurn(turn, request.list, list, context),
      settle(entries) {
        const said = settleEmptied(moveTextUp(withoutEmptied(entries), context), context);
        const settled = openWithUser(divideTurns(said, context), context);
        mendDocuments(settled, context);
        noteMerges(settled, context);
        noteMoves(settled, context);
        return settled;
      },
      write: writeBedrock,
      mendBody: (entries) => mendBody(entries, context),
    };
  },
};
