export type Look = "bold" | "dim" | "red" | "green" | "yellow" | "cyan" | "inverse";

/** Colours a text, or leaves it plain. */
export type Paint = (look: Look, text: string) => string;

/** Whether an output is coloured: `--no-color`, then FORCE_COLOR, then NO_COLOR, then whether it is a terminal. */
export function wantsColor(
  env: Readonly<Record<string, string | undefined>>,
  { isTTY, refused }: { readonly isTTY: boolean; readonly refused: boolean },
): boolean {
  if (refused) return false;
  const forced = env["FORCE_COLOR"];
  if (forced !== undefined) return forced !== "0" && forced !== "false";
  if ((env["NO_COLOR"] ?? "") !== "") return false;
  return isTTY && env["TERM"] !== "dumb";
}

export function palette(colored: boolean): Paint {
  if (!colored) return (_, text) => text;
  return (look, text) => (text === "" ? "" : `\u001B[${codes[look][0]}m${text}\u001B[${codes[look][1]}m`);
}

const codes: Readonly<Record<Look, readonly [on: number, off: number]>> = {
  bold: [1, 22],
  dim: [2, 22],
  inverse: [7, 27],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
};
