import type { Model, ModelRequest } from "../../packages/undangle/src/model/index.ts";
import { scriptedModel } from "../../packages/undangle/src/testing/index.ts";
import type {
  ScriptedCall,
  ScriptedModel,
  ScriptedTurn,
  WireFormat,
} from "../../packages/undangle/src/testing/index.ts";
import { randomFrom } from "../../packages/undangle/src/testing/random.ts";
import type { Visit } from "./failpoints.ts";

/** A model that answers the same history in the same way in every process: the seed and what was said decide. */
export function crashModel(seed: number): ScriptedModel {
  const { below } = randomFrom(seed);
  const format = formats[below(formats.length)] ?? "openai-chat";
  const pace = below(3) === 0 ? 1 : undefined;
  const answer = (request: ModelRequest): ScriptedTurn => ({
    ...turnFor(request, seed),
    ...(pace !== undefined && { pace }),
  });
  return scriptedModel([answer], { name: "crash", format, loop: true });
}

/** The same model, which says when a piece of its answer comes. */
export const watchedModel = (model: Model, visit: Visit): Model => ({
  name: model.name,
  stream(request) {
    const stream = model.stream(request);
    return {
      turn: () => stream.turn(),
      async *[Symbol.asyncIterator]() {
        for await (const part of stream) {
          visit("stream");
          yield part;
        }
        return undefined;
      },
    };
  },
});

const formats: readonly WireFormat[] = [
  "openai-chat",
  "openai-chat",
  "openai-responses",
  "anthropic",
  "gemini",
  "ollama",
];

/** Up to three answers with calls to a message, and then a word to end with. */
function turnFor({ messages }: ModelRequest, seed: number): ScriptedTurn {
  const said = messages.filter(({ role }) => role === "user").length;
  const lastSaid = messages.findLastIndex(({ role }) => role === "user");
  const answers = messages.slice(lastSaid).filter(({ role }) => role === "assistant").length;
  const { below } = randomFrom(seed * 1009 + said * 31 + answers);
  const isLast = answers >= 1 + ((seed + said) % 3);
  if (isLast) return { text: `That is all for message ${said}. Is there anything else that I can do for you?` };
  const calls = Array.from({ length: 1 + below(3) }, (_, place) => callFor(below(100), `${said}-${answers}-${place}`));
  return {
    text: below(2) === 0 ? "Let me see what I can do about that." : "",
    calls: [...calls, ...oddCall(below(100))],
  };
}

function callFor(chance: number, about: string): ScriptedCall {
  const name =
    chance < 20 ? "note" : chance < 48 ? "charge" : chance < 76 ? "fetch_page" : chance < 90 ? "slow" : "boom";
  return { name, arguments: { about } };
}

/** Now and then a call that must never run. */
function oddCall(chance: number): readonly ScriptedCall[] {
  if (chance < 4) return [{ name: "no_such_tool", arguments: {} }];
  if (chance < 8) return [{ name: "note", arguments: { about: 7 } }];
  if (chance < 12) return [{ name: "charge", raw: '{"about": oops}' }];
  return [];
}
