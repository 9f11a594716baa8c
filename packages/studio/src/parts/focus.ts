import type { FocusEvent } from "react";

/** True if the focus moves out of an element, and not if the person changes to another window. */
export const leavesElement = ({ target, currentTarget, relatedTarget }: FocusEvent): boolean =>
  target !== document.activeElement && !(relatedTarget instanceof Node && currentTarget.contains(relatedTarget));

/** Moves the focus to the section of an element that goes away, so that it is not lost. */
export function focusSection(element: Element | null): void {
  element?.closest("section")?.focus({ preventScroll: true });
}
