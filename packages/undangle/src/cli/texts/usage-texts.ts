import type { Language } from "#core";

/** Texts for an invalid command line. Names of commands and options are not translated. */
export interface UsageTexts {
  needsCommand(flag: string): string;
  unknownCommand(word: string): string;
  unknownOption(flag: string): string;
  notIts(flag: string, command: string): string;
  unknownValue(flag: string, value: string): string;
  isSwitch(flag: string): string;
  needsValue(flag: string, values: string): string;
  noOperands(command: string, given: readonly string[]): string;
  meant(nearest: string): string;
  commands(names: readonly string[]): string;
  values(names: readonly string[]): string;
  /** The options of a command, or of the whole program. */
  options(flags: readonly string[], command: string | undefined): string;
  more(command: string): string;
}

const english: UsageTexts = {
  needsCommand: (flag) => `${flag} needs a command.`,
  unknownCommand: (word) => `Unknown command ${JSON.stringify(word)}.`,
  unknownOption: (flag) => `Unknown option ${JSON.stringify(flag)}.`,
  notIts: (flag, command) => `${flag} is not an option of ${command}.`,
  unknownValue: (flag, value) => `Unknown value of ${flag} ${JSON.stringify(value)}.`,
  isSwitch: (flag) => `${flag} does not take a value.`,
  needsValue: (flag, values) => `${flag} needs a value: ${flag} ${values}`,
  noOperands: (command, given) =>
    `${command} takes only options; remove ${given.map((word) => JSON.stringify(word)).join(" ")}.`,
  meant: (nearest) => ` Did you mean ${nearest}?`,
  commands: (names) => `Commands: ${names.join(", ")}`,
  values: (names) => `Known: ${names.join(", ")}`,
  options: (flags, command) => `Options${command === undefined ? "" : ` of ${command}`}: ${flags.join(", ")}`,
  more: (command) => `More: ${command}`,
};

const chinese: UsageTexts = {
  needsCommand: (flag) => `${flag} 需要与命令一起使用。`,
  unknownCommand: (word) => `没有命令 ${JSON.stringify(word)}。`,
  unknownOption: (flag) => `没有选项 ${JSON.stringify(flag)}。`,
  notIts: (flag, command) => `${flag} 不是 ${command} 的选项。`,
  unknownValue: (flag, value) => `${flag} 没有值 ${JSON.stringify(value)}。`,
  isSwitch: (flag) => `${flag} 是开关，不带值。`,
  needsValue: (flag, values) => `${flag} 需要一个值：${flag} ${values}`,
  noOperands: (command, given) =>
    `${command} 只接受选项：请去掉 ${given.map((word) => JSON.stringify(word)).join(" ")}。`,
  meant: (nearest) => `是否想写 ${nearest}？`,
  commands: (names) => `可用命令：${names.join(", ")}`,
  values: (names) => `可用的值：${names.join(", ")}`,
  options: (flags, command) => `${command === undefined ? "" : `${command} 的`}可用选项：${flags.join(", ")}`,
  more: (command) => `更多：${command}`,
};

export const usageTextsIn = (language: Language): UsageTexts => (language === "zh" ? chinese : english);
