import { isRecord } from "#core";

import type { RequestFacts } from "../../stream/response-writer.ts";
import { isLangChain } from "../../stream/partial-numbers.ts";

/** The properties of a valid response, from the request and the provider. */
export interface Manner {
  /** True if one choice was requested, which must have the first index. */
  readonly isSingle: boolean;
  /** True if the request has `functions`, so that the client reads `function_call`; undefined if unknown. */
  readonly isLegacy: boolean | undefined;
  /** True if the request forces a tool, or may do so. OpenAI ends such a turn with "stop". */
  readonly isForced: boolean;
  /** Mistral sends lists as content, and calls without a type. */
  readonly isMistral: boolean;
  /** MiniMax repeats the whole message after its end. */
  readonly isMinimax: boolean;
  /**
   * True for clients that append a `message` beside the delta, as Perplexity sends it: `stream()` and `runTools()` of
   * OpenAI's SDK 6 and 7, which repeat the last delta. Others ignore it.
   */
  readonly isMessageRead: boolean;
  /** True if tools were offered, so that calls may arrive late. */
  readonly hasTools: boolean;
  /** True if the client concatenates all finish reasons, as LangChain does. */
  readonly areReasonsJoined: boolean;
}

export function mannerOf(facts: RequestFacts | undefined): Manner {
  const { request, provider, helper } = facts ?? {};
  const { n, functions, tools, tool_choice: choice, function_call: called } = request ?? {};
  const isForced =
    isRecord(called) || (isRecord(choice) && (isRecord(choice["function"]) || isRecord(choice["custom"])));
  const isUnread = facts !== undefined && request === undefined;
  return {
    isSingle: request !== undefined && (n ?? 1) === 1,
    isLegacy: isUnread ? undefined : Array.isArray(functions) && !Array.isArray(tools),
    isForced: isUnread || isForced,
    isMistral: provider === "mistral",
    isMinimax: provider === "minimax",
    hasTools: (Array.isArray(tools) && tools.length > 0) || (Array.isArray(functions) && functions.length > 0),
    areReasonsJoined: isLangChain(facts),
    isMessageRead: helper?.method === "stream" || helper?.method === "runTools",
  };
}
