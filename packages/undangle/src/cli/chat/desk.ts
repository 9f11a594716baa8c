import type { Terminal } from "../io.ts";
import { cleared, compose, newComposer, withText } from "./input/composer.ts";
import type { Complete, Composer } from "./input/composer.ts";
import { createKeyboard } from "./input/keyboard.ts";
import type { Key } from "./input/keys.ts";
import { answerTo } from "./input/question.ts";
import type { Question } from "./input/question.ts";
import { cutCard, liveShown } from "./live-lines.ts";
import { createScreen } from "./screen.ts";
import type { Face } from "./view/face.ts";
import { printBlock } from "./view/show-event.ts";
import type { Step } from "./view/show-event.ts";
import type { View } from "./view/view.ts";

/** The user interface: output, input and prompts. */
export interface Desk {
  readonly view: () => View;
  readonly face: () => Face;
  /** Updates the view and prints the lines of the step. */
  readonly show: (step: (view: View, face: Face) => Step) => void;
  /** Replaces the view, for another thread. */
  readonly reset: (view: View) => void;
  /** Prompts the user. Undefined if the user, or `dismiss`, closes the prompt. */
  readonly ask: (question: Question) => Promise<string | undefined>;
  readonly isAsking: () => boolean;
  readonly dismiss: () => void;
  /** The unsent text in the input line. */
  readonly draft: () => string;
  readonly setDraft: (text: string) => void;
  readonly history: () => readonly string[];
  /** Shows a text below the line until the next key, or for the given milliseconds. */
  readonly hint: (text: string, lasts?: number) => void;
  /** Edits a text in the user's editor; undefined if no editor is set. */
  readonly edit: (text: string, line: number) => Promise<string | undefined>;
  readonly redraw: () => void;
  readonly close: () => void;
}

/** Actions of the user other than replies to prompts. */
export interface DeskListener {
  said(text: string): void;
  /** After every key, even one without an effect. */
  touched(): void;
  interrupted(): void;
  left(): void;
}

export interface DeskOptions {
  readonly terminal: Terminal;
  readonly now: () => number;
  readonly face: () => Face;
  readonly view: View;
  readonly history: readonly string[];
  readonly complete: Complete;
  /** Messages that wait to be sent. */
  readonly queued: () => readonly string[];
  readonly listener: DeskListener;
}

/** Milliseconds: the redraw interval, and how long an unexpected prompt ignores keys. */
const tick = 100;
const deafness = 400;

/** Milliseconds in which the same key counts as held down. Keyboards repeat a key after up to 660 ms. */
const repetition = 750;

/**
 * Milliseconds without a size change before a redraw. Terminals rewrap lines at once and report it later (tmux up to
 * 250 ms). Anything drawn in between would be searched for in the wrong place and left on the screen.
 */
const quiet = 300;

