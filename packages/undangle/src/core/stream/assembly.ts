import type { JsonObject } from "../json.ts";
import { anomalies } from "./anomalies.ts";
import type { Anomaly, AnomalyKind } from "./anomalies.ts";
import { cleanName, createSlot, joinName, joinNameless } from "./call-slot.ts";
import type { Slot, ToolNames } from "./call-slot.ts";
import { doubt, doubtStrays, isRunning, lose, mayLackCall, worse } from "./losses.ts";
import type { Loss } from "./losses.ts";
import { createPreview } from "./preview.ts";
import type { Preview } from "./preview.ts";
import type { Seal, AssembledTurn, Finish, StreamFault, StreamPart, TurnMedia } from "./turn.ts";
import { finishChoice } from "./finish-choice.ts";
import type { Closed } from "./finish-choice.ts";

export interface AssemblyOptions {
  readonly tools: ToolNames;
  /** True if the request asked for one choice, regardless of its index. False if indexes count. */
  readonly isSingle?: boolean;
  /** False ignores calls of provider tools that the client runs, such as a shell. */
  readonly hasClientTools?: boolean;
  readonly knownIds: ReadonlySet<string>;
  readonly lenient: boolean;
  /** Receives what the decoder reads. */
  readonly observer?: AssemblyObserver;
}

export interface AssemblyObserver {
  text(type: TextItem["type"], choice: Choice, text: string): void;
  opened(slot: Slot, choice: Choice): void;
  /** An id, a name or arguments of a call arrived. */
  continued(slot: Slot): void;
  finished(choice: Choice): void;
  failed(): void;
  noted(kind: AnomalyKind): void;
}

/** Replaces `text`, and is called before a call is opened. */
export interface TextInterceptor {
  readonly text: Assembly["text"];
  readonly beforeOpen: (choice: Choice) => void;
}

/** A choice of a response while it is assembled. */
export interface Choice {
  readonly number: number;
  /** Text, reasoning and calls in order of their start. */
  readonly order: OrderItem[];
  readonly slots: Slot[];
  /** The newest call by label and by id, for lookups in responses with thousands of calls. */
  readonly labels: Map<Slot["label"], Slot>;
  readonly ids: Map<string, Slot>;
  /** True if arguments of a call arrived under the index or id of another. */
  hasAliases: boolean;
  readonly anomalies: Anomaly[];
  /** All finish reasons. */
  readonly finishes: Exclude<Finish, null>[];
  /** Set if a chunk could not be read, and its kind. */
  lost: Loss | undefined;
  /** The number of the last call that an unreadable event made doubtful. */
  doubted: number;
}

export type OrderItem = TextItem | TurnMedia | { readonly type: "call"; readonly slot: Slot };

/** A text or reasoning part. */
export interface TextItem {
  readonly type: "text" | "reasoning";
  text: string;
  seal: Seal | undefined;
  /** True if there is only a signature. */
  isRedacted: boolean;
  /** True if later text starts a new part. */
  isClosed: boolean;
}

/** The target of decoders. It never throws. */
export interface Assembly {
  readonly options: AssemblyOptions;
  /** The listener; without one no parts are created. */
  emit: ((part: StreamPart) => void) | undefined;
  intercept(interceptor: TextInterceptor | undefined): void;
  /** `text` and `open` without the interceptor. */
  readonly direct: Pick<Assembly, "text" | "open">;
  /** The number of frames. */
  frames: number;
  usage: JsonObject | undefined;
  /** A value of this response that makes generated ids differ between turns. */
  salt: string;
  choice(number: number): Choice;
  /** Signed text is a separate part, with or without text. */
  text(choice: Choice, text: string, seal?: Seal): void;
  reasoning(choice: Choice, text: string, seal?: Seal): void;
  /** Starts a new part, which counts if text or a signature follows. */
  begin(choice: Choice, type: TextItem["type"]): TextItem;
  media(choice: Choice, media: TurnMedia): void;
  /** A new call, with or without a label. */
  open(choice: Choice, label?: Slot["label"]): Slot;
  /** The id, the name or the arguments of a call; blank values are ignored. */
  identify(slot: Slot, id: unknown): void;
  name(slot: Slot, delta: unknown): void;
  append(slot: Slot, text: string): void;
  finish(choice: Choice, finish: Exclude<Finish, null>): void;
  /** Reports an end. */
  close(what: Closed): void;
  fail(fault: StreamFault): void;
  /** Reports an unreadable chunk. True if a call may lack it. */
  lose(what: Loss, kind?: AnomalyKind): boolean;
  /** Reports an event without readable content: calls without arguments may lack them. */
  doubt(): void;
  /** Reports an anomaly of a call, a choice or the stream. */
  note(kind: AnomalyKind, at?: Choice | Slot): void;
  /** The turns of all choices, in order. */
  end(): readonly AssembledTurn[];
}

