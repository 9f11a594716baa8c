import { isRecord } from "#core";

import type { RequestFacts } from "../stream/response-writer.ts";
import { isLangChain } from "../stream/partial-numbers.ts";

/** What a healthy answer may look like, by what was asked and by whom it is answered. */
export interface Manner {
  /** One answer was asked for, and has to come under the first index. */
  readonly isSingle: boolean;
  /** It was asked with `functions`, and who does that looks for `function_call`; undefined where nobody knows. */
  readonly isLegacy: boolean | undefined;
  /** The request names the tool to call, or may do so: OpenAI ends such a turn with "stop". */
  readonly isForced: boolean;
  /** Mistral sends lists as content, and calls without a type. */
  readonly isMistral: boolean;
  /** MiniMax sends the whole message once more, behind its end. */
  readonly isMinimax: boolean;
  /**
   * The client adds to a `message` that stands beside what is new, as Perplexity has it: `stream()` and `runTools()` of OpenAI's
   * SDK do, 6 and 7, and say the last piece twice. Others do not look at it.
   */
  readonly isMessageRead: boolean;
  /** Tools were offered: what is called may come late. */
  readonly hasTools: boolean;
  /** The client puts all reasons for the end that it hears into one text: LangChain does. */
  readonly areReasonsJoined: boolean;
}

export function mannerOf(asked: RequestFacts | undefined): Manner {
  const { request, provider, helper } = asked ?? {};
  const { n, functions, tools, tool_choice: choice, function_call: called } = request ?? {};
  const isForced =
    isRecord(called) || (isRecord(choice) && (isRecord(choice["function"]) || isRecord(choice["custom"])));
  const isUnread = asked !== undefined && request === undefined;
  return {
    isSingle: request !== undefined && (n ?? 1) === 1,
    isLegacy: isUnread ? undefined : Array.isArray(functions) && !Array.isArray(tools),
    isForced: isUnread || isForced,
    isMistral: provider === "mistral",
    isMinimax: provider === "minimax",
    hasTools: (Array.isArray(tools) && tools.length > 0) || (Array.isArray(functions) && functions.length > 0),
    areReasonsJoined: isLangChain(asked),
    isMessageRead: helper?.method === "stream" || helper?.method === "runTools",
  };
}
