import { conversation, idText, toolNames } from "../histories/conversation.ts";
import type { Call, Conversation, ConversationOptions } from "../histories/conversation.ts";

/** A run of an agent: what came before it, and how many calls the model makes in each turn of it. */
export interface Workload {
  readonly name: string;
  readonly callsPerTurn: number;
  /** Messages of the chat format that the thread has already. */
  readonly priorMessages: number;
}

/** The turns of one run with calls; the final answer comes after them. */
const turnsWithCalls = 20;

/** The answers of the model in one run: what is measured is the cost of one of them, with everything around it. */
export const stepsPerRun = turnsWithCalls + 1;

export const question = "Which of these files have to be mended, and in which order?";
export const finalText = "All files were read: begin with the first one, the others follow from it.";

/** Everything that the models of all contenders say, and what was said before. */
export interface Script {
  readonly prior: Conversation;
  /** The calls of each turn. */
  readonly turns: readonly (readonly ScriptedCall[])[];
  /** How often tools run. */
  readonly toolRuns: number;
}

export interface ScriptedCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: ToolArguments;
  /** The arguments as the model writes them. */
  readonly text: string;
}

export interface ToolArguments {
  readonly path: string;
  readonly limit: number;
}

/** What all contenders' tools do: they answer at once. */
export const toolResult = ({ path, limit }: ToolArguments): string =>
  `export function handle(input) {\n  if (input === undefined) throw new TypeError("no input");\n}\n(${limit} lines of ${path})`;

/** The tools that every contender has; all do the same. */
export const tools = toolNames.map((name) => ({ name: ownName(name), description: `Does ${name}.` }));

/** One of the contenders has tools of its own, with names that nobody else may use. */
function ownName(name: string): string {
  return `repository_${name}`;
}

const messagesOfATurn = 5; // a question, two calls, two results, an answer

/** The script of a workload. */
export function scriptOf({ callsPerTurn, priorMessages }: Workload): Script {
  const priorTurns = priorMessages / messagesOfATurn;
  const toolRuns = turnsWithCalls * callsPerTurn;
  const calls = renamed({ turns: Math.ceil(toolRuns / 2), first: priorTurns }).turns.flatMap((turn) => turn.calls);
  return {
    prior: renamed({ turns: priorTurns, answers: true }),
    turns: Array.from({ length: turnsWithCalls }, (_, turn) =>
      calls.slice(turn * callsPerTurn, (turn + 1) * callsPerTurn).map(scriptedCall),
    ),
    toolRuns,
  };
}

/** A conversation with the tools of this benchmark. */
function renamed(options: ConversationOptions): Conversation {
  const turns = conversation(options).turns.map((turn) => ({
    ...turn,
    calls: turn.calls.map((call) => ({ ...call, name: ownName(call.name) })),
  }));
  return { turns };
}

/** A call of a conversation as models make it. */
export function scriptedCall({ serial, name, arguments: args }: Call): ScriptedCall {
  const given = { path: String(args["path"]), limit: Number(args["limit"]) };
  return { id: `call_${idText(serial, 24)}`, name, arguments: given, text: JSON.stringify(given) };
}
