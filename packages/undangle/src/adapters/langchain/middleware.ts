import { repairAsync, UndangleError } from "#undangle";
import type { Edit, RepairOptions } from "#undangle";

import { modelName } from "./model-name.ts";
import { replaceAll } from "./replace-all.ts";
import { hoistSystem } from "./system-messages.ts";
import { withToolErrors } from "./tool-errors.ts";
import type { ToolRequest } from "./tool-errors.ts";

/** Options for the repair of an agent's messages. */
export interface MiddlewareOptions extends Omit<
  RepairOptions<string | Promise<string>>,
  "format" | "provider" | "danglingAtEnd"
> {
  /** Also writes the repaired messages into the agent's state before every model call. */
  readonly persist?: boolean | undefined;
  /** The name of the middleware. `patchToolCallsMiddleware` replaces that of deepagents. */
  readonly name?: string | undefined;
  /** `result` turns an exception of a tool into its result, and the run continues. By default LangChain decides. */
  readonly toolErrors?: "result" | undefined;
  /** Called with the edits, only if there are any. */
  readonly onRepair?: ((edits: readonly Edit[]) => void) | undefined;
}

/** The relevant part of a model call. */
export interface ModelCall {
  readonly messages: readonly unknown[];
  readonly model?: unknown;
  readonly tools?: unknown;
  readonly systemMessage?: unknown;
}

/** The state update of a hook; nothing if nothing was wrong. */
export type StateUpdate<State extends { readonly messages: unknown }> = Pick<State, "messages"> | undefined;

/** A middleware for `createAgent` by its structure. */
export interface Middleware {
  readonly name: string;
  wrapModelCall<Call extends ModelCall, Answer>(
    request: Call,
    handler: (request: Call) => Answer | Promise<Answer>,
  ): Promise<Answer>;
  wrapToolCall?: <Request extends ToolRequest, Result>(
    request: Request,
    handler: (request: Request) => Result | Promise<Result>,
  ) => Promise<Result>;
  beforeAgent?: <State extends { readonly messages: unknown }>(state: State) => Promise<StateUpdate<State>>;
  beforeModel?: <State extends { readonly messages: unknown }>(state: State) => Promise<StateUpdate<State>>;
}

/**
 * A middleware for `createAgent` that repairs the messages before each model call: one result per call, directly after
 * it. Put it last, so that it sees the final messages.
 */
export function undangle(options: MiddlewareOptions = {}): Middleware {
  const { persist = false, name = "undangle", toolErrors, onRepair, ...rest } = options;
  if (toolErrors !== undefined && toolErrors !== "result") {
    throw new UndangleError("options/value", { option: "toolErrors", value: toolErrors, allowed: ["result"] });
  }
  const mend = async (call: ModelCall): Promise<{ messages: readonly unknown[]; edits: readonly Edit[] }> => {
    const { messages, tools } = call;
    const model = rest.model ?? modelName(call.model, tools);
    const { output, edits } = await repairAsync({ messages, tools }, { ...rest, model, format: "langchain" });
    return { messages: output.messages, edits };
  };
  const report = (edits: readonly Edit[]): void => {
    if (edits.length > 0) onRepair?.(edits);
  };
  const update = async <State extends { readonly messages: unknown }>({
    messages,
  }: State): Promise<StateUpdate<State>> => {
    if (!isHistory(messages)) return undefined;
    const mended = await mend({ messages });
    report(mended.edits);
    return mended.messages === messages ? undefined : { messages: await replaceAll(mended.messages) };
  };
  const middleware: Middleware = {
    name,
    async wrapModelCall(request, handler) {
      if (!isHistory(request.messages)) return handler(request);
      const { messages, edits } = await mend(request);
      const { systemMessage } = request;
      const hoisted = hoistSystem({ messages, systemMessage }, rest.model ?? modelName(request.model, request.tools));
      report([...edits, ...(hoisted?.edits ?? [])]);
      if (hoisted !== undefined) return handler({ ...request, ...hoisted.change });
      return handler(messages === request.messages ? request : { ...request, messages });
    },
  };
  const hooks = toolErrors === "result" ? { ...middleware, wrapToolCall: withToolErrors } : middleware;
  const branded = { [Symbol.for("AgentMiddleware")]: true, ...hooks };
  return persist ? { ...branded, beforeAgent: update, beforeModel: update } : branded;
}

/** True for a non-empty history. An agent may start without messages. */
const isHistory = (messages: unknown): messages is readonly unknown[] => Array.isArray(messages) && messages.length > 0;
