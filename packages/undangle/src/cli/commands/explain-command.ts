import { Buffer } from "node:buffer";
import { explain } from "#explain";
import type { Explanation } from "#explain";
import type { Io } from "../io.ts";
import { pad, textWidth, wrap } from "../terminal/text-width.ts";
import { openSession, refuseNothing } from "./session.ts";
import type { Arguments, Session } from "./session.ts";

/** `undangle explain`: says what a provider's error text means and what fixes it. */
export async function explainCommand(args: Arguments, io: Io): Promise<number> {
  const session = openSession(args, io);
  const { operands, options, out } = session;
  const piped = operands.length === 0 || (operands.length === 1 && operands[0] === "-");
  if (piped && io.stdin.isTTY) return await refuseNothing(session, session.texts.explain.noText);
  const text = piped ? await readAll(io.stdin.read()) : operands.join(" ");
  if (text.trim() === "") return await refuseNothing(session, session.texts.explain.noText);
  const found = explain(text, options.format === undefined ? {} : { format: options.format });
  const known = found.some(({ confidence }) => confidence !== "nearest");
  if (options.json === true) await out.write(`${JSON.stringify(found, undefined, 2)}\n`);
  else if (options.quiet !== true) await out.write(render(found, known, session));
  await out.flush();
  return known ? 0 : 1;
}

function render(found: readonly Explanation[], known: boolean, session: Session): string {
  const { texts, paint } = session;
  const lines = found.flatMap((one) => renderOne(one, session));
  if (known) return `${lines.join("\n")}\n`;
  const head = paint("bold", texts.explain.unknown);
  const nearest = found.length === 0 ? [] : [texts.explain.nearest, "", ...lines];
  const next = wrap(texts.explain.unknownNext, columnsOf(session));
  return `${[head, ...nearest, ...(found.length === 0 ? [""] : []), ...next].join("\n")}\n`;
}

function renderOne({ rule, docs, confidence }: Explanation, session: Session): readonly string[] {
  const { texts, paint } = session;
  const { title, why, fix } = texts.rules[rule];
  const labels = [texts.explain.why, texts.explain.fix, texts.explain.docs];
  const margin = Math.max(...labels.map(textWidth)) + 4;
  const row = (label: string, text: string): readonly string[] =>
    wrap(text, columnsOf(session) - margin).map(
      (line, index) => `  ${paint("dim", pad(index === 0 ? label : "", margin - 2))}${line}`,
    );
  const note = confidence === "likely" ? paint("dim", ` (${texts.likely})`) : "";
  return [
    `${paint("yellow", rule)}  ${paint("bold", title)}${note}`,
    ...row(texts.explain.why, why),
    ...row(texts.explain.fix, fix),
    ...row(texts.explain.docs, texts.explain.inPackage(docs)),
    "",
  ];
}

const columnsOf = ({ io }: Session): number => Math.min(Math.max(io.stdout.columns, 40), 100);

async function readAll(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const held: Uint8Array[] = [];
  for await (const chunk of chunks) held.push(chunk);
  return Buffer.concat(held).toString("utf8");
}
