/** True for a key that a person presses for the page: not while typing, not held, not as part of a shortcut. */
export function isPageKey(event: KeyboardEvent, { mayRepeat = false } = {}): boolean {
  const { target, repeat, isComposing, ctrlKey, metaKey, altKey, defaultPrevented } = event;
  if ((repeat && !mayRepeat) || isComposing || ctrlKey || metaKey || altKey || defaultPrevented) return false;
  return !(
    target instanceof Element &&
    target.closest("input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable], [role=dialog]")
  );
}

const cardKeys = { a: "approve", r: "reject", e: "edit", v: "toggleRaw" } as const;

/** What a key does with the card that has the focus. */
export function cardKeyOf(event: KeyboardEvent): (typeof cardKeys)[keyof typeof cardKeys] | undefined {
  const { key } = event;
  return isPageKey(event) && (key === "a" || key === "r" || key === "e" || key === "v") ? cardKeys[key] : undefined;
}
