import { createFrameReader, saysTheSame } from "#codecs";
import type { PlainTurn, ReadFrame, Said, SentFrame, StreamCleaner } from "#codecs";
import { isRecord } from "#core";
import type { AssembledTurn } from "#core";

import { isReadable } from "./is-readable.ts";
import type { Exchange } from "./mend-response.ts";
import { toolsIn } from "./request-body.ts";

/** What is left when nothing more comes. */
interface Ending {
  readonly rest: string;
  readonly error?: Error;
}

/** Decides, event by event, what passes. */
export interface Mender {
  /** What passes of an event. */
  readonly take: (raw: string) => string;
  /** What passes of the events from an index on that repeat the last one, and the index behind them; -1 for none. */
  readonly repeat: (text: string, from: number) => { readonly passed: string; readonly end: number };
  /** The provider has reported an error: nothing more counts. */
  readonly isBroken: () => boolean;
  readonly end: () => Ending;
}

export function createMender(cleaner: StreamCleaner, { endpoint, request, reporter }: Exchange): Mender {
  const frames = createFrameReader({ format: endpoint.format, tools: toolsIn(request.body) });
  const calling: SentFrame[] = []; // all frames that speak of calls or of the end
  let released: readonly PlainTurn[] = []; // with the calls that have passed as they came
  let told = 0; // how many of those have passed
  let tried = 0; // how many there were when they were last looked at
  let held: string[] = [];
  let untold: Said[] = []; // what is said in frames that are held
  let isHolding = false;
  let isRewritten = false; // something that is only said was written anew
  let isHealthy = true; // what is held is sent as it should be

  const tell = (turns: readonly AssembledTurn[], error?: string): void => {
    reporter.tell({
      side: "response",
      url: request.url,
      format: endpoint.format,
      isChanged: true,
      anomalies: turns.flatMap(({ anomalies }) => anomalies),
      ...(error !== undefined && { error }),
    });
  };

  const isSound = ({ value, event, said, hasEnd }: ReadFrame): boolean =>
    isRecord(value) && cleaner.isSound({ value, event }, { said, hasEnd });

  const write = (written: readonly SentFrame[]): string => {
    for (const frame of written) cleaner.passed(frame);
    return written.map(cleaner.textOf).join("");
  };

  /** What passes of a frame that speaks of no call. */
  const pass = (frame: ReadFrame, raw: string | undefined): string => {
    const value = isRecord(frame.value) ? frame.value : {};
    const sent = { value, event: frame.event };
    if (!isSound(frame)) {
      isRewritten = true;
      return write(cleaner.say(frame.said, value));
    }
    if (raw === undefined) return write([sent]);
    cleaner.passed(sent);
    return raw;
  };

  /** Lets go of calls that are whole and sent as they should be. */
  const release = (): string => {
    if (tried === calling.length) return ""; // nothing has come since
    tried = calling.length;
    const plain = isHealthy ? cleaner.read(calling) : undefined;
    const calls = plain?.flatMap(({ calls: all }, t) => all.slice(released[t]?.calls.length ?? 0)) ?? []; // the new ones
    if (calls.length === 0 || !calls.every((call) => isObjectText(call.arguments))) return "";
    if (!calls.every(({ name }) => frames.isPlainName(name))) return "";
    released = plain ?? [];
    for (; told < calling.length; told++) cleaner.passed(calling[told] ?? { value: {} });
    const passed = held.join("");
    held = [];
    untold = [];
    isHolding = false;
    return passed;
  };

  /** Says what stands in frames that are held and does not wait for calls: those frames cannot pass any more. */
  const tellHeld = (): string => {
    if (untold.length === 0) return "";
    const said = write(cleaner.say(untold, { ...calling.at(-1)?.value }));
    untold = [];
    isHealthy = false;
    return said;
  };

  const takeFrame = (frame: ReadFrame, raw: string | undefined): string => {
    const isSaid = frame.said.length > 0 && !frame.hasCall && !frame.hasEnd;
    let passed = isHolding && isSaid ? release() : "";
    isHolding ||= frame.hasCall || (frame.hasEnd && !isSound(frame));
    if (!isHolding || (isSaid && !cleaner.isNumbered)) return passed + tellHeld() + pass(frame, raw);
    if (!cleaner.isNumbered) untold.push(...frame.said);
    const sent = { value: isRecord(frame.value) ? frame.value : {}, event: frame.event };
    held.push(raw ?? "");
    isHealthy &&= raw !== undefined;
    calling.push(sent);
    if (cleaner.endsCall(sent)) passed += release();
    return passed;
  };

  let follows: "passed" | "held" | undefined; // what became of the last event, where that was one whole frame

  return {
    repeat(text, from) {
      const run = follows === undefined ? undefined : frames.repeat(text, from);
      if (run === undefined) return { passed: "", end: -1 };
      const { end, event } = run;
      const value = run.value();
      const sent = { value: isRecord(value) ? value : {}, event };
      const raw = text.slice(from, end);
      if (follows === "passed") {
        cleaner.passed(sent);
        return { passed: raw, end };
      }
      held.push(raw);
      calling.push(sent);
      return { passed: "", end };
    },
    take(raw) {
      follows = undefined;
      if (raw === "") return "";
      const read = frames.take(raw);
      if (frames.isBroken()) return raw; // whoever knows errors of this kind is to see it
      const isWhole = isReadable(raw, read.length, endpoint.format);
      if (read.length > 0) {
        const passed = read.map((frame) => takeFrame(frame, isWhole ? raw : undefined)).join("");
        if (isWhole)
          follows = passed === raw ? "passed" : passed === "" && isHolding && untold.length === 0 ? "held" : undefined;
        return passed;
      }
      if (!isWhole) return "";
      if (!isHolding && !raw.includes("[DONE]")) return raw;
      held.push(raw); // the mark of the end stays the last
      return "";
    },
    isBroken: () => frames.isBroken(),
    end() {
      const { turns, said, hasCall } = frames.end();
      const fault = turns.find(({ error }) => error?.from === "provider")?.error;
      if (fault !== undefined) return { rest: "", error: new Error(fault.message) };
      const late = said.length === 0 ? "" : write(cleaner.say(said, calling[0]?.value ?? {}));
      const isCut = turns.some(({ complete, calls, finish }) => !complete && (calls.length > 0 || finish === null));
      if (isRewritten && !isCut) tell(turns);
      if (!isHolding && !hasCall && (released.length === 0 || !isCut)) return { rest: late + held.join("") };
      if (isCut) {
        const reason = turns.find(({ error }) => error !== undefined)?.error?.message ?? "the stream ended too early";
        tell(turns, reason);
        return {
          rest: tellHeld() + late,
          error: new Error(`The answer was cut off in the middle of a tool call: ${reason}`),
        };
      }
      const plain = isHealthy ? cleaner.read(calling) : undefined;
      if (plain !== undefined && saysTheSame(plain, turns)) return { rest: late + held.join("") };
      if (!isRewritten) tell(turns);
      const left = turns.map((turn, t) => ({ ...turn, calls: withoutReleased(turn.calls, released[t]?.calls ?? []) }));
      return { rest: tellHeld() + late + write(cleaner.write(left, calling)) + cleaner.terminator };
    },
  };
}

/** Calls without those that have passed: they are told by their ids, or by their places where they have none. */
function withoutReleased(calls: AssembledTurn["calls"], released: PlainTurn["calls"]): AssembledTurn["calls"] {
  return calls.filter(({ id }, place) => !released.some((one, at) => one.id === id || (one.id === "" && at === place)));
}

function isObjectText(text: string): boolean {
  try {
    return isRecord(JSON.parse(text));
  } catch {
    return false; // it is not whole yet, or never will be
  }
}
