import { eachRecord } from "#core";
import type { Dialect, Entry } from "#core";

import type { Codec } from "../codec.ts";
import { contentKey } from "../gemini/message-of-parts.ts";
import { answerTurn } from "./repair/answer.ts";
import { createLoopGuard, mendBody, toolNames } from "./repair/body.ts";
import { createContext } from "./repair/context.ts";
import { anthropicProfile, anthropicProviders } from "./profile.ts";
import type { AnthropicProfile } from "./profile.ts";
import { readAnthropic } from "./repair/read.ts";
import { pairServerTools } from "./repair/server-tools.ts";
import { roleOf } from "../spans.ts";
import { anthropicSigns } from "./signs.ts";
import { surveyAnthropic } from "./repair/survey.ts";
import { placeSystem } from "./repair/system.ts";
import type { Hoisted } from "./repair/system.ts";
import { settleTail } from "./repair/tail.ts";
import { withThinking } from "./repair/thinking.ts";
import { heldTurn } from "./repair/thread.ts";
import {
  dropEmptyTurns,
  dropSkipped,
  isSpoken,
  isThinkingBlock,
  moveTextUp,
  neededTurn,
  withoutEmptied,
} from "./repair/turns.ts";
import { contentOfResult, writeAnthropic } from "./repair/write.ts";

/** Anthropic's Messages format. */
export const anthropic: Codec<AnthropicProfile> = {
  format: "anthropic",
  listKey: "messages",
  wrapped: { rule: "unknown-role", texts: true, parts: "content" },
  providers: anthropicProviders,
  signs: anthropicSigns,
  profile: anthropicProfile,
  survey: surveyAnthropic,
  eachCallId(message, visit) {
    eachRecord(message, "content", ({ type, id }) => {
      if (type === "tool_use") visit(id);
    });
  },
  eachLink(message, visit) {
    eachRecord(message, "content", ({ type, id, tool_use_id: called }) => {
      if (type === "server_tool_use" || type === "mcp_tool_use") visit(id, "opens");
      else if (typeof type === "string" && type.endsWith("_tool_result")) visit(called, "closes");
    });
  },
  startsWithThinking: ({ content }) => Array.isArray(content) && isThinkingBlock(content[0]),
  open(request, profile, policy, journal) {
    const context = createContext(request, profile, policy, journal);
    const mayRestore = createLoopGuard(context);
    let hoisted: readonly Hoisted[] = [];
    let held: Entry | undefined; // used for pairing, but not written
    const dialect: Dialect = {
      profile,
      mergesTurns: true,
      isSpoken,
      fields: { callId: ".id", resultId: ".tool_use_id", name: ".name", arguments: ".input" },
      toolNames: toolNames(request.body),
      emptyArguments: {},
      contentOf: contentOfResult,
      mayRestore,
      isFreeText: () => false,
      from(entry, call) {
        if (entry.source === undefined) return undefined;
        const place = call?.place ?? (entry.role === "result" ? entry.place : undefined);
        return `messages[${entry.source.index}]${place === undefined ? "" : `.${contentKey(entry.source)}[${place}]`}`;
      },
      to(entry, call) {
        const slot = call?.slot ?? (entry.role === "result" ? entry.slot : undefined);
        return `messages[${entry.at}]${slot === undefined ? "" : `.content[${slot}]`}`;
      },
    };
    return {
      dialect,
      read(start, end) {
        const entries = readAnthropic(request.list, start, end, context);
        if (entries === undefined || !context.continues || start > 0) return entries;
        held = heldTurn(entries, profile);
        return held === undefined ? entries : [held, ...entries];
      },
      speakerOf: roleOf,
      answer: (turn, list) => answerTurn(turn, request.list, list, context),
      settle(paired) {
        const entries = held === undefined ? paired : paired.filter((entry) => entry !== held);
        pairServerTools(entries, context);
        const heard = moveTextUp(dropEmptyTurns(withoutEmptied(entries), context), context);
        const placed = placeSystem(heard, context);
        hoisted = placed.hoisted;
        const settled = withThinking(settleTail(placed.entries, context), context);
        return settled.length === 0 && request.list.length > 0 ? [neededTurn(context)] : settled;
      },
      write: writeAnthropic,
      mendBody(entries) {
        const body = mendBody(entries, hoisted, context);
        dropSkipped(context);
        return body;
      },
    };
  },
};
