/**
 * Bytes that are looked for, eight of them as one number: two numbers are equal when their bytes are, unless they are zero or
 * none at all, which no eight bytes of JSON make. It is a plain list, because every call makes patterns of its own, and
 * memory outside of the heap costs more to get than they do to make.
 */
export type BytePattern = readonly number[];

/** The pattern of bytes between two indexes; undefined for some that cannot be compared in this way. */
export function patternFor(view: DataView, from: number, end: number): BytePattern | undefined {
  const last = end - size;
  if (last < from) return undefined;
  const words: number[] = [];
  for (let at = from; at < end; at += size) {
    const word = view.getFloat64(Math.min(at, last), true); // what is left over is compared together with some of what was
    if (!(Math.abs(word) > 0)) return undefined;
    words.push(word);
  }
  return words;
}

/** True when the bytes of a pattern, which are so many, stand at a place; behind it there have to be as many. */
export function isAt(pattern: BytePattern, length: number, view: DataView, at: number): boolean {
  const last = pattern.length - 1;
  let place = at;
  let i = 0;
  // Four at a time: this is where most of the time of a healthy stream goes.
  for (; i + 3 < last; i += 4) {
    if (
      view.getFloat64(place, true) !== pattern[i] ||
      view.getFloat64(place + 8, true) !== pattern[i + 1] ||
      view.getFloat64(place + 16, true) !== pattern[i + 2] ||
      view.getFloat64(place + 24, true) !== pattern[i + 3]
    )
      return false;
    place += 4 * size;
  }
  for (; i < last; i++) {
    if (view.getFloat64(place, true) !== pattern[i]) return false;
    place += size;
  }
  return view.getFloat64(at + length - size, true) === pattern[last];
}

const size = 8;

export const viewOf = ({ buffer, byteOffset, byteLength }: Uint8Array): DataView =>
  new DataView(buffer, byteOffset, byteLength);