/**
 * Sets the listener. V8 allocates a function that is assigned as `object.field = function` in the old generation, so a
 * whole stream in its closure would stay in memory until the next full collection.
 */
export function listen(assembly: Assembly, emit: NonNullable<Assembly["emit"]>): void {
  Object.assign(assembly, { emit });
}

export function createAssembly(options: AssemblyOptions): Assembly {
  const choices = new Map<number, Choice>();
  let calls = 0;
  let closed: Closed | undefined;
  let fault: StreamFault | undefined;
  const previews = new Map<Slot, Preview>();
  const { observer } = options;
  let interceptor: TextInterceptor | undefined;
  let early: Anomaly[] = []; // reported before there was a choice
  let lost: Choice["lost"]; // for all choices, including later ones

  const choiceOf = (number: number): Choice => {
    const known = choices.get(number);
    if (known !== undefined) return known;
    const choice: Choice = {
      number,
      order: [],
      slots: [],
      labels: new Map(),
      ids: new Map(),
      hasAliases: false,
      anomalies: [],
      finishes: [],
      lost,
      doubted: -1,
    };
    choices.set(number, choice);
    for (const anomaly of early) emitAnomaly(choice, anomaly);
    early = [];
    return choice;
  };

  const say = (choice: Choice, type: TextItem["type"], text: string): void => {
    const last = choice.order[choice.order.length - 1];
    if (last?.type === type && !last.isClosed) last.text += text;
    else choice.order.push({ type, text, seal: undefined, isRedacted: false, isClosed: false });
    assembly.emit?.({ type: `${type}-delta`, choice: choice.number, text });
  };

  const addSigned = (choice: Choice, type: TextItem["type"], text: string, seal: Seal): void => {
    const item = assembly.begin(choice, type);
    if (text !== "") say(choice, type, text);
    item.seal = seal;
    item.isClosed = true;
  };

  const direct: Assembly["direct"] = {
    text(choice, text, seal) {
      if (seal !== undefined) addSigned(choice, "text", text, seal);
      else if (text !== "") say(choice, "text", text);
    },
    open(choice, label) {
      const slot = createSlot(calls++, choice.number, label);
      choice.slots.push(slot);
      choice.labels.set(label, slot);
      choice.order.push({ type: "call", slot });
      observer?.opened(slot, choice);
      return slot;
    },
  };

  const note = (kind: AnomalyKind, at?: Choice | Slot): void => {
    observer?.noted(kind);
    const slot = at !== undefined && "fragments" in at ? at : undefined;
    if (slot?.seen.has(kind) === true) return;
    slot?.seen.add(kind);
    const frame = assembly.frames > 0 ? { frame: assembly.frames - 1 } : {};
    const anomaly: Anomaly = { kind, message: anomalies[kind], ...(slot && { call: slot.number }), ...frame };
    const given = at !== undefined && "slots" in at ? at : undefined;
    const choice = given ?? (slot === undefined ? choices.values().next().value : choiceOf(slot.choice));
    if (choice === undefined) early.push(anomaly);
    else emitAnomaly(choice, anomaly);
  };

  const emitAnomaly = (choice: Choice, anomaly: Anomaly): void => {
    choice.anomalies.push(anomaly);
    assembly.emit?.({ type: "anomaly", choice: choice.number, anomaly });
  };

  /** Emits the start of a call once its name and arguments have arrived, and the arguments before that. */
  const emitStart = (slot: Slot, text: string, isOver = false): void => {
    const { emit } = assembly;
    if (emit === undefined || ((slot.name === "" || slot.repeats !== undefined) && !isOver)) return;
    const { choice, number: call } = slot;
    const isFirst = !slot.isEmitted;
    if (isFirst) {
      slot.isEmitted = true;
      emit({ type: "call-start", choice, call, id: slot.id, name: cleanName(slot.name, options.tools) });
    }
    const texts = isFirst ? slot.fragments.join("") : text;
    if (texts === "") return;
    const preview = previews.get(slot) ?? createPreview();
    previews.set(slot, preview);
    preview.add(texts);
    emit({ type: "call-delta", choice, call, text: texts, preview: preview.value });
  };

  const assembly: Assembly = {
    options,
    emit: undefined,
    frames: 0,
    usage: undefined,
    salt: "",
    choice: choiceOf,
    direct,
    intercept(given) {
      interceptor = given;
    },
    text(choice, text, seal) {
      observer?.text("text", choice, text);
      (interceptor ?? direct).text(choice, text, seal);
    },
    reasoning(choice, text, seal) {
      observer?.text("reasoning", choice, text);
      if (seal !== undefined) addSigned(choice, "reasoning", text, seal);
      else if (text !== "") say(choice, "reasoning", text);
    },
    begin(choice, type) {
      const item: TextItem = { type, text: "", seal: undefined, isRedacted: false, isClosed: false };
      choice.order.push(item);
      return item;
    },
    media(choice, media) {
      choice.order.push(media);
    },
    open(choice, label) {
      interceptor?.beforeOpen(choice);
      return direct.open(choice, label);
    },
    identify(slot, given) {
      observer?.continued(slot);
      const id = textOf(given);
      if (id === undefined || id === slot.id || id === "null") return; // some servers write null as text
      if (typeof given !== "string") note("id-not-text", slot);
      if (slot.id !== undefined) {
        note("id-changed", slot);
        return;
      }
      if (slot.hasText || slot.name !== "") note("id-late", slot);
      slot.id = id;
      choiceOf(slot.choice).ids.set(id, slot);
    },
    name(slot, given) {
      observer?.continued(slot);
      const delta = typeof given === "string" ? given : textOf(given);
      if (delta === undefined || delta.trim() === "") return;
      if (typeof given !== "string") note("name-not-text", slot);
      if (slot.name === "") {
        if (slot.hasText) note("name-late", slot);
        slot.isTruncated ||= slot.hasText && mayLackCall(choiceOf(slot.choice)); // they may belong to a lost call
        slot.name = delta;
        if (slot.hasText) emitStart(slot, "");
        return;
      }
      if (slot.hasText) {
        note("name-repeated", slot);
        return;
      }
      const name = joinName(slot.name, delta, options.tools);
      note(name === slot.name ? "name-repeated" : "name-split", slot);
      slot.name = name;
    },
    append(slot, text) {
      observer?.continued(slot);
      if (text === "") return;
      slot.fragments.push(text);
      slot.hasText = true;
      if (assembly.emit !== undefined) emitStart(slot, text);
    },
    finish(choice, finish) {
      if (choice.finishes.length === 1) note("finish-repeated", choice);
      choice.finishes.push(finish);
      observer?.finished(choice);
    },
    close(what) {
      if (closed !== "turn") closed = what;
    },
    fail(given) {
      observer?.failed();
      if (fault !== undefined) return;
      fault = given;
      if (given.from === "provider") note("stream-error");
    },
    lose(what, kind = "frame-not-json") {
      note(kind);
      const all = [...choices.values()];
      const hasEnded = all.length > 0 && !all.some(isRunning);
      if (closed === "turn" || (closed === "stream" && hasEnded)) return false; // only an end marker arrived in the middle
      lost = worse(lost, what);
      return lose(all, what);
    },
    doubt() {
      for (const choice of choices.values()) if (isRunning(choice)) doubt(choice);
    },
    note,
    end() {
      const all = choices.size === 0 ? [choiceOf(0)] : [...choices.values()].sort((a, b) => a.number - b.number);
      all.forEach(joinNameless);
      doubtStrays(all);
      return all.map((choice) =>
        finishChoice(choice, {
          assembly,
          closed,
          fault,
          known: options.knownIds,
          taken: new Set(), // each choice is a separate response
          emitStart: (slot) => emitStart(slot, "", true),
        }),
      );
    },
  };
  return assembly;
}

/** A non-blank text, or a number as text. */
export function textOf(value: unknown): string | undefined {
  if (typeof value === "string") return value.trim() === "" ? undefined : value;
  return typeof value === "number" || typeof value === "bigint" ? String(value) : undefined;
}
