import { shellWord } from "./shell-word.ts";

/** Operands and options for a shell. Operands come first, unless one looks like an option. */
export function commandWords(operands: readonly string[], options: readonly string[]): string {
  const isDashed = operands.some((word) => word.startsWith("-"));
  return (isDashed ? [...options, "--", ...operands] : [...operands, ...options]).map(shellWord).join(" ");
}

/** An option with its value, which may begin with a dash. */
export const optionWords = (name: string, value: string): readonly string[] =>
  value.startsWith("-") ? [`--${name}=${value}`] : [`--${name}`, value];
