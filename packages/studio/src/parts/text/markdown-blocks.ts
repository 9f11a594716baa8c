/** A part of a text that is shown for itself: code as it is, anything else after it was parsed. */
export interface MarkdownBlock {
  readonly type: "markdown" | "code";
  readonly text: string;
}

/** Longer blocks are cut, because the time for parsing grows with the square of the length. */
export const longestBlock = 4_000;

/**
 * Splits Markdown at blank lines and code fences, so that finished blocks are not parsed again while later ones arrive.
 * Fenced code needs no parser. Definitions of links are added to the blocks that may use them.
 */
export function blocksOf(text: string): readonly MarkdownBlock[] {
  const blocks = fencesIn(text);
  if (!text.includes("]:")) return blocks;
  const definitions = new Map([...text.matchAll(definition)].map(([line, label = ""]) => [label.toLowerCase(), line]));
  return blocks.map((block) => {
    if (block.type === "code") return block;
    const used = [...block.text.matchAll(bracketed)].flatMap(([, label = ""]) => {
      const line = definitions.get(label.toLowerCase());
      return line === undefined || block.text.includes(line) ? [] : [line];
    });
    return used.length === 0 ? block : { ...block, text: `${block.text}\n\n${[...new Set(used)].join("\n")}` };
  });
}

/** `[1]: https://…` and a title at the start of a line. Footnotes are not among them. */
const definition = /^ {0,3}\[(?!\^)([^\]\n]{1,200})\]:[ \t]+\S{1,2000}(?:[^\S\n].{0,200})?$/gmu;

/** What may refer to a definition. */
const bracketed = /\[([^[\]\n]{1,200})\]/gu;

/** A footnote, which would be invisible in a block that does not refer to it. */
const footnote = /^( {0,3})\[\^/gmu;

function fencesIn(text: string): readonly MarkdownBlock[] {
  const blocks: MarkdownBlock[] = [];
  let lines: string[] = [];
  let fence: string | undefined; // the mark that ends the code
  const end = (type: MarkdownBlock["type"]): void => {
    const block = lines.join("\n");
    lines = [];
    if (type === "code") blocks.push({ type, text: block });
    else if (block.trim() !== "")
      for (const part of partsOf(block.replace(footnote, "$1\\[^"))) blocks.push({ type, text: part });
  };
  for (const line of text.split("\n")) {
    if (fence !== undefined) {
      if (isEndOf(fence, line)) {
        end("code");
        fence = undefined;
      } else lines.push(line);
      continue;
    }
    fence = /^(`{3,})[^`]*$|^(~{3,})/u.exec(line)?.slice(1).find(Boolean);
    if (fence !== undefined) {
      end("markdown");
      continue;
    }
    const isInList = /^(?:\s|[-*+] |\d+[.)] )/u.test(line); // a list continues after a blank line
    if (line.trim() !== "" && !isInList && lines.at(-1)?.trim() === "") end("markdown");
    lines.push(line);
  }
  end(fence === undefined ? "markdown" : "code");
  return blocks;
}

const isEndOf = (fence: string, line: string): boolean =>
  line.startsWith(fence) && line.trim() === (fence[0] ?? "").repeat(line.trim().length);

/** The second line of a table. */
const isDelimiterRow = (line: string): boolean => /^[\s:|-]+$/u.test(line) && line.includes("-");

/** A block, or its parts of whole lines if it is long. Each part of a table has the head of the table. */
function partsOf(block: string): readonly string[] {
  if (block.length <= longestBlock) return [block];
  const lines = block.split("\n").flatMap(linesOf);
  const head = lines[0]?.includes("|") && isDelimiterRow(lines[1] ?? "") ? lines.slice(0, 2) : [];
  const parts: string[] = [];
  let part: string[] = [];
  let length = 0;
  for (const line of lines) {
    if (length + line.length > longestBlock && part.length > head.length) {
      parts.push(part.join("\n"));
      part = [...head];
      length = head.join("\n").length;
    }
    part.push(line);
    length += line.length + 1;
  }
  return [...parts, part.join("\n")];
}

/** A line, cut at spaces if it is long. */
function linesOf(line: string): readonly string[] {
  const lines: string[] = [];
  let rest = line;
  while (rest.length > longestBlock) {
    const space = rest.lastIndexOf(" ", longestBlock);
    const end = space > longestBlock / 2 ? space : longestBlock;
    lines.push(rest.slice(0, end));
    rest = rest.slice(end).trimStart();
  }
  return [...lines, rest];
}
