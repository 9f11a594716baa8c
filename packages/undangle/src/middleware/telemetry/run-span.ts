import type { HookContext, RunStatus, Usage } from "#engine";

import { openSpan } from "./open-span.ts";
import type { OpenSpan, Tracing } from "./open-span.ts";
import { internalKind } from "./open-telemetry.ts";
import type { Attributes, SpanPlace } from "./open-telemetry.ts";
import { modelAttributes } from "./model-attributes.ts";

/** The span of a run, and the spans inside it. */
export interface RunSpan {
  readonly span: OpenSpan;
  /** Spans still open: a model or a tool may ignore that the run has ended. */
  readonly open: Set<OpenSpan>;
  /** The usage of all turns so far. */
  usage: Pick<Usage, "inputTokens" | "outputTokens">;
}

export interface RunBeginning {
  readonly attributes: Attributes;
  /** The waiting run that this one continues. */
  readonly before: SpanPlace | undefined;
}

/** Starts the span of a run, inside the active span. */
export function beginRun(
  tracing: Tracing,
  { agent, threadId, runId }: Pick<HookContext, "agent" | "threadId" | "runId">,
  { attributes, before }: RunBeginning,
): RunSpan {
  const span = openSpan(
    tracing,
    agent.name === undefined ? "invoke_agent" : `invoke_agent ${agent.name}`,
    {
      kind: internalKind,
      attributes: {
        ...attributes,
        "gen_ai.operation.name": "invoke_agent",
        ...modelAttributes(agent.model),
        ...(agent.name !== undefined && { "gen_ai.agent.name": agent.name }),
        "gen_ai.conversation.id": threadId,
        "undangle.run.id": runId,
      },
      ...(before !== undefined && { links: [{ context: before }] }),
    },
    tracing.api.context.active(),
  );
  return { span, open: new Set(), usage: { inputTokens: 0, outputTokens: 0 } };
}

/** Ends the span of a run, and all spans still open in it. */
export function endRun({ span, open, usage }: RunSpan, status: RunStatus, error: unknown): void {
  for (const each of open) each.end({ "undangle.stopped": true });
  const attributes = { "undangle.run.status": status, ...usageAttributes(usage) };
  if (status === "failed" || error !== undefined) span.fail(error, attributes);
  else span.end(attributes);
}

/** Token attributes, if the usage is known. */
export const usageAttributes = ({ inputTokens, outputTokens }: RunSpan["usage"]): Attributes =>
  inputTokens + outputTokens === 0
    ? {}
    : { "gen_ai.usage.input_tokens": inputTokens, "gen_ai.usage.output_tokens": outputTokens };
