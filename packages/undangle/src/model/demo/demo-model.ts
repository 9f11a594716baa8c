import { assemble } from "#codecs";
import { UndangleError } from "#core";

import { pause } from "../http/watch.ts";
import type { Model, ModelRequest } from "../model.ts";

export interface DemoModelOptions {
  /** For logs and events. */
  readonly name?: string | undefined;
  /** Milliseconds between two chunks of a response; 0 sends them without a pause. */
  readonly pace?: number | undefined;
}

/**
 * A model that needs no key and no network. It calls the tools whose names and descriptions share words with the message, fills
 * their arguments from that message, and reports the results in English or Chinese. The same conversation gets the same response.
 */
export function demoModel(options: DemoModelOptions = {}): Model {
  const { name = "demo", pace = 5, ...others } = options;
  for (const option of Object.keys(others))
    throw new UndangleError("options/unknown", { option, allowed: ["name", "pace"] });
  if (typeof name !== "string") throw refusal("name", name, "a string");
  if (typeof pace !== "number" || !(pace >= 0 && pace < Infinity))
    throw refusal("pace", pace, "milliseconds, 0 or more");
  // The code that writes replies loads with the first request, so that importing `undangle/models` does not pay for it.
  async function* chunks(request: ModelRequest): AsyncGenerator {
    request.signal.throwIfAborted();
    const [{ replyTo }, { chunksOf }] = await Promise.all([import("./reply.ts"), import("./chat-chunks.ts")]);
    for (const chunk of chunksOf(replyTo(request), request, name)) {
      yield chunk;
      if (pace > 0) await pause(pace, request.signal);
      request.signal.throwIfAborted();
    }
  }
  return {
    name,
    stream(request) {
      const knownIds = new Set(request.knownIds);
      return assemble(chunks({ ...request, knownIds }), { format: "openai-chat", tools: request.tools, knownIds });
    },
  };
}

const refusal = (option: string, value: unknown, allowed: string): UndangleError =>
  new UndangleError("options/value", { option, value, allowed: [allowed] });
