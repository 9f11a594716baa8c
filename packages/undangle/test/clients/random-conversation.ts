import { setImmediate as breath, setTimeout as pause } from "node:timers/promises";
import { convert, repair, wrapFetch } from "undangle";
import { randomFrom } from "../judge/random.ts";
import type { Random } from "../judge/random.ts";
import { createEar } from "./ear.ts";
import type { Ear } from "./ear.ts";
import { restart } from "./program.ts";
import type { Answer, Conversation, Line, Program } from "./program.ts";
import { answerSome, damage, stopFrom } from "./random-events.ts";
import type { Stop } from "./random-events.ts";
import { sceneFrom } from "./random-scene.ts";
import { rawPrograms } from "./raw-programs.ts";
import { sdkPrograms } from "./sdk-programs.ts";
import type { Tally } from "./tally.ts";
import type { Stage, WaitingServer } from "./waiting-server.ts";
import { watchedSignal } from "./watched-signal.ts";
import type { WatchedSignal } from "./watched-signal.ts";
import { wrongWith } from "./wrong-with.ts";
import type { Sent } from "./wrong-with.ts";

/** Where conversations are held. */
export interface Setting {
  readonly server: WaitingServer;
  readonly tally: Tally;
  /** True: without `wrapFetch`. */
  readonly isBare?: boolean;
  /** Milliseconds after which a conversation hangs. */
  readonly patience?: number;
}

/**
 * Holds a conversation of two to six turns in which anything may happen; the seed decides what. Throws when a law is broken,
 * with the story of the conversation.
 */
export async function holdConversation(seed: number, setting: Setting): Promise<void> {
  const { server, tally, patience = 10_000 } = setting;
  const story: string[] = [];
  const timer = new AbortController();
  const deadline = pause(patience, undefined, { signal: timer.signal }).then(() => {
    const unheard = server.unheard().join("");
    throw new Error(unheard === "" ? `hangs: ${server.open()} answers are open` : `delayed: ${unheard}`);
  });
  try {
    await Promise.race([talk(beginning(seed, setting, story)), deadline]);
  } catch (error) {
    const again = `FUZZ_CONVERSATION=${seed} npm run fuzz -- wrap-fetch-random`;
    const lines = [`Conversation ${seed}: ${String(error)}`, ...story, `Once more: ${again}`];
    throw new Error(lines.join("\n  "), { cause: error });
  } finally {
    timer.abort();
    await deadline.catch(() => undefined); // it was told above, or is not of interest any more
    server.stage = undefined;
    tally.conversations += 1;
  }
}

/** A conversation as it goes on. */
interface Run extends Setting {
  readonly seed: number;
  /** Chance for one purpose in the present turn: what happens elsewhere does not change it. */
  readonly random: (purpose: number) => Random;
  readonly story: string[];
  readonly ear: Ear;
  readonly toolCalls: "hold" | "stream";
  turn: number;
  program: Program;
  provider: string | undefined;
  watch: WatchedSignal;
  conversation: Conversation;
  /** What was answered in the present turn. */
  sent: (Sent & { readonly status?: number }) | undefined;
  /** The bytes of the present turn, as they were sent and as they came. */
  bytes: { readonly sent: Uint8Array[]; readonly came: Uint8Array[] };
  /** The provider would not have the present request. */
  isRefused: boolean;
  /** Why a request was refused that should not have been. */
  refusal: string | undefined;
}

const purposes = { program: 0, scene: 1, history: 2, stop: 3, results: 4 };

function beginning(seed: number, setting: Setting, story: string[]): Run {
  const random = (purpose: number): Random => randomFrom(mixed(seed, 1 + run.turn * 8 + purpose));
  const first = randomFrom(mixed(seed, 0));
  const program = programFrom(first);
  const watch = watchedSignal();
  const run: Omit<Run, "conversation"> = {
    ...setting,
    seed,
    random,
    story,
    ear: createEar(),
    toolCalls: first.chance(0.3) ? "stream" : "hold",
    turn: 0,
    program,
    provider: providerFrom(program, first),
    watch,
    sent: undefined,
    bytes: { sent: [], came: [] },
    isRefused: false,
    refusal: undefined,
  };
  const begun = Object.assign(run, { conversation: program.open(lineOf(run)) });
  setting.server.stage = stageOf(begun);
  story.push(placeOf(begun));
  return begun;
}

