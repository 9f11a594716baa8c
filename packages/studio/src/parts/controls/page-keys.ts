const inputs = "input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]";

const isIn = (target: EventTarget | null, selector: string): boolean =>
  target instanceof Element && target.closest(selector) !== null;

/** True if a person writes in an input outside of an element: the focus must stay there. */
export const isWritingOutside = (element: Element | null): boolean =>
  isIn(document.activeElement, inputs) && element?.contains(document.activeElement) !== true;

/** Milliseconds without a key after which a person has stopped to type. */
const typingPause = 1_000;

/** Until when the next key belongs to what a person types. It is compared with the time of the key: a busy page reads it later. */
let typingEnd = -Infinity;

/** The input in which a person types, until a key or the pointer leaves it. */
let typedIn: Element | undefined;

/**
 * Keys that follow typing belong to it, also when the input has disappeared, for example because another person decided
 * the call. Without this, the rest of a sentence would open cards and decide about them. A person who thinks for a while
 * may not have seen that the input is gone: the first key after that belongs to it as well.
 */
function noteTyping({ target, key, timeStamp }: KeyboardEvent): void {
  const isLeaving = key === "Enter" || key === "Escape" || key === "Tab";
  const isInInput = isIn(target, inputs);
  const isInputGone = typedIn?.isConnected === false;
  const isTyping = isInInput || isInputGone || timeStamp < typingEnd;
  typingEnd = isTyping && !isLeaving ? timeStamp + typingPause : -Infinity;
  typedIn = isInInput && !isLeaving && target instanceof Element ? target : undefined;
}

let isByPointer = false;

/** True if the last thing a person did was with a mouse or a finger. A focus that moves then must not listen to keys. */
export const isPointerInUse = (): boolean => isByPointer;

addEventListener(
  "keydown",
  (event) => {
    isByPointer = false;
    noteTyping(event);
  },
  true,
);
addEventListener(
  "pointerdown",
  () => {
    isByPointer = true;
    typingEnd = -Infinity;
    typedIn = undefined;
  },
  true,
);

/** True for a key that a person presses for the page: not while typing, not held, not as part of a shortcut. */
export function isPageKey(event: KeyboardEvent, { mayRepeat = false } = {}): boolean {
  const { target, repeat, isComposing, ctrlKey, metaKey, altKey, defaultPrevented, timeStamp } = event;
  if ((repeat && !mayRepeat) || isComposing || ctrlKey || metaKey || altKey || defaultPrevented) return false;
  return timeStamp >= typingEnd && !isIn(target, `${inputs}, dialog`);
}

/**
 * The key that a person means, as it is without Caps Lock. With it, Shift and A are `a` for most browsers and `A` on a
 * Mac.
 */
export function meantKey(event: KeyboardEvent): string {
  const { key, shiftKey } = event;
  const isLetter = key.length === 1; // others have names, such as Escape
  if (!isLetter || !event.getModifierState("CapsLock")) return key;
  return shiftKey ? key.toUpperCase() : key.toLowerCase();
}
