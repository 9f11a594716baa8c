import { conversation, idText } from "../histories/conversation.ts";
import { formats } from "../histories/formats.ts";

/** The steps of a run with calls. One more gives the final text. */
export const stepsWithCalls = 20;
export const stepsPerRun = stepsWithCalls + 1;

export const question = "Which of these files have to be repaired, and in which order?";
export const finalText = "All files were read: begin with the first one, the others follow from it.";
export const toolName = "repository_read_file";

export interface ToolArguments {
  readonly path: string;
  readonly limit: number;
}

/** What the tool of every contender returns at once. */
export const toolResult = ({ path, limit }: ToolArguments): string =>
  `export function handle(input) {\n  if (input === undefined) throw new TypeError("no input");\n}\n(${limit} lines of ${path})`;

/** The calls of a step, as the model sends them. */
export function callsOf(step: number, count: number) {
  return Array.from({ length: count }, (_, place) => {
    const serial = step * count + place;
    const args = { path: `packages/module-${serial % 97}/source/file-${serial % 31}.ts`, limit: 200 };
    return { id: `call_${idText(serial, 24)}`, name: toolName, arguments: JSON.stringify(args) };
  });
}

export interface ChatMessage {
  readonly role: string;
  readonly content?: unknown;
  readonly tool_call_id?: string;
  readonly tool_calls?: readonly object[];
}

/** The messages of a thread before the run, without the question at their end. */
export function earlierMessages(count: number): readonly ChatMessage[] {
  return formats["openai-chat"](conversation(count / 5, 1_000_000)).messages.slice(0, -1) as readonly ChatMessage[]; // made here
}