export function openDesk(options: DeskOptions): Desk {
  const { terminal, now, face, complete, queued, listener } = options;
  const screen = createScreen(terminal);
  let { view } = options;
  let composer: Composer = newComposer(options.history);
  let open: { question: Question; answer: (text: string | undefined) => void; since: number } | undefined;
  let last = { key: "", at: -Infinity }; // the last key and its time
  let tickedAt = now();
  let hint = "";
  let printed: string[] = [];
  let drawing: NodeJS.Immediate | undefined;
  let isAway = false;
  let settling: NodeJS.Timeout | undefined; // while the window is resized
  let listening: NodeJS.Timeout | undefined;
  let fading: NodeJS.Timeout | undefined; // a temporary hint

  const shown = () =>
    liveShown({ view, composer, question: open?.question, isDeaf: isDeaf(), queued: queued(), hint }, face(), {
      at: now(),
      rows: terminal.rows,
    });
  const isSudden = (): boolean => open?.question.type === "choice" && open.question.isSudden === true;
  /** True if a prompt is too new to be read. Keys were meant for the earlier screen. */
  const isDeaf = (): boolean => isSudden() && open !== undefined && now() - open.since < deafness;
  /** Prints the details if they do not fit, even after a resize, so that the user can scroll through them. */
  const printCard = (): void => {
    const cut = cutCard(open?.question, face(), terminal.rows);
    if (open === undefined || cut === undefined) return;
    open = { ...open, question: cut.question };
    show((current, look) => printBlock(current, "remark", cut.card.lines(look), look));
  };
  const show: Desk["show"] = (step) => {
    const next = step(view, face());
    ({ view } = next);
    printed.push(...next.lines);
    redraw();
  };
  const draw = (): void => {
    clearImmediate(drawing);
    drawing = undefined;
    if (isAway || settling !== undefined) return;
    printCard();
    screen.draw(printed, shown());
    printed = [];
  };
  const redraw = (): void => {
    drawing ??= setImmediate(draw);
  };
  /** A process that was stopped reads keys late, so the time of the stop is not counted as time without the key. */
  const catchUp = (): void => {
    const at = now();
    const lag = at - tickedAt;
    if (lag > 3 * tick) last = { ...last, at: last.at + lag };
    tickedAt = at;
  };
  const ticking = setInterval(() => {
    catchUp();
    const isMoving = view.isRunning || view.calls.some(({ state }) => state === "running");
    if (isMoving || open?.question.type === "choice") redraw(); // the remaining time for a decision changes too
  }, tick);

  const settle = (text: string | undefined): void => {
    clearTimeout(listening);
    const closing = open;
    open = undefined;
    closing?.answer(text);
    redraw();
  };
  const press = (key: Key): void => {
    catchUp();
    clearTimeout(fading);
    hint = "";
    const isPress = key.type === "press";
    const pressed = { key: isPress ? key.name : key.text, at: now() };
    const isHeld = pressed.key === last.key && pressed.at - last.at < repetition;
    last = pressed;
    if (isPress && key.name === "clear") return screen.wipe(shown());
    if (isPress && key.name === "ctrl-c") return listener.interrupted();
    const isEmpty = open?.question.type === "choice" || (open === undefined && composer.line.text === "");
    if (isPress && key.name === "ctrl-d" && isEmpty) return listener.left();
    if (open !== undefined) {
      if (isSudden() && (isHeld || isDeaf())) return;
      const { question, answer, isStray = false } = answerTo(open.question, key);
      open = { ...open, question };
      if (isStray) hint = (question.type === "choice" ? question.otherKey : undefined) ?? face().texts.otherKey;
      if (answer !== undefined) settle(answer.text);
      return;
    }
    const composed = compose(composer, key, complete);
    ({ composer } = composed);
    if (composed.said !== undefined) listener.said(composed.said);
  };
  const typed = (keys: readonly Key[]): void => {
    for (const key of keys) {
      press(key);
      listener.touched();
    }
    redraw();
  };
  const settled = (): void => {
    clearTimeout(settling);
    settling = undefined;
  };
  const resized = (): void => {
    if (isAway) return;
    settled();
    screen.resized();
    settling = setTimeout(() => {
      settled();
      draw();
    }, quiet);
  };
  const keyboard = createKeyboard(typed);
  const take = (): void => {
    terminal.take({
      typed: (text) => keyboard.typed(text),
      resized,
      ended: () => listener.left(),
    });
  };
  take();
  redraw(); // not yet: the caller is not ready

  return {
    view: () => view,
    face,
    show,
    reset(fresh) {
      view = fresh;
      redraw();
    },
    ask: (question) =>
      new Promise((resolve) => {
        settle(undefined);
        open = { question, answer: resolve, since: now() };
        redraw();
        listening = setTimeout(redraw, deafness); // shows that the prompt accepts keys
      }),
    isAsking: () => open !== undefined,
    dismiss: () => settle(undefined),
    draft: () => composer.line.text,
    setDraft(text) {
      composer = text === "" ? cleared(composer) : withText(composer, text);
      redraw();
    },
    history: () => composer.history,
    hint(text, lasts) {
      clearTimeout(fading);
      hint = text;
      redraw();
      if (lasts === undefined) return;
      fading = setTimeout(() => {
        hint = "";
        redraw();
      }, lasts);
    },
    async edit(text, line) {
      settled();
      draw();
      screen.clear();
      isAway = true;
      terminal.release();
      try {
        return await terminal.edit(text, { name: "arguments.json", line });
      } finally {
        isAway = false;
        take();
        draw();
      }
    },
    redraw,
    close() {
      clearInterval(ticking);
      clearTimeout(fading);
      settled();
      keyboard.close();
      clearImmediate(drawing);
      settle(undefined);
      clearImmediate(drawing);
      screen.draw(printed, { lines: [""], cursor: { row: 0, column: 0 } });
      terminal.release();
    },
  };
}
