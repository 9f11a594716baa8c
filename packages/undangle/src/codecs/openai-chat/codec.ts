import { isRecord, eachRecord } from "#core";
import type { Dialect } from "#core";

import type { Codec, Request } from "../codec.ts";
import { createOutlook, meantRoleOf, roleOf } from "../spans.ts";
import { answerTurn } from "./repair/answer.ts";
import type { Context } from "./repair/message.ts";
import { settleOrder } from "./repair/order.ts";
import type { ChatProfile } from "./profile.ts";
import { chatProfile, chatProviderNames } from "./profiles.ts";
import { readChat } from "./repair/read.ts";
import { chatSigns } from "./signs.ts";
import { surveyChat } from "./repair/survey.ts";
import { mendReasoning, placeMedia, splitTurns } from "./repair/turns.ts";
import { contentOfChat, writeChat } from "./repair/write.ts";

/** OpenAI's Chat Completions format. */
export const openaiChat: Codec<ChatProfile> = {
  format: "openai-chat",
  listKey: "messages",
  wrapped: { rule: "unknown-role", texts: true },
  providers: chatProviderNames,
  signs: chatSigns,
  profile: ({ provider, model, body }) => chatProfile(provider, { model, thinking: thinkingOf(body) }),
  survey: surveyChat,
  eachCallId: (message, visit) => eachRecord(message, "tool_calls", ({ id }) => visit(id)),
  open(request, profile, policy, journal) {
    const context: Context = {
      profile,
      policy,
      journal,
      outlook: createOutlook(request.list, meantRoleOf),
      isAlone: request.list.length === 1,
      merged: new Map(),
      media: new Map(),
    };
    const dialect: Dialect = {
      profile,
      mergesTurns: false,
      fields: { callId: ".id", resultId: ".tool_call_id", name: ".function.name", arguments: ".function.arguments" },
      toolNames: toolNames(request),
      emptyArguments: "{}",
      contentOf: contentOfChat,
      mayRestore: () => true,
      isFreeText: ({ wire }) => isRecord(wire) && wire["type"] === "custom",
      from: (entry, call) =>
        entry.source === undefined
          ? undefined
          : `messages[${entry.source.index}]${call === undefined ? "" : `.tool_calls[${call.place}]`}`,
      to: (entry, call) => `messages[${entry.at}]${call === undefined ? "" : `.tool_calls[${call.slot}]`}`,
    };
    return {
      dialect,
      read: (start, end) => readChat(request.list, start, end, context),
      speakerOf: roleOf,
      answer: (turn, list) => answerTurn(turn, request.list, list, context),
      settle(entries) {
        const placed = placeMedia(entries, context);
        const split = splitTurns(placed, context);
        mendReasoning(split, context);
        return settleOrder(split, context);
      },
      write: writeChat,
      mendBody: () => undefined,
    };
  },
};

/**
 * Whether the request enables thinking, by `thinking` or OpenRouter's `reasoning`; undefined if it does not specify it.
 */
function thinkingOf(body: Request["body"]): boolean | undefined {
  const { thinking, reasoning } = body ?? {};
  const type = isRecord(thinking) ? thinking["type"] : undefined;
  if (typeof type === "string") return type !== "disabled";
  const { enabled, effort } = isRecord(reasoning) ? reasoning : {};
  if (typeof enabled === "boolean") return enabled;
  return typeof effort === "string" ? effort !== "none" : undefined;
}

function toolNames({ body }: Request): string[] {
  const tools = body?.["tools"];
  if (!Array.isArray(tools)) return [];
  return tools.flatMap((tool: unknown) => {
    const called = isRecord(tool) ? (tool["function"] ?? tool["custom"]) : undefined;
    const name = isRecord(called) ? called["name"] : undefined;
    return typeof name === "string" ? [name] : [];
  });
}
