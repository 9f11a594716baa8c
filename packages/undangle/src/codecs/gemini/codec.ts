import { isRecord, eachRecord } from "#core";
import type { Dialect } from "#core";

import type { Codec } from "../codec.ts";
import { answerTurn } from "./repair/answer.ts";
import { createContext, pathAt } from "./repair/context.ts";
import { isModel } from "./repair/healthy-unit.ts";
import { nameResponses } from "./repair/names.ts";
import { callKey, responseKey } from "./part.ts";
import { geminiProfile } from "./profile.ts";
import { readGemini } from "./repair/read.ts";
import { contentOfResult } from "./repair/result-content.ts";
import { mendResultMedia } from "./repair/result-media.ts";
import { signCalls } from "./repair/signatures.ts";
import { geminiSigns } from "./signs.ts";
import { createStandingJournal } from "../standing.ts";
import { surveyGemini } from "./repair/survey.ts";
import { hoistSystem, placeSystem } from "./repair/system.ts";
import type { Hoisted } from "./repair/system.ts";
import { toolNames } from "./repair/tools.ts";
import {
  closeTurn,
  isSpoken,
  joinModelTurns,
  joinResponses,
  leadIn,
  neededTurn,
  reportParted,
  withoutEmptied,
} from "./repair/turns.ts";
import { writeGemini } from "./repair/write.ts";

/** Gemini's generateContent, for the Gemini API and Vertex AI. */
export const gemini: Codec = {
  format: "gemini",
  listKey: "contents",
  fromText: (text) => ({ role: "user", parts: [{ text }] }), // a form that the SDKs accept
  wrapped: { rule: "unknown-role", texts: false, parts: "parts" }, // the SDKs treat a string as user text
  providers: ["gemini", "vertex"],
  signs: geminiSigns,
  profile: () => geminiProfile,
  survey: surveyGemini,
  eachCallId(content, visit) {
    eachRecord(content, "parts", ({ functionCall, function_call: call = functionCall }) => {
      if (isRecord(call)) visit(call["id"]);
    });
  },
  open(request, profile, policy, journal) {
    const standing = createStandingJournal(journal, "contents");
    const context = createContext(request, profile, policy, standing.journal);
    let hoisted: readonly Hoisted[] = [];
    const dialect: Dialect = {
      profile,
      mergesTurns: true,
      isSpoken,
      splitsUserTurns: true,
      fields: { callId: ".id", resultId: ".id", name: ".name", arguments: ".args" },
      toolNames: toolNames(request.body),
      emptyArguments: {},
      contentOf: contentOfResult,
      mayRestore: () => true,
      isFreeText: () => false,
      from(entry, call) {
        if (entry.source === undefined) return undefined;
        const { source } = entry;
        if (call !== undefined)
          return pathAt(source, call.place, context, `.${callKey(call.wire, context.spelling())}`);
        if (entry.role !== "result") return `contents[${source.index}]`;
        return pathAt(source, entry.place, context, `.${responseKey(entry.wire, context.spelling())}`);
      },
      to(entry, call) {
        const at = `contents[${entry.at}]`;
        if (call !== undefined) return `${at}.parts[${call.slot}].${callKey(call.wire, context.spelling())}`;
        if (entry.role !== "result") return at;
        return `${at}.parts[${entry.slot}].${responseKey(entry.wire, context.spelling())}`;
      },
    };
    return {
      dialect,
      read: (start, end) => readGemini(request.list, start, end, context),
      speakerOf: (content) => (isModel(content) ? "assistant" : "user"),
      answer: (turn, list) => answerTurn(turn, request.list, list, context),
      settle(entries) {
        nameResponses(entries, context);
        const shown = mendResultMedia(withoutEmptied(entries), dialect, context);
        const placed = placeSystem(shown, context);
        hoisted = placed.hoisted;
        joinModelTurns(placed.entries, context);
        const settled = closeTurn(leadIn(placed.entries, context), context);
        if (settled.length === 0 && request.list.length > 0) {
          standing.tell(settled);
          return [neededTurn(context)];
        }
        joinResponses(settled, dialect, context);
        signCalls(settled, context);
        reportParted(settled, context);
        standing.tell(settled);
        return settled;
      },
      write: (entries, list) => writeGemini(entries, list, context),
      mendBody: () => hoistSystem(hoisted, context),
    };
  },
};
