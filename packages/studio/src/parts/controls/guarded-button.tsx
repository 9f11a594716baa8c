import { useEffect, useRef, useState } from "react";
import type { KeyboardEvent, ReactNode, RefObject } from "react";

import type { Texts } from "../../texts/language.tsx";
import { useTexts } from "../../texts/language.tsx";
import { Alternatives } from "./alternatives.tsx";
import { Button } from "./button.tsx";
import type { ButtonProps } from "./button.tsx";

/** Milliseconds for which a button must have been at its place before it acts. */
const settleTime = 400;

/** Why a press did nothing. */
const words: Texts<string> = { en: "It has just moved: press again.", zh: "按钮刚刚移动过，请再按一次。" };

/** Milliseconds for which the reason is shown. */
const hintTime = 2_500;

/** Milliseconds in which a second press confirms the first. */
const confirmTime = 5_000;

interface GuardedButtonProps extends Pick<ButtonProps, "look" | "className"> {
  /** The accessible name: the outcome and the tool. */
  readonly name: string;
  readonly onAct: () => void;
  /** Set if one press is not enough: the accessible name and the text between the two presses. */
  readonly confirm?: { readonly name: string; readonly text: string } | undefined;
  /** What is confirmed. The second press counts only for the same; the name, if it contains all of it. */
  readonly subject?: string | undefined;
  /** True while the action is impossible, for example because of invalid input. */
  readonly isBlocked?: boolean;
  readonly ref?: RefObject<HTMLButtonElement | null>;
  readonly children: ReactNode;
}

/**
 * A button that cannot be pressed by accident. It does nothing until it has been at its place for a moment, and nothing
 * for a key that is held.
 */
export function GuardedButton(props: GuardedButtonProps) {
  const { name, onAct, confirm, subject = name, isBlocked = false, look = "plain", ref, children, ...rest } = props;
  const own = useRef<HTMLButtonElement>(null);
  const element = ref ?? own;
  const { isSteady, check, restart } = useSteady(element);
  const hint = useTexts(words);
  const isAccident = useRef(false); // the press began while the button was inactive
  const [hasHint, setHasHint] = useState(false);
  useEffect(() => {
    const timer = hasHint ? setTimeout(() => setHasHint(false), hintTime) : undefined;
    return () => clearTimeout(timer);
  }, [hasHint]);
  const [armed, setArmed] = useState<string>(); // what the first press was about
  const isArmed = confirm !== undefined && armed === subject;
  useEffect(() => {
    const timer = armed === undefined ? undefined : setTimeout(() => setArmed(undefined), confirmTime);
    return () => clearTimeout(timer);
  }, [armed]);
  const onPress = (): void => {
    isAccident.current = !check();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== "Enter" && event.key !== " ") return;
    if (event.repeat) event.preventDefault();
    else onPress();
  };
  const onClick = (): void => {
    const isTooEarly = isAccident.current || !check();
    isAccident.current = false;
    setHasHint(isTooEarly && !isBlocked);
    if (isTooEarly || isBlocked) return;
    const isFirst = confirm !== undefined && !isArmed;
    setArmed(isFirst ? subject : undefined);
    if (isFirst) restart(); // a double click counts once
    else onAct();
  };
  return (
    <Button
      ref={element}
      look={isArmed ? "danger" : look}
      aria-label={isArmed ? confirm.name : name}
      aria-disabled={isBlocked || !isSteady}
      onPointerDown={onPress}
      onKeyDown={onKeyDown}
      onClick={onClick}
      {...rest}
      className={`relative ${rest.className ?? ""}`}
    >
      {confirm === undefined ? children : <Alternatives isSecond={isArmed} one={children} other={confirm.text} />}
      {hasHint && (
        <span
          role="status"
          className="absolute top-full left-0 z-10 mt-1 rounded border border-line bg-surface px-2 py-1 text-xs font-normal whitespace-nowrap text-ink shadow"
        >
          {hint}
        </span>
      )}
    </Button>
  );
}

/** Whether an element has been at its place for `settleTime`. */
interface Steadiness {
  readonly isSteady: boolean;
  /** The same at this moment. An element that moved since the last look is not steady. */
  readonly check: () => boolean;
  /** The element counts as new. */
  readonly restart: () => void;
}

/** Milliseconds between two looks at the place of an element. */
const interval = 100;

function useSteady(element: RefObject<HTMLElement | null>): Steadiness {
  const [isSteady, setIsSteady] = useState(false);
  const [{ check, restart }] = useState(() => createWatch(element));
  useEffect(() => {
    const look = (): void => setIsSteady(check());
    const timer = setInterval(look, interval);
    document.addEventListener("visibilitychange", restart); // the tab appears under the pointer
    look();
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", restart);
    };
  }, [check, restart]);
  const startAgain = (): void => {
    restart();
    setIsSteady(false);
  };
  return { isSteady, check, restart: startAgain };
}

function createWatch(element: RefObject<HTMLElement | null>): Pick<Steadiness, "check" | "restart"> {
  let seen = { x: NaN, y: NaN, since: Infinity };
  return {
    check() {
      const { x = NaN, y = NaN } = element.current?.getBoundingClientRect() ?? {};
      const now = performance.now();
      const isThere = Math.abs(x - seen.x) <= 1 && Math.abs(y - seen.y) <= 1;
      if (!isThere) seen = { x, y, since: now };
      return isThere && now - seen.since >= settleTime;
    },
    restart() {
      seen = { ...seen, since: performance.now() };
    },
  };
}
