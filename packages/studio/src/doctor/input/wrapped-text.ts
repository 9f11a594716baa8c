/** JSON that was copied from Markdown. */
export const withoutFence = (text: string): string => /^\s*```\w*\n([\s\S]*?)\n```\s*$/u.exec(text)?.[1] ?? text;

/** The text without the backslashes of a string in which JSON was written. Undefined if there are none. */
export function withoutEscapes(text: string): string | undefined {
  if (/[[{]\s*(?:\\[nrt]\s*)*\\"/u.test(text)) {
    return text.replaceAll(/\\(["\\/nrt])/gu, (_, escaped: string) => escapes[escaped] ?? escaped);
  }
  // PowerShell
  return /[[{]\s*`"/u.test(text) ? text.replaceAll(/`(["`$])/gu, "$1") : undefined;
}

const escapes: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t" };

/** The lines without what each of them begins with: the marks of a quotation, a time, the name of a container. */
export function withoutMargin(text: string): string | undefined {
  const lines = text.split("\n");
  const isMarked = lines.every((line) => line.trim() === "" || margin.test(line));
  return isMarked ? lines.map((line) => line.replace(margin, "")).join("\n") : undefined;
}

const margin = /^(?:>+ ?|[^{}[\]"'|]{0,80}\| ?)/u;
