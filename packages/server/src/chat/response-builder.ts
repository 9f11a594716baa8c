import type { AgentEvent, EventData, PendingCall } from "undangle/agent";
import type { Language } from "undangle";

import type { ResponseOutcome } from "../projects/runs/recorded-run.ts";
import { handleOf } from "./call-handle.ts";

/** A part of a chat response. It excludes calls of server tools. */
export type ResponsePart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "reasoning"; readonly text: string }
  | { readonly type: "call"; readonly id: string; readonly name: string; readonly arguments: string }
  /** The text so far is void. A stream cannot retract it. */
  | { readonly type: "discarded"; readonly reason: string };

export type FinishReason = "stop" | "length" | "tool_calls" | "content_filter";

export interface ResponseEnd {
  readonly parts: readonly ResponsePart[];
  readonly finish: FinishReason;
  /** Calls of server tools that wait for a decision. */
  readonly pending: readonly PendingCall[];
}

export interface ResponseBuilder {
  add(event: AgentEvent): ResponsePart | undefined;
  end(end: ResponseOutcome): ResponseEnd;
  /** The tokens of the model's turns so far. */
  usage(): Tokens;
}

export interface Tokens {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
  readonly prompt_tokens_details: { readonly cached_tokens: number };
}

export interface ResponseBuilderOptions {
  readonly threadId: string;
  /** The names of the tools that the client runs. */
  readonly clientTools: ReadonlySet<string>;
  readonly language: Language;
}

/** Combines the turns of a run into one response: their texts in order, separated by blank lines. */
export function createResponseBuilder({ threadId, clientTools, language }: ResponseBuilderOptions): ResponseBuilder {
  let hasText = false;
  let hasEarlierText = false; // of finished turns
  let isStreaming = false; // a turn that may still be discarded
  let isNewStep = false;
  let finish: FinishReason = "stop";
  const tokens = { prompt: 0, completion: 0, cached: 0 };
  const count = ({ tokens: used }: EventData["model_end"]): void => {
    tokens.prompt += used?.inputTokens ?? 0;
    tokens.completion += used?.outputTokens ?? 0;
    tokens.cached += used?.cachedTokens ?? 0;
  };
  return {
    add({ type, data, path }) {
      if (path !== undefined) {
        if (type === "model_end") count(data); // the text of a sub-agent is not part of the response
        return undefined;
      }
      switch (type) {
        case "model_start":
          if (data.purpose === undefined) isNewStep = true;
          return undefined;
        case "text_delta": {
          if (data.text === "") return undefined;
          const text = hasText && isNewStep ? `\n\n${data.text}` : data.text;
          hasText = true;
          isNewStep = false;
          isStreaming = true;
          return { type: "text", text };
        }
        case "reasoning_delta":
          if (data.text === "") return undefined;
          isStreaming = true;
          return { type: "reasoning", text: data.text };
        case "model_discarded":
          if (!isStreaming) return undefined; // a process died before it stored any part of the turn
          isStreaming = false;
          hasText = hasEarlierText;
          isNewStep = true;
          return { type: "discarded", reason: data.reason };
        case "model_end":
          if (data.purpose === undefined) {
            isStreaming = false;
            hasEarlierText = hasText;
            finish = finishOf(data.finish);
          }
          count(data);
          return undefined;
        default:
          return undefined;
      }
    },
    end({ status, pending, error }) {
      const own = pending.filter(({ name }) => !clientTools.has(name));
      const calls = pending
        .filter(({ name }) => clientTools.has(name))
        .map(({ id, name, arguments: args, raw }): ResponsePart => ({
          type: "call",
          id: handleOf(threadId, id),
          name,
          arguments: raw ?? JSON.stringify(args), // the client may support more digits than this process
        }));
      if (status === "waiting" && calls.length > 0) return { parts: calls, finish: "tool_calls", pending: own };
      if (status === "waiting") {
        const text = waitingText(own, language);
        return { parts: [{ type: "text", text: hasText ? `\n\n${text}` : text }], finish: "stop", pending: own };
      }
      return { parts: [], finish: error?.code === "run/limit" ? "length" : finish, pending: own };
    },
    usage: () => ({
      prompt_tokens: tokens.prompt,
      completion_tokens: tokens.completion,
      total_tokens: tokens.prompt + tokens.completion,
      prompt_tokens_details: { cached_tokens: tokens.cached },
    }),
  };
}

function finishOf(finish: string): FinishReason {
  if (finish === "length") return "length";
  return finish === "content_filter" ? "content_filter" : "stop";
}

/**
 * The first words of the text that names pending calls. No thread contains this text, so history comparisons skip it.
 */
export const waitingHeads: Readonly<Record<Language, string>> = {
  en: "Waiting for approval of ",
  zh: "以下工具调用正在等待批准：",
};

function waitingText(pending: readonly PendingCall[], language: Language): string {
  const names = pending.map(({ id, name }) => `${name} (${id})`);
  return waitingHeads[language] + (language === "zh" ? `${names.join("、")}。` : `${names.join(", ")}.`);
}
