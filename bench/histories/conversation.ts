/** A long conversation with a tool-using model, before any format: the same for every contender. */
export interface Conversation {
  readonly turns: readonly Turn[];
}

/** A question and the calls that the model made for it. */
export interface Turn {
  readonly question: string;
  readonly calls: readonly Call[];
  /** What the model said in the end; left out where the next question follows the results. */
  readonly answer?: string;
}

export interface Call {
  /** Unique in the conversation; each format makes an id of its own shape from it. */
  readonly serial: number;
  readonly name: string;
  readonly arguments: Readonly<Record<string, string | number>>;
  /** Undefined = the call dangles. */
  readonly result: string | undefined;
}

export interface ConversationOptions {
  readonly turns: number;
  /** The number of the first turn: what continues a conversation of so many turns. */
  readonly first?: number;
  /** One call in ten has no result, never two in a turn. */
  readonly dangling?: boolean;
  /** Every turn ends in an assistant's answer. */
  readonly answers?: boolean;
}

/** Makes a conversation of that many turns with two calls each; the same options give the same conversation. */
export function conversation(options: ConversationOptions): Conversation {
  const { turns, first = 0, dangling = false, answers = false } = options;
  return {
    turns: Array.from({ length: turns }, (_, place) => {
      const index = first + place;
      const calls = [callAt(2 * index, dangling), callAt(2 * index + 1, dangling)];
      const question = `Question ${index}: why does module ${index % 97} fail since the last change, and where do I begin?`;
      return answers ? { question, calls, answer: `File ${index % 31} has to be mended first.` } : { question, calls };
    }),
  };
}

/** The tools that every request offers. */
export const toolNames = ["read_file", "search_code", "run_tests", "list_directory"];

function callAt(serial: number, dangling: boolean): Call {
  const decade = Math.floor(serial / 10);
  const lost = dangling && serial % 10 === scatter(decade) % 10;
  return {
    serial,
    name: toolNames[scatter(serial) % toolNames.length] ?? "read_file",
    arguments: { path: `packages/module-${serial % 97}/source/file-${serial % 31}.ts`, limit: 200 },
    result: lost ? undefined : resultText(serial),
  };
}

const resultText = (serial: number): string =>
  `export function handle${serial}(input) {\n  if (input === undefined) throw new TypeError("no input");\n  return [input, ${serial}];\n}\n(4 lines of ${serial % 400})`;

/** Small numbers that look like chance and are the same on every run. */
export function scatter(seed: number): number {
  let mixed = (seed + 0x9e3779b9) | 0;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** An id as providers make them: letters and digits, unique because the serial number is in it. */
export function idText(serial: number, length: number): string {
  const unique = serial.toString(36).padStart(5, "0");
  let id = "";
  for (let place = 0; id.length < length - unique.length; place++) {
    id += alphabet[scatter(serial * 31 + place) % alphabet.length] ?? "";
  }
  return id + unique;
}
