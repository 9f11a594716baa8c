import { cleanName } from "#core";
import type { Assembly, Choice, Slot } from "#core";

import { envelopes } from "./envelopes.ts";
import type { Envelope } from "./envelopes.ts";
import { callsInJson } from "./json.ts";
import type { LeakedCall } from "./json.ts";

/**
 * Recovers calls of offered tools that a model wrote as text, outside code. Text that may start such a call is held. If
 * the provider sends structured calls, nothing in the text is treated as a call. Returns a function to run at the end
 * of the stream.
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
      if (seal !== undefined) say(choice, "", seal); // its text may be held
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
  /** Returns held text as text, because the provider sent a structured call. */
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
  let found: Opening | undefined; // at the start of the held text
  let waiting: string[] = [];
  let size = 0;
  let next = 0; // the held length before the next scan, so that long text is not scanned again for every delta

  const release = (text: string): void => {
    code.add(text);
    say(choice, text);
  };

  /** Opens the calls of an envelope. False if it names a tool that was not offered. */
  const recover = (calls: readonly LeakedCall[] | undefined, text: string, isCut = false): boolean => {
    const known = calls?.map((call) => ({ ...call, name: nameOf(call.name, tools) }));
    if (known === undefined || known.length === 0 || !known.every(({ name }) => tools?.has(name) === true))
      return false;
    const { emit } = assembly;
    assembly.emit = undefined; // emitted at the end, when they are certain to be calls
    known.forEach(({ name, arguments: args }, i) => {
      const slot = open(choice);
      choice.slots.pop(); // until the end, so that no delta of the provider is appended to it
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

  /** Handles an unclosed envelope: complete calls count, and the last call is truncated. */
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

/** The tool name of a leaked call. The name stays unchanged if text that may be an argument follows it. */
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
  openings.map(({ opener }) => opener.replaceAll(/[.|[\]]/gu, String.raw`\$&`)).join("|"), // the characters with a special meaning
  "u",
);

/** The length of the end of the text that may be the start of an opener. */
function possibleStart(text: string): number {
  for (let at = Math.max(0, text.length - longest + 1); at < text.length; at++) {
    if (!firstSigns.has(text.charAt(at))) continue;
    const end = text.slice(at);
    if (openings.some(({ opener }) => opener.startsWith(end))) return end.length;
  }
  return 0;
}

/** Undefined if more text is needed. */
function mayBeJsonCall(text: string): boolean | undefined {
  const bare = text.trimStart();
  if (bare === "" || (bare.length < 6 && "[TOOL_CALLS]".startsWith(bare))) return undefined;
  return /^[[{]/u.test(bare) && !bare.startsWith("[TOOL_");
}

/** True for the keys with which models start a call as JSON. */
const looksLikeCall = (text: string): boolean =>
  /^(?:\[\s*)?\{\s*"(?:name|type|id|function|tool_calls|arguments|parameters|args)"/u.test(text.trimStart());

/** The call in a text that is only JSON. Arguments are required, because many objects have a name. */
const jsonCall = (text: string): readonly LeakedCall[] | undefined =>
  looksLikeCall(text) && /"(?:arguments|parameters|args)"/u.test(text) ? callsInJson(text) : undefined;

/** The call at the start of an unclosed envelope, with its partial arguments. */
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

/** Tracks whether a text ends inside a code fence or inline code. */
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
