import { isRecord, eachRecord } from "#core";
import type { Dialect, JsonObject } from "#core";

import type { Codec, Reading } from "../codec.ts";
import { createOutlook, roleOf } from "../spans.ts";
import { answerTurn } from "./repair/answer.ts";
import { readRequests } from "./repair/approvals.ts";
import type { Requests } from "./repair/approvals.ts";
import { isClientCall, isType, partsOf } from "./repair/message.ts";
import type { Context } from "./repair/message.ts";
import { contentOfResult } from "./repair/output.ts";
import { aiSdkProfile } from "./profile.ts";
import { readModelMessages } from "./repair/read.ts";
import { abandonedParts } from "./repair/server-calls.ts";
import { settleModelMessages } from "./repair/settle.ts";
import { aiSdkSigns } from "./signs.ts";
import { surveyAiSdk } from "./repair/survey.ts";
import { answerMessage } from "./repair/ui-answer.ts";
import { createUIMint } from "./repair/ui-context.ts";
import type { UIContext } from "./repair/ui-context.ts";
import { readUIMessages, writeUIMessages } from "./repair/ui-messages.ts";
import { createPage, isForPage } from "./repair/ui-steps.ts";
import { writeModelMessages } from "./repair/write.ts";

/** The messages of the AI SDK: ModelMessages, and UIMessages, which have a call and its result in one part. */
export const aiSdk: Codec = {
  format: "ai-sdk",
  listKey: "messages",
  providers: [],
  signs: aiSdkSigns,
  profile: ({ list, model }) => aiSdkProfile(model === undefined || isForPage(list) ? undefined : model),
  survey: surveyAiSdk,
  eachCallId(message, visit) {
    const visitPart = (part: JsonObject): void => {
      if (isClientCall(part)) visit(part["toolCallId"]);
    };
    eachRecord(message, "content", visitPart);
    eachRecord(message, "parts", visitPart);
  },
  eachLink(message, visit) {
    eachRecord(message, "content", ({ type, toolCallId, approvalId }) => {
      if (type === "tool-call") visit(toolCallId, "opens");
      else if (type === "tool-result") visit(toolCallId, "closes");
      else if (type === "tool-approval-request") visit(approvalId, "opens");
      else if (type === "tool-approval-response") visit(approvalId, "closes");
    });
  },
  startsWithThinking: (message) => isType(partsOf(message)?.[0], "reasoning"),
  open({ list, body }, profile, policy, journal) {
    const toolNames = isRecord(body?.["tools"]) ? Object.keys(body["tools"]) : [];
    const dialect = createDialect(profile, toolNames);
    const onlyTool = toolNames.length === 1 ? toolNames[0] : undefined;
    if (isForPage(list)) {
      let abandoned: ReadonlySet<unknown> | undefined;
      return openUI(
        {
          page: createPage(list),
          policy,
          journal,
          onlyTool,
          abandoned: () => (abandoned ??= abandonedParts(list)),
          mint: createUIMint(list),
        },
        dialect,
      );
    }
    let requests: Requests | undefined;
    const known = (): Requests => (requests ??= readRequests(list));
    const outlook = createOutlook(list);
    return openModel({ list, policy, journal, outlook, requests: known, extras: new Map() }, dialect);
  },
};

function openModel(context: Context, dialect: Dialect): Reading {
  const { list } = context;
  return {
    dialect,
    read: (start, end) => readModelMessages(start, end, context),
    speakerOf: roleOf,
    answer: (turn, written) => answerTurn(turn, list, written, context),
    settle: (entries) => settleModelMessages(entries, context),
    write: (entries, written) => writeModelMessages(entries, written, context),
    mendBody: () => undefined,
  };
}

function openUI(context: UIContext, dialect: Dialect): Reading {
  return {
    dialect,
    read: (start, end) => readUIMessages(start, end, context),
    speakerOf: roleOf,
    answer: ({ start }, written) => answerMessage(start, written, context),
    settle: (entries) => entries,
    write: writeUIMessages,
    mendBody: () => undefined,
  };
}

function createDialect(profile: Dialect["profile"], toolNames: readonly string[]): Dialect {
  return {
    profile,
    mergesTurns: false,
    fields: { callId: ".toolCallId", resultId: ".toolCallId", name: ".toolName", arguments: ".input" },
    toolNames,
    emptyArguments: {},
    contentOf: contentOfResult,
    mayRestore: () => true,
    isFreeText: ({ arguments: input, raw }) => typeof input === "string" && raw === undefined,
    from(entry, call) {
      if (entry.source === undefined) return undefined;
      const place = call?.place ?? (entry.role === "result" ? entry.place : undefined);
      return `messages[${entry.source.index}]${place === undefined ? "" : `.content[${place}]`}`;
    },
    to(entry, call) {
      const slot = call?.slot ?? (entry.role === "result" ? entry.slot : undefined);
      return `messages[${entry.at}]${slot === undefined ? "" : `.content[${slot}]`}`;
    },
  };
}
