import { cleanName } from "#core";
import type { Assembly, Choice, Slot } from "#core";

import { envelopes } from "./envelopes.ts";
import type { Envelope } from "./envelopes.ts";
import { callsInJson } from "./json.ts";
import type { LeakedCall } from "./json.ts";

/**
 * Finds calls that a model wrote as text, for tools that were offered and outside of code. Text that may be the beginning
 * of such a call is held back. Where the provider tells calls apart itself, what looks like one in the text is text.
 * Returns what is to be done at the end of the stream.
 */
export function recoverLeaked(assembly: Assembly): () => void {
  const { text: say, open } = assembly.direct;
  const readers = new Map<Choice, LeakReader>();
  assembly.intercept({
    text(choice, text, seal) {
      const known = readers.get(choice);
      const reader = known ?? createLeakReader(choice, assembly, { say, open });
      if (known === undefined) readers.set(choice, reader);
      reader.add(text);
      if (seal !== undefined) say(choice, "", seal); // its text may be held back
    },
    beforeOpen: (choice) => readers.get(choice)?.giveBack(),
  });
  return () => {
    for (const reader of readers.values()) reader.end();
    assembly.intercept(undefined);
  };
}

interface LeakReader {
  readonly add: (text: string) => void;
  /** The provider has told a call itself: nothing in the text is one. */
  readonly giveBack: () => void;
  readonly end: () => void;
}

function createLeakReader(
  choice: Choice,
  assembly: Assembly,
  { say, open }: { readonly say: Assembly["text"]; readonly open: Assembly["open"] },
): LeakReader {
  const { tools } = assembly.options;
  const leaked = new Map<Slot, string>();
  const code = createCodeReader();
  let isOff = tools === undefined || choice.slots.length > 0;
  let isJson: boolean | undefined;
  let held = "";
  let found: Opening | undefined; // at the beginning of what is held
  let waiting: string[] = [];
  let size = 0;
  let next = 0; // how much must be held before it is looked at again: a long text is not read again with every piece

  const release = (text: string): void => {
    code.add(text);
    say(choice, text);
  };

  /** Opens the calls of an envelope; false when it names a tool that was not offered. */
  const recover = (calls: readonly LeakedCall[] | undefined, text: string, isCut = false): boolean => {
    const known = calls?.map((call) => ({ ...call, name: nameOf(call.name, tools) }));
    if (known === undefined || known.length === 0 || !known.every(({ name }) => tools?.has(name) === true))
      return false;
    const { emit } = assembly;
    assembly.emit = undefined; // they are told at the end, when it is sure that they are calls
    known.forEach(({ name, arguments: args }, i) => {
      const slot = open(choice);
      choice.slots.pop(); // until the end, so that no delta of the provider is taken for a piece of it
      leaked.set(slot, i === 0 ? text : "");
      assembly.name(slot, name);
      assembly.append(slot, args);
      slot.isOpen = isCut;
    });
    assembly.emit = emit;
    return true;
  };

  const read = (isLast: boolean): void => {
    for (;;) {
      found ??= firstOpener(held);
      const at = found?.at ?? held.length - possibleStart(held);
      if (at > 0) release(held.slice(0, at));
      held = held.slice(at);
      if (found === undefined) return;
      const { opener, envelope } = found;
      found = { opener, envelope, at: 0 };
      const isCode = code.isOpen();
      const end = isCode ? opener.length : envelope.end(held, isLast);
      if (end === undefined) return;
      const text = held.slice(0, end);
      held = held.slice(end);
      found = undefined;
      if (isCode || !recover(envelope.read(text), text)) release(text);
    }
  };

  const take = (): void => {
    held += waiting.join("");
    waiting = [];
  };

  return {
    add(text) {
      if (isOff) {
        say(choice, text);
        return;
      }
      waiting.push(text);
      size += text.length;
      if (size < next) return;
      take();
      isJson ??= mayBeJsonCall(held);
      if (isJson === true && size > 64 && !looksLikeCall(held)) isJson = false;
      if (isJson === false) read(false);
      size = held.length;
      next = size < 4096 ? 0 : size * 1.25;
    },
    giveBack() {
      if (isOff) return;
      isOff = true;
      take();
      const texts = [...leaked.values(), held];
      const order = choice.order.filter((item) => item.type !== "call" || !leaked.has(item.slot));
      choice.order.splice(0, choice.order.length, ...order);
      leaked.clear();
      held = "";
      for (const text of texts) say(choice, text);
    },
    end() {
      if (isOff) return;
      take();
      if (isJson !== false && recover(jsonCall(held), held)) held = "";
      read(true);
      if (held !== "") endCut();
      choice.slots.push(...leaked.keys());
      for (const slot of leaked.keys()) assembly.note("leaked-call", slot);
    },
  };

  /** An envelope that was never closed: what is whole in it counts, and the call that it breaks off in is cut off. */
  function endCut(): void {
    const ends = found?.envelope.innerEnd === undefined ? [] : [...held.matchAll(found.envelope.innerEnd)];
    const last = ends.at(-1);
    const whole = last === undefined ? "" : held.slice(0, last.index + last[0].length);
    const rest = held.slice(whole.length);
    if (found === undefined || (whole !== "" && !recover(found.envelope.read(whole), whole))) release(held);
    else if (!recover(begunCall(rest), rest, true)) release(rest);
    held = "";
  }
}

