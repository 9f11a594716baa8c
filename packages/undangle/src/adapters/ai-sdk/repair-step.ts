import { repairMessages } from "./options.ts";
import type { StepOptions } from "./options.ts";

/** What the SDK hands to `prepareStep`, as far as it matters here. */
interface Step {
  readonly messages: readonly { readonly role: string }[];
}

/**
 * A `prepareStep` that hands the SDK messages with every call answered, before it looks for missing results. With a
 * `prepareStep` of one's own: that one sees repaired messages, and those that it returns are repaired too.
 */
export function repairStep(
  options?: StepOptions,
): <Message extends { readonly role: string }>(step: {
  readonly messages: Message[];
}) => { messages: Message[] } | undefined;
export function repairStep<Prepare extends (step: never) => unknown>(
  options: StepOptions,
  prepareStep: Prepare,
): Prepare;
export function repairStep(
  options: StepOptions = {},
  prepareStep?: (step: Step) => Prepared | PromiseLike<Prepared>,
): (step: never) => unknown {
  const repairList = (messages: List): List => withSentinel(messages, (list) => repairMessages(list, options));
  return (step: Step) => {
    const messages = repairList(step.messages);
    if (prepareStep === undefined) return messages === step.messages ? undefined : { messages };
    const finish = (result: Prepared): Prepared => {
      const wanted = result?.messages ?? messages;
      const last = wanted === messages ? messages : repairList(wanted);
      return last === (result?.messages ?? step.messages) ? result : { ...result, messages: last };
    };
    const result = prepareStep(messages === step.messages ? step : { ...step, messages });
    return isPromise(result) ? result.then(finish) : finish(result);
  };
}

type Prepared = Partial<Step> | undefined;

const isPromise = (result: Prepared | PromiseLike<Prepared>): result is PromiseLike<Prepared> =>
  typeof result === "object" && result !== null && "then" in result;

type List = Step["messages"];

/**
 * Before a step the SDK has acted upon the answers to approval requests, so none of them keeps a call open any more. A
 * message behind them says so to the repair; it is taken off again.
 */
export function withSentinel(messages: List, repairList: (list: List) => List): List {
  if (!hasAnswers(messages.at(-1))) return repairList(messages);
  const given = [...messages, { role: "system", content: "" }];
  const repaired = repairList(given);
  return repaired === given ? messages : repaired.slice(0, -1);
}

function hasAnswers(message: unknown): boolean {
  if (typeof message !== "object" || message === null || !("content" in message)) return false;
  const { content } = message;
  return Array.isArray(content) && content.some((part: unknown) => isAnswer(part));
}

const isAnswer = (part: unknown): boolean =>
  typeof part === "object" && part !== null && "type" in part && part.type === "tool-approval-response";
