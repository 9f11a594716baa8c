import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import type { RefObject } from "react";

/** The visible part of the axis, with some room on both sides. */
export interface View {
  /** The width of the whole axis, at the current zoom. */
  readonly pixels: number;
  /** From 0 to 1. */
  readonly from: number;
  readonly to: number;
}

export interface Zoom {
  /** 1 shows the whole axis. */
  readonly factor: number;
  readonly view: View;
  /** Multiplies the factor. What is at `x` (of the window; the centre by default) stays there. */
  readonly by: (factor: number, x?: number) => void;
  /** Shows the whole axis. */
  readonly reset: () => void;
  /** Shows a part of the axis, from 0 to 1. */
  readonly fit: (from: number, to: number) => void;
  /** Moves by a part of the visible width. */
  readonly pan: (share: number) => void;
}

/** Zooms and pans by the width and the scroll position of elements, so that the browser moves the bars. */
export function useZoom(
  scroller: RefObject<HTMLElement | null>,
  axis: RefObject<HTMLElement | null>,
  most: number,
): Zoom {
  const [factor, setFactor] = useState(1);
  const [view, setView] = useState<View>({ pixels: 1, from: 0, to: 1 });
  /** The part of the axis that has to be at a place of the window after the next zoom. */
  const anchor = useRef<{ readonly share: number; readonly x: number } | undefined>(undefined);

  const measure = useCallback((): void => {
    if (scroller.current === null || axis.current === null) return;
    const { left, width } = axis.current.getBoundingClientRect();
    const frame = scroller.current.getBoundingClientRect();
    const from = (frame.left - left) / width;
    const to = (frame.right - left) / width;
    setView((old) =>
      old.pixels === width && old.from <= from && to <= old.to
        ? old
        : { pixels: width, from: from - (to - from), to: to + (to - from) },
    );
  }, [scroller, axis]);

  useLayoutEffect(() => {
    if (anchor.current !== undefined && scroller.current !== null && axis.current !== null) {
      const { left, width } = axis.current.getBoundingClientRect();
      scroller.current.scrollLeft += left + anchor.current.share * width - anchor.current.x;
      anchor.current = undefined;
    }
    measure();
  }, [factor, measure, scroller, axis]);

  const by = useCallback(
    (times: number, x?: number): void => {
      if (scroller.current === null || axis.current === null) return;
      const { left, width } = axis.current.getBoundingClientRect();
      const frame = visibleFrame(scroller.current, axis.current);
      const place = x ?? (frame.left + frame.right) / 2;
      anchor.current = { share: (place - left) / width, x: place };
      setFactor((old) => Math.min(most, Math.max(1, old * times)));
    },
    [scroller, axis, most],
  );

  useEffect(() => {
    const element = scroller.current;
    if (element === null || axis.current === null) return;
    const onWheel = (event: WheelEvent): void => {
      if (!event.ctrlKey) return;
      event.preventDefault(); // the browser would zoom the page
      by(Math.exp(-event.deltaY / 300), event.clientX);
    };
    element.addEventListener("wheel", onWheel, { passive: false });
    element.addEventListener("scroll", measure, { passive: true });
    const resized = new ResizeObserver(measure);
    resized.observe(axis.current);
    return () => {
      element.removeEventListener("wheel", onWheel);
      element.removeEventListener("scroll", measure);
      resized.disconnect();
    };
  }, [scroller, axis, by, measure]);

  const fit = (from: number, to: number): void => {
    if (scroller.current === null || axis.current === null) return;
    const frame = visibleFrame(scroller.current, axis.current);
    anchor.current = { share: (from + to) / 2, x: (frame.left + frame.right) / 2 };
    setFactor(Math.min(most, Math.max(1, 0.8 / Math.max(to - from, 1e-9))));
  };
  const pan = (share: number): void => {
    if (scroller.current === null || axis.current === null) return;
    const frame = visibleFrame(scroller.current, axis.current);
    scroller.current.scrollBy({ left: share * (frame.right - frame.left) });
  };
  return { factor, view, by, fit, pan, reset: () => setFactor(1) };
}

/** Where the axis is visible. The names cover its start. */
function visibleFrame(scroller: HTMLElement, axis: HTMLElement): { readonly left: number; readonly right: number } {
  const frame = scroller.getBoundingClientRect();
  const names = axis.parentElement?.firstElementChild?.getBoundingClientRect();
  const covered = names !== undefined && names.width < frame.width / 2 ? names.width : 0;
  return { left: frame.left + covered, right: frame.right };
}
