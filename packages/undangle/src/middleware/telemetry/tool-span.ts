import { isRecord } from "#core";
import { ranInstead } from "#engine";
import type { RunOne } from "#engine";

import { openSpan } from "./open-span.ts";
import type { OpenSpan, Tracing } from "./open-span.ts";
import { internalKind } from "./open-telemetry.ts";
import type { Attributes } from "./open-telemetry.ts";
import type { RunSpan } from "./run-span.ts";
import { jsonOf } from "./shown-content.ts";

type ToolRun = Parameters<RunOne>[0];

/** Runs a tool inside a span, which ends when the tool finishes or times out. */
export function runInSpan(tracing: Tracing, run: RunSpan, { next, call }: { next: RunOne; call: ToolRun }): unknown {
  const { tool, context } = call;
  const span = openSpan(
    tracing,
    `execute_tool ${tool.name}`,
    {
      kind: internalKind,
      attributes: {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.type": "function",
        ...attributesOf(tool),
        "gen_ai.tool.call.id": context.callId,
        "gen_ai.conversation.id": context.threadId,
        ...(context.attempt > 1 && { "undangle.tool.attempt": context.attempt }),
        ...(tracing.content && { "gen_ai.tool.call.arguments": jsonOf(call.arguments) }),
      },
    },
    run.span.context,
  );
  try {
    const value = span.within(() => next(call));
    return value instanceof Promise
      ? awaited(tracing, run, { span, value, call })
      : ended(tracing, { span, call }, value);
  } catch (error) {
    span.fail(error, renamed(tracing, { span, call }));
    throw error;
  }
}

const attributesOf = ({ name, description }: ToolRun["tool"]): Attributes => ({
  "gen_ai.tool.name": name,
  "gen_ai.tool.description": description,
});

/** Renames a span to the tool that ran, if a hook substituted it. */
function renamed({ content }: Tracing, { span, call }: Pick<Running, "span" | "call">): Attributes {
  const ran = ranInstead(call.context);
  if (ran === undefined) return {};
  span.rename(`execute_tool ${ran.tool.name}`);
  return { ...attributesOf(ran.tool), ...(content && { "gen_ai.tool.call.arguments": ran.raw }) };
}

interface Running {
  readonly span: OpenSpan;
  readonly value: Promise<unknown>;
  readonly call: ToolRun;
}

/** A tool may ignore its abort signal, so its span ends with the abort. */
async function awaited(tracing: Tracing, run: RunSpan, { span, value, call }: Running): Promise<unknown> {
  const { signal } = call.context;
  const stop = (): void => span.fail(signal.reason, renamed(tracing, { span, call }));
  run.open.add(span);
  signal.addEventListener("abort", stop, { once: true });
  try {
    return ended(tracing, { span, call }, await value);
  } catch (error) {
    span.fail(error, renamed(tracing, { span, call }));
    throw error;
  } finally {
    signal.removeEventListener("abort", stop);
    run.open.delete(span);
  }
}

/** Ends the span of a tool. MCP tools report failure in their return value. */
function ended(tracing: Tracing, { span, call }: Pick<Running, "span" | "call">, value: unknown): unknown {
  const result = tracing.content ? { "gen_ai.tool.call.result": jsonOf(value) } : {};
  const attributes = { ...renamed(tracing, { span, call }), ...result };
  if (isRecord(value) && value["isError"] === true) span.fail(undefined, attributes);
  else span.end(attributes);
  return value;
}
