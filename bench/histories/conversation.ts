/** A long conversation with a model that uses tools, before any format: the same for every contender. */
export interface Conversation {
  readonly turns: readonly Turn[];
}

/** A question, the calls that the model made for it, and their results. */
export interface Turn {
  readonly question: string;
  readonly calls: readonly Call[];
  readonly results: readonly Result[];
  /** The text at the end of the turn. */
  readonly answer: string;
}

export interface Call {
  /** Unique in the conversation. Each format makes an id of its own shape from it. */
  readonly serial: number;
  readonly name: string;
  readonly arguments: Readonly<Record<string, string | number>>;
  /** The id was lost. */
  readonly hasNoId?: boolean;
  /** The arguments end in the middle. */
  readonly isCut?: boolean;
}

export interface Result {
  /** That of its call. */
  readonly serial: number;
  readonly name: string;
  readonly text: string;
}

/** Makes a conversation of that many turns with two calls each. The same numbers give the same conversation. */
export function conversation(turns: number, first = 0): Conversation {
  return {
    turns: Array.from({ length: turns }, (_, place) => {
      const index = first + place;
      const calls = [callAt(2 * index), callAt(2 * index + 1)];
      return {
        question: `Question ${index}: why does module ${index % 97} fail since the last change, and where do I begin?`,
        calls,
        results: calls.map(({ serial, name }) => ({ serial, name, text: resultText(serial) })),
        answer: `File ${index % 31} has to be repaired first.`,
      };
    }),
  };
}

/** Messages of a turn in the chat format: a question, a message with two calls, two results, a text. */
export const messagesPerTurn = 5;

/** The tools that every request offers. */
export const toolNames = ["read_file", "search_code", "run_tests", "list_directory"];

const callAt = (serial: number): Call => ({
  serial,
  name: toolNames[scatter(serial) % toolNames.length] ?? "read_file",
  arguments: { path: `packages/module-${serial % 97}/source/file-${serial % 31}.ts`, limit: 200 },
});

const resultText = (serial: number): string =>
  `export function handle${serial}(input) {\n  if (input === undefined) throw new TypeError("no input");\n  return [input, ${serial}];\n}\n(4 lines of ${serial % 400})`;

/** The id of a call or a result; undefined for a call that has lost it. */
export function idOf(
  { serial, hasNoId = false }: { readonly serial: number; readonly hasNoId?: boolean },
  prefix = "call_",
) {
  return hasNoId ? undefined : `${prefix}${idText(serial, 24)}`;
}

/** Arguments as the text that a model wrote. */
export const argumentsText = ({ arguments: args, isCut = false }: Call): string =>
  isCut ? JSON.stringify(args).slice(0, 30) : JSON.stringify(args);

/** Arguments as formats have them that parse them: a text where they could not be parsed. */
export const argumentsValue = (call: Call): unknown => (call.isCut === true ? argumentsText(call) : call.arguments);

/** A small number that looks like chance and is the same on every run. */
export function scatter(seed: number): number {
  let mixed = (seed + 0x9e3779b9) | 0;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** Letters and digits, unique because the serial number is in them. */
export function idText(serial: number, length: number): string {
  const unique = serial.toString(36).padStart(5, "0");
  let id = "";
  for (let place = 0; id.length < length - unique.length; place++) {
    id += alphabet[scatter(serial * 31 + place) % alphabet.length] ?? "";
  }
  return id + unique;
}
