import type { ModelRequest } from "../model.ts";
import type { Reply } from "./reply.ts";

/** A reply as the chunks of an OpenAI chat stream. It ends at a stop sequence or after `maxTokens`. */
export function* chunksOf(reply: Reply, request: ModelRequest, model: string): Generator<object> {
  const { stop = [], maxTokens = Infinity } = request.sampling ?? {};
  const ends = stop.filter((each) => each !== "" && reply.text.includes(each)).map((each) => reply.text.indexOf(each));
  const isStopped = ends.length > 0;
  const head = { id: `demo-${request.messages.length}`, object: "chat.completion.chunk", model };
  const delta = (value: object, reason: string | null = null): object => ({
    ...head,
    choices: [{ index: 0, delta: value, finish_reason: reason }],
  });
  let completion = 0;
  let isCut = false;
  /** The tokens of a text, up to the limit. */
  function* pieces(text: string): Generator<string> {
    for (const piece of tokensIn(text)) {
      isCut ||= completion >= maxTokens;
      if (isCut) return;
      completion += 1;
      yield piece;
    }
  }
  yield delta({ role: "assistant", content: "" });
  for (const content of pieces(reply.text.slice(0, Math.min(...ends, reply.text.length)))) yield delta({ content });
  const ids = newIds(reply.calls.length, new Set(request.knownIds));
  for (const [index, { name, arguments: args }] of (isStopped ? [] : reply.calls).entries()) {
    const cost = tokensIn(name).length;
    isCut ||= completion + cost >= maxTokens;
    if (isCut) break;
    completion += cost;
    yield delta({ tool_calls: [{ index, id: ids[index], type: "function", function: { name, arguments: "" } }] });
    for (const piece of pieces(JSON.stringify(args)))
      yield delta({ tool_calls: [{ index, function: { arguments: piece } }] });
  }
  yield delta({}, isCut ? "length" : reply.calls.length > 0 && !isStopped ? "tool_calls" : "stop");
  const { system, messages, tools } = request;
  const prompt = tokensIn(JSON.stringify([system, messages, tools], withoutMedia)).length;
  const usage = { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion };
  yield { ...head, choices: [], usage };
}

/** Simulated tokens: a Chinese character, or up to four other characters. */
const tokensIn = (text: string): readonly string[] => text.match(/\p{Script=Han}|[^\p{Script=Han}]{1,4}/gu) ?? [];

const withoutMedia = (key: string, value: unknown): unknown => (key === "source" ? undefined : value);

/** Ids that no call of the thread has; deterministic for a thread. */
function newIds(count: number, known: ReadonlySet<string>): readonly string[] {
  const ids: string[] = [];
  for (let n = known.size + 1; ids.length < count; n++) if (!known.has(`call_demo_${n}`)) ids.push(`call_demo_${n}`);
  return ids;
}
