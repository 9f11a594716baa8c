import { useCallback, useLayoutEffect, useState } from "react";
import type { RefObject } from "react";

/** The rows that are drawn: those that are visible, and some before and after them. */
export interface VisibleRows {
  /** The height of a row, in rem. */
  readonly height: number;
  readonly first: number;
  readonly last: number;
}

/** From this width on, in rem, names are beside the bars. It is `@2xl` of Tailwind. */
const wide = 42;

/** Rows are added in groups, so that scrolling does not draw for every row. */
const group = 20;

/** Which rows of a scrolled list are visible. All rows have the same height. */
export function useVisibleRows(scroller: RefObject<HTMLElement | null>): VisibleRows {
  const [rows, setRows] = useState<VisibleRows>({ height: 2, first: 0, last: 2 * group });
  const measure = useCallback((): void => {
    if (scroller.current === null) return;
    const { clientWidth, clientHeight, scrollTop } = scroller.current;
    const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
    const height = clientWidth >= wide * rem ? 2 : 3.25;
    const first = Math.floor(scrollTop / (height * rem) / group - 1) * group;
    const last = Math.ceil((scrollTop + clientHeight) / (height * rem) / group + 1) * group;
    setRows((old) =>
      old.height === height && old.first === first && old.last === last ? old : { height, first, last },
    );
  }, [scroller]);
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    measure();
    element.addEventListener("scroll", measure, { passive: true });
    const resized = new ResizeObserver(measure);
    resized.observe(element);
    return () => {
      element.removeEventListener("scroll", measure);
      resized.disconnect();
    };
  }, [scroller, measure]);
  return rows;
}
