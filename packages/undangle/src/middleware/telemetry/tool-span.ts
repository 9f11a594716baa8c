import { isRecord } from "#core";
import type { RunOne } from "#engine";

import { openSpan } from "./open-span.ts";
import type { OpenSpan, Tracing } from "./open-span.ts";
import { internalKind } from "./open-telemetry.ts";
import type { RunSpan } from "./run-span.ts";
import { jsonOf } from "./shown-content.ts";

type ToolRun = Parameters<RunOne>[0];

/** Starts a tool inside of a span, which lasts until it is done or its time is over. */
export function runInSpan(tracing: Tracing, run: RunSpan, { next, call }: { next: RunOne; call: ToolRun }): unknown {
  const { tool, context } = call;
  const span = openSpan(
    tracing,
    `execute_tool ${tool.name}`,
    {
      kind: internalKind,
      attributes: {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": tool.name,
        "gen_ai.tool.type": "function",
        "gen_ai.tool.description": tool.description,
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
    return value instanceof Promise ? awaited(tracing, run, { span, value, call }) : ended(tracing, span, value);
  } catch (error) {
    span.fail(error);
    throw error;
  }
}

interface Running {
  readonly span: OpenSpan;
  readonly value: Promise<unknown>;
  readonly call: ToolRun;
}

/** The tool may go on after it was told to stop: its span ends when it is told. */
async function awaited(tracing: Tracing, run: RunSpan, { span, value, call }: Running): Promise<unknown> {
  const { signal } = call.context;
  const stop = (): void => span.fail(signal.reason);
  run.open.add(span);
  signal.addEventListener("abort", stop, { once: true });
  try {
    return ended(tracing, span, await value);
  } catch (error) {
    span.fail(error);
    throw error;
  } finally {
    signal.removeEventListener("abort", stop);
    run.open.delete(span);
  }
}

/** A tool of a server of MCP says in what it gives that it has failed. */
function ended({ content }: Tracing, span: OpenSpan, value: unknown): unknown {
  const attributes = content ? { "gen_ai.tool.call.result": jsonOf(value) } : {};
  if (isRecord(value) && value["isError"] === true) span.fail(undefined, attributes);
  else span.end(attributes);
  return value;
}
