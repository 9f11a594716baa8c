/** The least height of an element that counts as seen, in pixels. */
const leastSeen = 48;

/** True if a person sees a part of an element: in the window, and in everything around it that scrolls. */
export function isInSight(element: Element): boolean {
  const place = element.getBoundingClientRect();
  let [top, bottom] = [Math.max(place.top, 0), Math.min(place.bottom, innerHeight)];
  for (let frame = element.parentElement; frame !== null; frame = frame.parentElement) {
    if (getComputedStyle(frame).overflowY === "visible") continue;
    const around = frame.getBoundingClientRect();
    [top, bottom] = [Math.max(top, around.top), Math.min(bottom, around.bottom)];
  }
  return bottom - top >= Math.min(leastSeen, place.height) && place.height > 0;
}
