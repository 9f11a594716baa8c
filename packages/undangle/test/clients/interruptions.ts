import type { WireFormat } from "undangle/testing";
import type { Loose } from "../../src/testing/judge/loose.ts";
import type { Format } from "../judge/subject.ts";
import { subjects } from "../judge/subjects.ts";
import type { Answer, Conversation } from "./program.ts";

/** A conversation that a program has, over several processes. */
export interface Talk {
  readonly history: Format;
  readonly current: () => Conversation;
  /** The process ends, and another one goes on with what was saved. */
  readonly restart: () => void;
}

/** Something that happens to conversations. The model calls three tools in its first answer and then in every other one. */
export interface Interruption {
  readonly name: string;
  readonly run: (talk: Talk) => Promise<void>;
  /** The formats whose provider has nothing against it. */
  readonly isTakenBy?: readonly WireFormat[];
}

const resultsOf = (calls: Answer["calls"]) => calls.map((call) => ({ call, text: `${call.name ?? ""}: ok` }));

/** Ollama does not look at who answers whom. */
const lenient: readonly WireFormat[] = ["ollama"];

export const interruptions: readonly Interruption[] = [
  {
    name: "the user says something while tools run",
    isTakenBy: lenient,
    async run({ current }) {
      await exchange(current(), "Find the book.");
      await told(current(), "Open the file.");
      await told(current(), "Stop. Something else.");
      await told(current(), "And this.");
      await told(current(), "No, stop that too.");
      await exchange(current(), "And now?");
    },
  },
  {
    name: "the user rejects one of three calls",
    isTakenBy: lenient,
    async run({ current }) {
      for (const text of ["Find the book.", "Another one.", "And one more."]) {
        const { calls } = await told(current(), text);
        current().answer(resultsOf(calls.slice(0, 2)));
        await asked(current());
      }
      await exchange(current(), "Thanks.");
    },
  },
  {
    name: "the process ends while tools run",
    isTakenBy: lenient,
    async run({ current, restart }) {
      await exchange(current(), "Find the book.");
      await told(current(), "Open the file.");
      restart();
      await told(current(), "Are you there?");
      restart();
      await exchange(current(), "Good.");
    },
  },
  {
    name: "the process ends after one of three tools",
    isTakenBy: lenient,
    async run({ current, restart }) {
      const { calls } = await told(current(), "Find the book.");
      current().answer(resultsOf(calls.slice(1, 2)));
      restart();
      await told(current(), "Are you there?");
      await exchange(current(), "Good.");
    },
  },
  {
    name: "a result arrives twice",
    isTakenBy: lenient,
    async run({ current }) {
      const { calls } = await told(current(), "Find the book.");
      current().answer(resultsOf(calls));
      current().answer(resultsOf(calls.slice(0, 1)));
      await asked(current());
      await exchange(current(), "Thanks.");
    },
  },
  {
    name: "results come out of order, some behind what the user says next",
    isTakenBy: lenient,
    async run({ current }) {
      const { calls } = await told(current(), "Find the book.");
      current().answer(resultsOf(calls.slice(2)));
      current().say("How long will it take?");
      current().answer(resultsOf(calls.slice(0, 2).toReversed()));
      await asked(current());
      await exchange(current(), "Thanks.");
    },
  },
  {
    name: "a stream is aborted in the middle and what came of it is saved",
    isTakenBy: lenient,
    async run({ current }) {
      await exchange(current(), "Find the book.");
      current().say("Open the file.");
      await current().ask({ isEnough: ({ calls }) => calls.length > 1 });
      await told(current(), "Go on.");
      await exchange(current(), "Thanks.");
    },
  },
  {
    name: "half the arguments of a call are saved",
    async run({ current, history }) {
      await told(current(), "Find the book.");
      cutArguments(current(), history);
      await told(current(), "Go on.");
      await exchange(current(), "Thanks.");
    },
  },
  {
    name: "the history is trimmed at the front, and results lose their calls",
    isTakenBy: lenient,
    async run({ current }) {
      await exchange(current(), "Find the book.");
      current().messages.splice(0, 2);
      await exchange(current(), "Another one.");
      await exchange(current(), "Thanks.");
    },
  },
  {
    name: "all of this happens in one conversation",
    async run({ current, restart, history }) {
      const first = await told(current(), "Find the book.");
      current().answer(resultsOf(first.calls.slice(0, 2)));
      restart();
      await told(current(), "Are you there?");
      const second = await told(current(), "Good. Another one.");
      current().say("Quick.");
      current().answer(resultsOf(second.calls.toReversed()));
      current().answer(resultsOf(second.calls.slice(1, 2)));
      await asked(current());
      await told(current(), "And one more.");
      cutArguments(current(), history);
      restart();
      await told(current(), "Never mind.");
      current().messages.splice(0, 2);
      await exchange(current(), "Thanks.");
    },
  },
];

/** Leaves half the arguments of every call in the last message, as a program that was interrupted does. */
function cutArguments({ messages }: Conversation, history: Format): void {
  const items = messages.slice(-3) as readonly Loose[]; // Responses has an item for each call
  for (const { holder, key } of items.flatMap(subjects[history].anatomy.arguments)) {
    const value = holder[key];
    if (value === undefined) continue;
    const text = typeof value === "string" ? value : JSON.stringify(value);
    (holder as Record<string, unknown>)[key] = text.slice(0, text.length / 2); // the history is the program's own
  }
}

/** What the user says, and what the model answers. An error ends the conversation. */
async function told(conversation: Conversation, text: string): Promise<Answer> {
  conversation.say(text);
  return asked(conversation);
}

async function asked(conversation: Conversation): Promise<Answer> {
  const answer = await conversation.ask();
  if (answer.error !== undefined) throw answer.error;
  return answer;
}

/** The same, with tools that answer until the model has nothing more to ask. */
async function exchange(conversation: Conversation, text: string): Promise<void> {
  let { calls } = await told(conversation, text);
  while (calls.length > 0) {
    conversation.answer(calls.map((call) => ({ call, text: `${call.name ?? ""}: ok` })));
    ({ calls } = await asked(conversation));
  }
}
