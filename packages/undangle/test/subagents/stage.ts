import { createAgent } from "#engine";
import type { Agent, AgentOptions } from "#engine";
import { subagents } from "#middleware";
import { scriptedModel } from "#testing";
import type { ScriptedModel, ScriptedTurn } from "#testing";
import type { Message } from "#codecs";
import type { ModelRequest } from "#model";

/** The turns of each conversation, by the text of its first message. */
export type Plays = Readonly<Record<string, readonly (ScriptedTurn | ((request: ModelRequest) => ScriptedTurn))[]>>;

/**
 * A model for a parent and its children at once: it continues each conversation by its first message and the number of
 * turns that it already has, so that a restarted process continues where the dead one was.
 */
export function playModel(plays: Plays, name = "play"): ScriptedModel {
  return scriptedModel(
    [
      (request) => {
        const first = textOf(request.messages.find(({ role }) => role === "user"));
        const turns = request.messages.filter(({ role }) => role === "assistant").length;
        const turn = plays[first]?.[turns];
        if (turn === undefined) throw new Error(`No turn ${turns} for ${JSON.stringify(first)}`);
        return typeof turn === "function" ? turn(request) : turn;
      },
    ],
    { loop: true, name },
  );
}

/** A turn that delegates tasks to the general-purpose agent, or to named ones. */
export const delegating = (...tasks: readonly (string | readonly [task: string, agent: string])[]): ScriptedTurn => ({
  calls: tasks.map((task) => {
    const [description, type] = typeof task === "string" ? [task, "general-purpose"] : task;
    return { name: "task", arguments: { description, subagent_type: type } };
  }),
});

export const textOf = (message: Message | undefined): string =>
  message === undefined || message.role === "tool"
    ? ""
    : message.parts.map((part) => (part.type === "text" ? part.text : "")).join("");

/** The texts of the results in a request. */
export const resultsIn = ({ messages }: ModelRequest): readonly string[] =>
  messages.flatMap((message) =>
    message.role === "tool"
      ? message.results.map(({ parts }) => parts.map((part) => (part.type === "text" ? part.text : "")).join(""))
      : [],
  );

/** An agent with sub-agents, and its model. */
export function agentWith(
  plays: Plays,
  options: Partial<AgentOptions> = {},
): { readonly model: ScriptedModel; readonly agent: Agent } {
  const model = playModel(plays);
  return { model, agent: createAgent({ model, middleware: [subagents()], ...options }) };
}

export function never(): never {
  throw new Error("There is none.");
}
