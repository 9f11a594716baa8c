import { repairMessages } from "./options.ts";
import type { StepOptions } from "./options.ts";

/** The relevant part of the argument of `prepareStep`. */
interface Step {
  readonly messages: readonly { readonly role: string }[];
}

/**
 * A `prepareStep` that repairs messages before the SDK checks them for missing results. Your own `prepareStep` gets
 * repaired messages, and those that it returns are repaired too.
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
 * Before a step the SDK has handled approval responses, so none of them keeps a call open. A temporary message after
 * them marks this for the repair.
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