/** A seed for a part of what another seed decides. */
function mixed(seed: number, part: number): number {
  const once = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b);
  const twice = Math.imul(once ^ (once >>> 13) ^ part, 0xc2b2ae35);
  return (twice ^ (twice >>> 15)) >>> 11; // `randomFrom` is exact for seeds of 21 bits
}

async function talk(run: Run): Promise<void> {
  const turns = 2 + run.random(purposes.program).below(5);
  for (; run.turn < turns; run.turn += 1) {
    happen(run, run.random(purposes.history));
    const stop = stopFrom(run.program, run.random(purposes.stop), run.ear);
    const before = JSON.stringify(run.conversation.messages);
    const { answer, isStopped } = await ask(run, stop);
    if (run.refusal !== undefined) throw new Error(`${run.refusal}\n  history ${before}`);
    if (isStopped) continue;
    const wrong = await wrongIn(run, answer);
    if (wrong !== undefined) throw new Error(wrong);
    if (answer.error === undefined) answerSome(run.conversation, answer, run.random(purposes.results));
  }
  const strays = run.watch.strays();
  if (isRaw(run.program) && strays > 0) throw new Error(`${strays} listeners are left on the signal`);
  while (run.server.open() > 0) await pause(1); // until the deadline
  if (run.refusal !== undefined) throw new Error(run.refusal);
}

/** The law that an answer breaks. */
async function wrongIn(
  { sent, bytes, program, isRefused, toolCalls }: Run,
  answer: Answer,
): Promise<string | undefined> {
  if (sent === undefined) {
    // SDKs may refuse a history themselves.
    return isRaw(program) && !isRefused ? `failed before it was sent: ${String(answer.error)}` : undefined;
  }
  if (sent.status !== undefined) return answer.error === undefined ? `swallowed: ${sent.status}` : undefined;
  const isChanged = !Buffer.concat(bytes.sent).equals(Buffer.concat(bytes.came));
  if (isRaw(program) && sent.faults.length === 0 && isChanged) return "changed: the bytes of a healthy answer";
  const wrong = await wrongWith(answer, sent);
  // What cannot be mended while it passes may be lost; nothing else may become of it.
  const isLost = wrong?.startsWith("lost: ") === true && sent.faults.length > 0;
  return toolCalls === "stream" && isLost ? undefined : wrong;
}

/** What befalls a history between two turns. */
function happen(run: Run, random: Random): void {
  const { tally, story } = run;
  if (random.chance(0.2)) {
    story.push("restart");
    tally.restarts += 1;
    run.conversation = restart(run.program, lineOf(run), run.conversation.messages);
  }
  if (random.chance(0.15) && isPlain(run.program)) {
    tally.switches += 1;
    switchProgram(run, random);
    story.push(`switch to ${placeOf(run)}`);
  }
  if (random.chance(0.3)) {
    story.push("damage");
    tally.damages += 1;
    damage(run.conversation, run.program, random);
  }
  if (run.turn === 0 || random.chance(0.6) || run.conversation.messages.length === 0) {
    run.conversation.say(`user-${run.turn}`);
  }
}

function switchProgram(run: Run, random: Random): void {
  const { messages } = run.conversation;
  const from = run.program.history;
  run.program = programFrom(random, isPlain);
  run.provider = providerFrom(run.program, random);
  run.watch = watchedSignal(); // the SDK before has listeners of its own
  const to = run.program.history;
  const isReady = messages.length === 0 || from === to;
  const carried = isReady ? messages : (convert(messages, { from, to }).output as readonly unknown[]); // a list for a list
  run.conversation = run.program.open(lineOf(run), carried);
}

