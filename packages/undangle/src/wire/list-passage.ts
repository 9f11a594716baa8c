import type { Entrance } from "./passage.ts";
import { commasIn, startOfObject } from "./split-list.ts";

/**
 * The passage of a list that is streamed, behind the bracket that opens it. Its objects may pass in another order than that in
 * which they came, and others may be written between them: the first has no comma before it, and all others have one.
 */
export function createListPassage(inner: Entrance): Entrance {
  let bytes: Uint8Array = new Uint8Array();
  let [start, object, end] = [0, 0, 0]; // the piece that is looked at, and where its object begins
  let isGiven = false; // it is no object
  let isUndone = false; // it passes as it came, whatever stands before its object
  let isBegun = false; // an object has passed
  let waits = false; // one waits
  let isHeadBare = false; // the first of those that wait has no comma

  /** Looks at the piece as it came where that has a comma as it should, else at its object. */
  const lookAt = (hasComma: boolean): boolean => {
    const isAsCame = isUndone || commasIn(bytes, start, object) === Number(hasComma);
    inner.at(isAsCame ? start : object, end);
    return isAsCame;
  };

  return {
    ...inner,
    open(given) {
      bytes = given;
      inner.open(given);
    },
    at(from, to) {
      start = from;
      object = startOfObject(bytes, from);
      end = to;
      isGiven = false;
      isUndone = false;
    },
    give(text, came) {
      isGiven = true;
      inner.give(text, came);
    },
    undo() {
      isUndone = true;
      if (isGiven) inner.undo();
    },
    pass() {
      if (!isGiven) {
        if (!lookAt(isBegun) && isBegun) inner.write(separator);
        isBegun = true;
      }
      inner.pass();
    },
    wait() {
      if (!isGiven) {
        const isBare = !isBegun && !waits;
        if (isBare) isHeadBare = true;
        if (!lookAt(!isBare) && !isBare) {
          inner.give(separator, "");
          inner.wait();
          inner.at(object, end);
        }
        waits = true;
      }
      inner.wait();
    },
    release() {
      if (waits && isHeadBare && isBegun) inner.write(separator);
      inner.release();
      isBegun ||= waits;
      waits = false;
      isHeadBare = false;
    },
    write(text) {
      if (text.startsWith("{")) {
        if (isBegun) inner.write(separator);
        isBegun = true;
      }
      inner.write(text);
    },
  };
}

const separator = ",\r\n";
