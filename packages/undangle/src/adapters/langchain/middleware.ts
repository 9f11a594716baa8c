import { repairAsync } from "#undangle";
import type { Edit, RepairOptions } from "#undangle";

import { modelName } from "./model-name.ts";
import { replaceAll } from "./replace-all.ts";

/** How the messages of an agent are repaired, and who is told. */
export interface MiddlewareOptions extends Omit<
  RepairOptions<string | Promise<string>>,
  "format" | "provider" | "danglingAtEnd"
> {
  /** Also writes the repaired messages into the agent's state, before every call of the model; else they are only sent. */
  readonly persist?: boolean | undefined;
  /** The name among the agent's middleware; `patchToolCallsMiddleware` takes the place of deepagents' own. */
  readonly name?: string | undefined;
  /** Called with what was changed, and only when something was. */
  readonly onRepair?: ((edits: readonly Edit[]) => void) | undefined;
}

/** What an agent hands to the model, as far as it matters here. */
export interface ModelCall {
  readonly messages: readonly unknown[];
  readonly model?: unknown;
  readonly tools?: unknown;
}

/** What a hook changes in the agent's state; nothing where nothing was wrong. */
export type StateUpdate<State extends { readonly messages: unknown }> = Pick<State, "messages"> | undefined;

/** A middleware of `createAgent` by its structure. */
export interface Middleware {
  readonly name: string;
  wrapModelCall<Call extends ModelCall, Answer>(
    request: Call,
    handler: (request: Call) => Answer | Promise<Answer>,
  ): Promise<Answer>;
  beforeAgent?: <State extends { readonly messages: unknown }>(state: State) => Promise<StateUpdate<State>>;
  beforeModel?: <State extends { readonly messages: unknown }>(state: State) => Promise<StateUpdate<State>>;
}

/**
 * A middleware for `createAgent` that hands the model messages with every call answered once, directly behind it. Put it
 * last, so that it sees what the model will see.
 */
export function undangle(options: MiddlewareOptions = {}): Middleware {
  const { persist = false, name = "undangle", onRepair, ...rest } = options;
  const mend = async (messages: readonly unknown[], call: Partial<ModelCall> = {}): Promise<readonly unknown[]> => {
    const model = rest.model ?? modelName(call.model);
    const { output, edits } = await repairAsync(
      { messages, tools: call.tools },
      { ...rest, model, format: "langchain" },
    );
    if (edits.length > 0) onRepair?.(edits);
    return output.messages;
  };
  const update = async <State extends { readonly messages: unknown }>({
    messages,
  }: State): Promise<StateUpdate<State>> => {
    if (!isHistory(messages)) return undefined;
    const mended = await mend(messages);
    if (mended === messages) return undefined;
    return { messages: await replaceAll(mended) };
  };
  const middleware: Middleware = {
    name,
    async wrapModelCall(request, handler) {
      if (!isHistory(request.messages)) return handler(request);
      const messages = await mend(request.messages, request);
      return handler(messages === request.messages ? request : { ...request, messages });
    },
  };
  const branded = { [Symbol.for("AgentMiddleware")]: true, ...middleware };
  return persist ? { ...branded, beforeAgent: update, beforeModel: update } : branded;
}

/** True for messages that there is something to see in: an agent may start with none. */
const isHistory = (messages: unknown): messages is readonly unknown[] => Array.isArray(messages) && messages.length > 0;
