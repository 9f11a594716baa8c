import { estimateMessageTokens } from "#codecs";
import type { Message } from "#codecs";
import { estimateTokens } from "#core";
import { isOfThread } from "#engine";
import type { ModelRequest } from "#model";

import type { AbsoluteSize, SizeSettings } from "./size.ts";

/** Counts the tokens of requests. What was counted before is not counted again. */
export interface RequestCounter {
  readonly message: (message: Message) => number;
  /** The tokens of a request: its system text, its tools and its messages. */
  readonly request: (request: ModelRequest) => number;
  /** The input tokens that the provider reported for a request. Later requests that start with it build on them. */
  readonly reported: (request: ModelRequest, inputTokens: number) => void;
}

interface Counted {
  readonly request: ModelRequest;
  readonly tokens: number;
}

/** The number of messages at the end to search for a request that was counted: more than any step adds. */
const reach = 64;

export function createRequestCounter(countTokens: SizeSettings["countTokens"]): RequestCounter {
  const estimates = new WeakMap<object, number>();
  const counted = new WeakMap<Message, Counted>(); // by the last message of the request
  const cached = <Value extends object>(value: Value, count: (value: Value) => number): number => {
    const known = estimates.get(value);
    if (known !== undefined) return known;
    const tokens = count(value);
    estimates.set(value, tokens);
    return tokens;
  };
  const message = (each: Message): number => cached(each, countTokens ?? estimateMessageTokens);
  const frame = ({ system, tools }: ModelRequest): number =>
    cached(system, (parts) => parts.reduce((sum, { text }) => sum + estimateTokens(text), 0)) +
    cached(tools, (list) => list.reduce((sum, tool) => sum + estimateTokens(tool), 0));

  const earlier = ({ messages }: ModelRequest): Counted | undefined => {
    for (let i = messages.length - 1; i >= 0 && i >= messages.length - reach; i--) {
      const each = messages[i];
      const known = each === undefined ? undefined : counted.get(each);
      if (known !== undefined && known.request.messages.length === i + 1) return known;
    }
    return undefined;
  };

  return {
    message,
    request(request) {
      const { messages } = request;
      const known = earlier(request);
      let tokens = known === undefined ? frame(request) : known.tokens + frame(request) - frame(known.request);
      const before = known?.request.messages ?? [];
      const isLonger = isOfThread(before) && isOfThread(messages); // a thread only grows, so the beginning is the same
      for (let i = isLonger ? before.length : 0; i < messages.length; i++) {
        const each = messages[i];
        const old = before[i];
        if (each === undefined || each === old) continue; // counted as a part of the earlier request
        tokens += message(each) - (old === undefined ? 0 : message(old));
      }
      const last = known?.request.messages.at(-1);
      if (last !== undefined) counted.delete(last); // only the last request of a thread is needed
      remember(counted, request, tokens);
      return tokens;
    },
    reported(request, inputTokens) {
      if (countTokens === undefined && inputTokens > 0) remember(counted, request, inputTokens);
    },
  };
}

function remember(counted: WeakMap<Message, Counted>, request: ModelRequest, tokens: number): void {
  const last = request.messages.at(-1);
  if (last !== undefined) counted.set(last, { request, tokens });
}

/** True if a request has one of the sizes, or more. */
export function isReached(request: ModelRequest, sizes: readonly AbsoluteSize[], counter: RequestCounter): boolean {
  const { messages } = request;
  if (sizes.some((size) => "messages" in size && messages.length >= size.messages)) return true;
  const limits = sizes.flatMap((size) => ("tokens" in size ? [size.tokens] : []));
  return limits.length > 0 && counter.request(request) >= Math.min(...limits);
}
