import { useEffect, useRef } from "react";

import { isPageKey, meantKey } from "../parts/controls/page-keys.ts";

const actions = {
  j: "next",
  k: "previous",
  a: "approve",
  r: "reject",
  e: "edit",
  v: "toggleRaw",
  x: "select",
  A: "approveSelected",
  R: "rejectSelected",
  "?": "help",
  Escape: "close",
} as const;

type InboxAction = (typeof actions)[keyof typeof actions];

const isKnown = (key: string): key is keyof typeof actions => Object.hasOwn(actions, key);

/** Keys that may be held. */
const movements: readonly InboxAction[] = ["next", "previous"];

/** Runs actions for keys that are pressed anywhere in the page, except in inputs. */
export function useInboxKeys(run: Readonly<Record<InboxAction, () => unknown>>): void {
  const latest = useRef(run);
  useEffect(() => {
    latest.current = run;
  });
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      const key = meantKey(event);
      if (!isKnown(key)) return;
      const action = actions[key];
      if (!isPageKey(event, { mayRepeat: movements.includes(action) })) return;
      event.preventDefault(); // the key must not appear in an input that it opens
      latest.current[action]();
    };
    addEventListener("keydown", onKeyDown);
    return () => removeEventListener("keydown", onKeyDown);
  }, []);
}