async function ask(
  run: Run,
  stop: Stop | undefined,
): Promise<{ readonly answer: Answer; readonly isStopped: boolean }> {
  const { conversation, watch, ear, story, tally } = run;
  const signal = watch.signal();
  run.sent = undefined;
  run.isRefused = false;
  run.bytes = { sent: [], came: [] };
  const asking = conversation.ask({
    signal,
    onText(text) {
      ear.hear(text);
      if (stop?.way === "abort" && stop.isDue()) watch.abort();
    },
    isEnough: () => stop?.way === "break" && stop.isDue(),
  });
  if (stop?.way === "soon") {
    for (let i = 0; i < stop.breaths; i += 1) await breath();
    watch.abort();
  }
  const answer = await asking;
  const isStopped = stop !== undefined && (signal.aborted || stop.isDue());
  if (isStopped) {
    story.push(`stopped: ${stop.way}`);
    tally.stops += 1;
  }
  return { answer, isStopped };
}

/** What the server does for a run. */
function stageOf(run: Run): Stage {
  const { tally, story, ear } = run;
  return {
    isAwaited: (headers) => headers["x-turn"] === turnOf(run),
    provider: () => run.provider,
    play(format) {
      const serial = run.turn + 1;
      const scene = sceneFrom({ format, serial, hasReasoning: isRaw(run.program) }, run.random(purposes.scene));
      const { turn, faults, status, lingers } = scene;
      story.push(`answer ${serial}: ${JSON.stringify({ ...turn, faults, status, lingers })}`);
      tally.requests += 1;
      for (const name of faults) tally.faults.set(name, (tally.faults.get(name) ?? 0) + 1);
      run.sent = { ...scene, format };
      const { sent } = run.bytes;
      return { ...scene, ear, onBytes: (bytes) => void sent.push(bytes) };
    },
    refuse(body, reason) {
      tally.requests += 1;
      run.isRefused = true;
      const { problems } = repair(body, { format: run.program.format, provider: run.provider });
      if (problems.length > 0) tally.hopeless += 1;
      else run.refusal = `refused: ${reason} in ${JSON.stringify(body)}`;
    },
  };
}

function lineOf(run: Omit<Run, "conversation">): Line {
  const { program, provider, server, watch, toolCalls, isBare = false } = run;
  const fetch: typeof globalThis.fetch = (input, init) => {
    const headers = new Headers(init?.headers);
    headers.set("x-turn", turnOf(run));
    return watch.fetch(input, { ...init, headers });
  };
  return {
    baseUrl: program.format.startsWith("openai") ? `${server.url}/v1` : server.url,
    fetch: isBare ? fetch : wrapFetch({ logger: false, provider, fetch, toolCalls }),
    onBytes: (bytes) => void run.bytes.came.push(bytes),
    isBare,
  };
}

/** What a request says of itself: one that was given up may come late. */
const turnOf = ({ seed, turn }: Pick<Run, "seed" | "turn">): string => `${seed}.${turn}`;

const placeOf = ({ program, provider, toolCalls }: Run): string =>
  `${program.name}${provider === undefined ? "" : ` at ${provider}`}${toolCalls === "stream" ? ", live" : ""}`;

const isRaw = (program: Program): boolean => rawPrograms.includes(program);

/** Its messages are those of the wire. */
const isPlain = ({ history, format }: Program): boolean => history === format;

/** Most have no SDK, because those are fast. */
function programFrom(random: Random, fits: (program: Program) => boolean = () => true): Program {
  const [first, ...others] = (random.chance(0.75) ? rawPrograms : sdkPrograms).filter(fits);
  if (first === undefined) throw new Error("There is no such program.");
  return random.pick([first, ...others]);
}

function providerFrom(program: Program, random: Random): string | undefined {
  const isFree = program.format === "openai-chat" && isPlain(program);
  const provider = isFree
    ? random.pick([undefined, "mistral", "deepseek", "moonshot", "groq", "openrouter"])
    : undefined;
  // SDKs of others do not know its lists, nor its calls without a type, and those are not damage there.
  return provider === "mistral" && !isRaw(program) ? undefined : provider;
}
