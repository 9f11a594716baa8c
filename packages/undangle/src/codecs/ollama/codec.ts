import { isRecord, eachRecord } from "#core";
import type { Dialect } from "#core";

import type { Codec, Request } from "../codec.ts";
import { createOutlook, roleOf } from "../spans.ts";
import { answerTurn } from "./repair/answer.ts";
import { nameAdopted, pathOf } from "./repair/foreign.ts";
import type { Context } from "./repair/message.ts";
import { ollamaProfile } from "./profile.ts";
import { readOllama } from "./repair/read.ts";
import { ollamaSigns } from "./signs.ts";
import { createStandingJournal } from "../standing.ts";
import { surveyOllama } from "./repair/survey.ts";
import { tellResults } from "./repair/tell-results.ts";
import { contentOfOllama, writeOllama } from "./repair/write.ts";

/** Ollama's native /api/chat format. */
export const ollama: Codec = {
  format: "ollama",
  listKey: "messages",
  wrapped: { rule: "unknown-role", texts: true },
  providers: ["ollama"],
  signs: ollamaSigns,
  profile: () => ollamaProfile,
  survey: surveyOllama,
  eachCallId: (message, visit) => eachRecord(message, "tool_calls", ({ id }) => visit(id)),
  open({ list, body }, profile, policy, journal) {
    const standing = createStandingJournal(journal, "messages");
    const context: Context = {
      policy,
      journal: standing.journal,
      outlook: createOutlook(list),
      origins: new Map(),
    };
    const dialect: Dialect = {
      profile,
      mergesTurns: false,
      namesTell: true,
      fields: { callId: ".id", resultId: ".tool_call_id", name: ".function.name", arguments: ".function.arguments" },
      toolNames: toolNames(body),
      emptyArguments: {},
      contentOf: contentOfOllama,
      mayRestore: () => true,
      isFreeText: () => false,
      from: (entry, call) => pathOf(entry, call, context),
      to: (entry, call) => `messages[${entry.at}]${call === undefined ? "" : `.tool_calls[${call.slot}]`}`,
    };
    return {
      dialect,
      read: (start, end) => readOllama(list, start, end, context),
      speakerOf: roleOf,
      answer: (turn, written) => answerTurn(turn, list, written, context),
      settle(entries) {
        standing.tell(entries);
        nameAdopted(entries, context);
        tellResults(entries, list, dialect, context);
        return entries;
      },
      write: writeOllama,
      mendBody: () => undefined,
    };
  },
};

function toolNames(body: Request["body"]): string[] {
  const tools = body?.["tools"];
  if (!Array.isArray(tools)) return [];
  return tools.flatMap((tool: unknown) => {
    const called = isRecord(tool) ? tool["function"] : undefined;
    const name = isRecord(called) ? called["name"] : undefined;
    return typeof name === "string" ? [name] : [];
  });
}