/** The tool name of a leaked call; the name itself if something that may be an argument follows. */
function nameOf(name: string, tools: Assembly["options"]["tools"]): string {
  const clean = cleanName(name, tools);
  return name.trim().replace(/:\d+$/u, "").endsWith(clean) ? clean : name;
}

interface Opening {
  readonly at: number;
  readonly opener: string;
  readonly envelope: Envelope;
}

const openings = envelopes.flatMap((envelope) => envelope.openers.map((opener) => ({ opener, envelope })));
const longest = Math.max(...openings.map(({ opener }) => opener.length));
const firstSigns = new Set(openings.map(({ opener }) => opener.charAt(0)));

/** The earliest text that opens an envelope. */
function firstOpener(text: string): Opening | undefined {
  const found = anyOpener.exec(text);
  const known = openings.find(({ opener }) => opener === found?.[0]);
  return found === null || known === undefined ? undefined : { ...known, at: found.index };
}

const anyOpener = new RegExp(
  openings.map(({ opener }) => opener.replaceAll(/[.|[\]]/gu, String.raw`\$&`)).join("|"), // the signs that mean something there
  "u",
);

/** How long the end of the text is that may be the beginning of an opener. */
function possibleStart(text: string): number {
  for (let at = Math.max(0, text.length - longest + 1); at < text.length; at++) {
    if (!firstSigns.has(text.charAt(at))) continue;
    const end = text.slice(at);
    if (openings.some(({ opener }) => opener.startsWith(end))) return end.length;
  }
  return 0;
}

/** Undefined while it cannot be told. */
function mayBeJsonCall(text: string): boolean | undefined {
  const bare = text.trimStart();
  if (bare === "" || (bare.length < 6 && "[TOOL_CALLS]".startsWith(bare))) return undefined;
  return /^[[{]/u.test(bare) && !bare.startsWith("[TOOL_");
}

/** The keys with which models begin a call as JSON. */
const looksLikeCall = (text: string): boolean =>
  /^(?:\[\s*)?\{\s*"(?:name|type|id|function|tool_calls|arguments|parameters|args)"/u.test(text.trimStart());

/** A text that is a call as JSON, and nothing else: it must have arguments, since many things have a name. */
const jsonCall = (text: string): readonly LeakedCall[] | undefined =>
  looksLikeCall(text) && /"(?:arguments|parameters|args)"/u.test(text) ? callsInJson(text) : undefined;

/** The call that the beginning of an envelope names, with what there is of its arguments. */
function begunCall(text: string): readonly LeakedCall[] | undefined {
  const head =
    /(?:"name"\s*:\s*"|<function=|invoke name="|call tool="|call[_▁]begin[|｜]>\s*(?!function<)|[_▁]sep[|｜]>|to=|\[TOOL_CALLS\]\s*|^<tool_call>\s*)([\w.:-]+)(?=["\s<>[{])/u.exec(
      text,
    );
  if (head === null) return undefined;
  const [all, name = ""] = head;
  const rest = text.slice(head.index + all.length);
  const start = /<(?:parameter|arg_key|\|open\|>argument)/u.test(rest) ? -1 : rest.indexOf("{");
  return [{ name, arguments: start < 0 ? rest : rest.slice(start) }];
}

/** Follows whether a text ends in a code fence, or in code between backticks on one line. */
function createCodeReader(): { readonly add: (text: string) => void; readonly isOpen: () => boolean } {
  let isFenced = false;
  let isInline = false;
  let ticks = 0;
  const count = (): void => {
    if (ticks >= 3) {
      isFenced = !isFenced;
      isInline = false;
    } else if (ticks > 0) isInline = !isInline;
    ticks = 0;
  };
  return {
    add(text) {
      for (const sign of text) {
        if (sign === "`") ticks++;
        else if (ticks > 0) count();
        if (sign === "\n") isInline = false;
      }
    },
    isOpen() {
      count();
      return isFenced || isInline;
    },
  };
}
