import { useEffect, useMemo, useRef } from "react";
import type { RefObject } from "react";

interface KeptInPlace<Item> {
  readonly shown: readonly Item[];
  /** Where the kept item is, or was before it left the list. */
  readonly place: RefObject<number>;
}

/**
 * A list of calls, and the one whose card a person uses. If that call leaves the list, for example because another person
 * decided it, its card stays at its place, so that it does not disappear while the person reads it or writes in it.
 */
export function useKeptInPlace<Item>(
  items: readonly Item[],
  kept: Item | undefined,
  keyOf: (item: Item) => string,
): KeptInPlace<Item> {
  const place = useRef(0);
  const isKept = (item: Item): boolean => kept !== undefined && keyOf(item) === keyOf(kept);
  const shown = useMemo(
    () =>
      kept === undefined || items.some(isKept)
        ? items
        : items.toSpliced(Math.min(place.current, items.length), 0, kept),
    [items, kept],
  );
  useEffect(() => {
    place.current = Math.max(0, shown.findIndex(isKept));
  });
  return { shown, place };
}
