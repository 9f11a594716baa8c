import { UndangleError } from "#core";
import type { AssembledTurn } from "#core";
import { defineMiddleware, usageOf } from "#engine";
import type { AskModel, Middleware } from "#engine";
import type { ModelRequest, ModelStream } from "#model";

import { createRequestCounter, isReached } from "../context-size/request-counter.ts";
import { clipLongResults } from "./clip-long-results.ts";
import { compactTool, createToolView } from "./compact-tool.ts";
import { overflowStream } from "./overflow-stream.ts";
import { readOptions } from "./summarization-options.ts";
import type { SummarizationOptions } from "./summarization-options.ts";
import { emptyState, reduceState } from "./summary-state.ts";
import type { SummaryState, SummaryUpdate } from "./summary-state.ts";
import { summaryTexts } from "./summary-texts.ts";
import { createViews } from "./summary-view.ts";
import type { SummaryContext, SummaryView } from "./summary-view.ts";
import { failureOf, planSummary, trimWithoutSummary, writeSummary } from "./write-summary.ts";

/**
 * Replaces older messages of a long conversation by a summary, in what the model gets. The thread keeps everything, and
 * a file has the full text. If a provider refuses the length of a request, it is shortened and sent again.
 */
export function summarization(options: SummarizationOptions = {}): Middleware {
  const settings = readOptions(options);
  const counter = createRequestCounter(settings.countTokens);
  const viewOf = createViews();
  const describe = createToolView();
  const requests = new WeakMap<AbortSignal, ModelRequest>(); // the last one of each run
  const failures = new WeakMap<AbortSignal, number>(); // the size at which no summary could be written

  /** Replaces older messages. Returns how many; 0 if all must be kept. Throws if no summary could be written. */
  const replace = async (view: SummaryView, context: SummaryContext): Promise<number> => {
    const writing = { settings, counter, context };
    const planned = planSummary(view, writing);
    if (planned === undefined) return 0;
    const boundary = await writeSummary(planned, view, writing);
    context.state.update({ type: "summary", boundary });
    return planned.removed.length;
  };

  /** Leaves older messages out. False if all must be kept. */
  const trim = async (view: SummaryView, context: SummaryContext): Promise<boolean> => {
    const writing = { settings, counter, context };
    const planned = planSummary(view, writing);
    if (planned === undefined) return false;
    context.state.update({ type: "summary", boundary: await trimWithoutSummary(planned, view, writing) });
    return true;
  };

  /** Replaces older messages, or leaves them out if they must go. Returns false if nothing changed. */
  const shrink = async (
    view: SummaryView,
    context: SummaryContext,
    { mustFit }: { readonly mustFit: boolean },
  ): Promise<boolean> => {
    try {
      return (await replace(view, context)) > 0;
    } catch (error) {
      context.signal.throwIfAborted();
      context.warn(summaryTexts[context.language].noSummary(failureOf(error, context)));
      if (mustFit) return trim(view, context);
      failures.set(context.signal, counter.request(view.request));
      return false;
    }
  };

  const isDue = ({ request }: SummaryView, { signal, state }: SummaryContext): boolean => {
    if (settings.tool && state.get().isRequested === true) return true;
    if (!isReached(request, settings.triggers, counter)) return false;
    const failed = failures.get(signal);
    return failed === undefined || counter.request(request) > failed * 1.1; // not again at every step
  };

  const isOverWindow = ({ request }: SummaryView): boolean =>
    settings.contextWindow !== undefined && counter.request(request) > settings.contextWindow;

  /** The view after older messages were replaced. */
  const shrunk = async (view: SummaryView, request: ModelRequest, context: SummaryContext): Promise<SummaryView> => {
    const hasChanged = await shrink(view, context, { mustFit: isOverWindow(view) });
    if (context.state.get().isRequested === true) context.state.update({ type: "request", isRequested: false });
    return hasChanged ? viewOf(request, context) : view;
  };

  /** Sends a view. If its length is refused, it is summarized; if that is not enough, its results are clipped. */
  const send = (next: AskModel, first: SummaryView, context: SummaryContext, request: ModelRequest): ModelStream => {
    let view = first;
    const ways = [() => shrink(view, context, { mustFit: true }), () => clipLongResults(view, context, settings)];
    return overflowStream({
      ask: () => next(view.request),
      async shorten(error) {
        for (let way = ways.shift(); way !== undefined; way = ways.shift()) {
          if (!(await way())) continue;
          view = viewOf(request, context);
          return;
        }
        const { messages } = view.request;
        const tokens = counter.request(view.request);
        throw new UndangleError(
          "run/context-overflow",
          { messages: messages.length, tokens, message: failureOf(error, context) },
          error,
        );
      },
      answered: ({ usage }: AssembledTurn) => counter.reported(view.request, usageOf(usage).inputTokens),
    });
  };

  return defineMiddleware<SummaryState, SummaryUpdate>({
    name: "summarization",
    state: { initial: emptyState, reduce: reduceState },
    ...(settings.tool && { tools: [compactTool] }),
    wrapModelCall: (next) => (given, context) => {
      const request = settings.tool ? describe(given) : given;
      if (settings.tool) requests.set(context.signal, request);
      const view = viewOf(request, context);
      if (!isDue(view, context)) return send(next, view, context, request);
      return (async () => send(next, await shrunk(view, request, context), context, request))();
    },
    ...(settings.tool && {
      wrapToolCall: (next) => (call, context) => {
        if (call.tool !== compactTool) return next(call);
        const request = requests.get(context.signal);
        const { compact } = summaryTexts[context.language];
        if (request === undefined) {
          context.state.update({ type: "request", isRequested: true }); // another process sent the request
          return compact.later;
        }
        return replace(viewOf(request, context), context).then(
          (count) => (count === 0 ? compact.nothing : compact.done(count)),
          (error: unknown) => {
            context.signal.throwIfAborted();
            return { content: [{ type: "text", text: compact.failed(failureOf(error, context)) }], isError: true };
          },
        );
      },
    }),
  });
}
