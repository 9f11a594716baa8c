import { suggest } from "#core";
import { choicesOf, commandNames, commandRow } from "./command-table.ts";
import type { CommandName } from "./command-table.ts";
import { flagOf, optionNames, optionRow } from "./option-table.ts";
import type { OptionName, Options } from "./option-table.ts";
import { usageTextsIn } from "./texts/usage-texts.ts";
import type { UsageTexts } from "./texts/usage-texts.ts";

export type Request =
  | {
      readonly type: "run";
      readonly command: CommandName;
      readonly operands: readonly string[];
      readonly options: Options;
    }
  | { readonly type: "help"; readonly command: CommandName | undefined }
  | { readonly type: "version" }
  | { readonly type: "nothing" }
  | { readonly type: "usage"; readonly message: string; readonly command: CommandName | undefined };

/**
 * Parses a command line with the tables. Options may appear anywhere, as `--name=value` or `--name value`, and end at
 * `--`.
 */
export function parseArguments(argv: readonly string[], texts: UsageTexts = usageTextsIn("en")): Request {
  const { operands, given, fault } = split(argv);
  const [first, ...rest] = operands;
  const command = commandNames.find((name) => name === (first === "help" ? rest[0] : first));
  if (given.has("help") || first === "help") return { type: "help", command };
  if (given.has("version")) return { type: "version" };
  const usage = (message: string): Request => ({ type: "usage", message, command });
  if (fault !== undefined) return usage(fault(texts, command));
  if (first === undefined) {
    const stray = given.keys().next().value;
    return stray === undefined
      ? { type: "nothing" }
      : usage(`${texts.needsCommand(flagOf(stray))}\n${texts.commands(commandNames)}`);
  }
  if (command === undefined)
    return usage(`${texts.unknownCommand(first)}${meant(first, commandNames, texts)}\n${texts.commands(commandNames)}`);
  const allowed: readonly OptionName[] = commandRow(command).options;
  for (const [name, value] of given) {
    const flag = flagOf(name);
    if (!allowed.includes(name))
      return usage(`${texts.notIts(flag, command)}\n${texts.options(allowed.map(flagOf), command)}`);
    const choices = choicesOf(name, command);
    const wrong = value === true ? undefined : [value].flat().find((each) => choices?.includes(each) === false);
    if (choices !== undefined && wrong !== undefined)
      return usage(`${texts.unknownValue(flag, wrong)}${meant(wrong, choices, texts)}\n${texts.values(choices)}`);
  }
  if (commandRow(command).operands === "" && rest.length > 0) return usage(texts.noOperands(command, rest));
  return { type: "run", command, operands: rest, options: Object.fromEntries(given) }; // every value was checked against its row
}

function meant(word: string, known: readonly string[], texts: UsageTexts): string {
  const nearest = suggest(word, known);
  return nearest === undefined ? "" : texts.meant(nearest);
}

/** A fault of a command line. The command is known only after all arguments are read. */
type Fault = (texts: UsageTexts, command: CommandName | undefined) => string;

/** The value of an option, all values of a repeated option, or true for a switch. */
type Given = string | readonly string[] | true;

interface Split {
  readonly operands: readonly string[];
  readonly given: ReadonlyMap<OptionName, Given>;
  /** The first fault. */
  readonly fault: Fault | undefined;
}

function split(argv: readonly string[]): Split {
  const operands: string[] = [];
  const given = new Map<OptionName, Given>();
  let fault: Fault | undefined;
  const waiting = [...argv];
  for (let argument = waiting.shift(); argument !== undefined; argument = waiting.shift()) {
    if (argument === "--") {
      operands.push(...waiting.splice(0));
    } else if (argument === "-" || !argument.startsWith("-")) {
      operands.push(argument);
    } else {
      const option = readOption(argument, waiting);
      if (option.fault !== undefined) fault ??= option.fault;
      else given.set(option.name, joined(option, given.get(option.name)));
    }
  }
  return { operands, given, fault };
}

/** A repeated option collects its values; of any other option the last value counts. */
function joined({ name, value }: { readonly name: OptionName; readonly value: string | true }, before?: Given): Given {
  if (value === true || optionRow(name).repeats !== true) return value;
  return [...(before === undefined || before === true ? [] : [before].flat()), value];
}

type Read =
  | { readonly name: OptionName; readonly value: string | true; readonly fault?: undefined }
  | { readonly fault: Fault };

/** Reads an option. Its value may be the next argument. */
function readOption(argument: string, waiting: string[]): Read {
  const { flag, attached } = cut(argument);
  const name = optionNames.find((one) => flag === flagOf(one) || flag === `-${optionRow(one).short ?? ""}`);
  if (name === undefined) return { fault: unknownOption(flag) };
  const { value: label, choices } = optionRow(name);
  if (label === undefined) {
    return attached === undefined ? { name, value: true } : { fault: (texts) => texts.isSwitch(flag) };
  }
  const value = attached ?? (isValue(waiting[0]) ? waiting.shift() : undefined);
  if (value === undefined || value === "")
    return { fault: (texts) => texts.needsValue(flag, choices?.join("|") ?? label) };
  return { name, value };
}

/** Splits `--name=value`, and `-oVALUE` of a short option with a value. */
function cut(argument: string): { readonly flag: string; readonly attached: string | undefined } {
  const equals = argument.indexOf("=");
  if (argument.startsWith("--")) {
    return equals === -1
      ? { flag: argument, attached: undefined }
      : { flag: argument.slice(0, equals), attached: argument.slice(equals + 1) };
  }
  const rest = argument.slice(2);
  return { flag: argument.slice(0, 2), attached: rest === "" ? undefined : rest.replace(/^=/, "") };
}

/** `-` is a value (stdin or stdout). Any other argument with a dash is an option. */
const isValue = (argument: string | undefined): boolean => argument === "-" || !(argument ?? "-").startsWith("-");

const unknownOption =
  (flag: string): Fault =>
  (texts, command) => {
    const known = (command === undefined ? optionNames : commandRow(command).options).map(flagOf);
    return `${texts.unknownOption(flag)}${meant(flag, known, texts)}\n${texts.options(known, command)}`;
  };
