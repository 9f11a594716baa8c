import { Look } from "./look.ts";
import type { Lazy } from "./look.ts";
import type { AnswerContext, HookContext, Middleware } from "./middleware.ts";

type Answer = AnswerContext["answer"];

/** The contexts of successive turns for hooks, built on demand. */
export interface AnswerContexts {
  /** Switches to this turn. */
  readonly turnTo: (answer: () => Answer) => void;
  readonly of: (middleware: Middleware, context: HookContext) => AnswerContext;
}

export function createAnswerContexts(): AnswerContexts {
  const looks = new Map<Middleware, Look<AnswerContext>>();
  let current = (): Answer => none;
  const lazy: Lazy<AnswerContext> = {
    keys: ["answer"],
    make(context: { answer: Answer }) {
      context.answer = current();
    },
  };
  return {
    turnTo(answer) {
      current = answer;
    },
    of(middleware, context) {
      const known = looks.get(middleware);
      if (known?.isTaken === false) return known.shown; // no hook has read it
      const look = new Look<AnswerContext>({ ...context, answer: none }, lazy);
      looks.set(middleware, look);
      return look.shown;
    },
  };
}

const none: Answer = { text: "", calls: [], finish: "stop" };
