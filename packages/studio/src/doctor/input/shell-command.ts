/** A request that a command sends. */
export interface SentRequest {
  readonly url: string | undefined;
  readonly body: string;
}

/** The bodies that `curl` commands send, as copied from a terminal or a browser. */
export function sentByCurl(text: string): readonly SentRequest[] {
  const found: SentRequest[] = [];
  for (const { index, 0: name } of text.matchAll(/(?<![\w./-])curl(?:\.exe)?\s/gu)) {
    const command = text.slice(index + name.length);
    const words = [...(/\^"/u.test(command.slice(0, 2000)) ? wordsOfCmd(command) : wordsOfShell(command))];
    const bodies = words.flatMap((word, i) =>
      bodyOptions.has(word) ? [words[i + 1] ?? ""] : (joinedBody.exec(word)?.[1] ?? []),
    );
    const body = bodies.find((each) => /^\s*[[{]/u.test(each));
    if (body !== undefined) found.push({ url: words.find((word) => /^https?:\/\//u.test(word)), body });
  }
  return found;
}

const bodyOptions: ReadonlySet<string> = new Set([
  "-d",
  "--data",
  "--data-raw",
  "--data-binary",
  "--data-ascii",
  "--json",
]);

/** An option and its value in one word. */
const joinedBody = /^(?:-d|--(?:data|json|data-raw|data-binary)=)([[{][^]*)$/u;

/** The words of one command, by the rules of bash and zsh. It ends with its line. */
function* wordsOfShell(text: string): Generator<string, void, undefined> {
  let word: string | undefined;
  for (let at = 0; at < text.length; at++) {
    const sign = text.charAt(at);
    const next = text.charAt(at + 1);
    if (sign === "\\" && (next === "\n" || (next === "\r" && text.charAt(at + 2) === "\n")))
      at += next === "\r" ? 2 : 1;
    else if (sign === "\\") {
      word = (word ?? "") + next;
      at++;
    } else if (sign === "'" || sign === '"' || (sign === "$" && (next === "'" || next === '"'))) {
      const quoted = readQuoted(text, sign === "$" ? at + 1 : at, sign === "$" && next === "'");
      word = (word ?? "") + quoted.value;
      at = quoted.end - 1;
    } else if (/\s/u.test(sign)) {
      if (word !== undefined) yield word;
      word = undefined;
      if (sign === "\n") return;
    } else if (/[;|&]/u.test(sign)) break;
    else word = (word ?? "") + sign;
  }
  if (word !== undefined) yield word;
}

/** A quoted text. Only `$'…'` has the escapes of C. */
function readQuoted(text: string, start: number, isAnsi: boolean): { readonly value: string; readonly end: number } {
  const quote = text.charAt(start);
  let value = "";
  for (let at = start + 1; at < text.length; at++) {
    const sign = text.charAt(at);
    if (sign === quote) return { value, end: at + 1 };
    if (sign !== "\\" || (quote === "'" && !isAnsi)) {
      value += sign;
      continue;
    }
    const escaped = text.charAt(++at);
    const code = isAnsi ? /^(?:u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2})/u.exec(text.slice(at, at + 5))?.[0] : undefined;
    if (code !== undefined) {
      value += String.fromCharCode(Number.parseInt(code.slice(1), 16));
      at += code.length - 1;
    } else if (isAnsi) value += ansiEscapes[escaped] ?? `\\${escaped}`;
    else value += /["\\$`]/u.test(escaped) ? escaped : escaped === "\n" ? "" : `\\${escaped}`;
  }
  return { value, end: text.length };
}

const ansiEscapes: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", "'": "'", '"': '"', "\\": "\\" };

/** The words of one command of the Windows command line, where `^` escapes the next character. */
function wordsOfCmd(text: string): Generator<string, void, undefined> {
  const end = /(?<!\^\r?\n|\^)\r?\n/u.exec(text)?.index ?? text.length;
  const plain = text.slice(0, end).replaceAll(/\^(\r?\n\r?\n|\r?\n|[^])/gu, (_, escaped: string) => {
    if (!escaped.endsWith("\n")) return escaped;
    return /\n.*\n/su.test(escaped) ? "\n" : " ";
  });
  return wordsOfShell(plain.replaceAll("$", "\\$").replaceAll("`", "\\`"));
}
