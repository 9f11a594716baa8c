// Texts are looked through four bytes at a time, as one number: this is where most of the time of a healthy stream goes.

/**
 * The end of a text that is written in JSON from an index on, in bytes that end at another: the index of the quote that closes
 * it; -1 where there is none, or what stands before it is no text.
 */
export function quoteBehind(view: DataView, start: number, end: number): number {
  for (let at = start; at < end;) {
    if (at + 4 <= end) {
      const signs = signsIn(view.getInt32(at, true));
      if (signs === 0) {
        at += 4;
        continue;
      }
      at += placeOfFirst(signs);
    }
    const code = view.getUint8(at);
    if (code === quote) return at;
    if (code < blank) return -1;
    if (code !== backslash) at++;
    else if (at + 1 === end) return -1;
    else {
      const next = view.getUint8(at + 1);
      if (meaningOf(next) !== 0) at += 2;
      else if (next === letterU && unitAt(view, at + 2) >= 0) at += 6;
      else return -1;
    }
  }
  return -1;
}

/**
 * The same, and the text is written from the place on that is given first, which is then that behind it; the end of the bytes is
 * the third. It is -1 also for a text with half a character in it, which bytes cannot hold. There has to be room for as many
 * bytes as are read.
 */
export function readWritten(view: DataView, start: number, out: DataView, place: Int32Array): number {
  const end = place[2] ?? 0;
  let to = place[0] ?? 0;
  for (let at = start; at < end;) {
    if (at + 4 <= end) {
      const word = view.getInt32(at, true);
      const signs = signsIn(word);
      out.setInt32(to, word, true); // also what is none of the text, and will be overwritten
      const plain = signs === 0 ? 4 : placeOfFirst(signs);
      at += plain;
      to += plain;
      if (signs === 0) continue;
    }
    const code = view.getUint8(at);
    if (code === quote) {
      place[0] = to;
      return at;
    }
    if (code < blank) return -1;
    if (code !== backslash) {
      out.setUint8(to++, code);
      at++;
      continue;
    }
    if (at + 1 === end) return -1;
    const next = view.getUint8(at + 1);
    const meaning = meaningOf(next);
    if (meaning !== 0) {
      out.setUint8(to++, meaning);
      at += 2;
      continue;
    }
    const point = next === letterU ? pointAt(view, at + 2) : -1;
    if (point < 0) return -1;
    to = put(point, out, to);
    at += point > 0xff_ff ? 12 : 6;
  }
  return -1;
}

const quote = 0x22;
const backslash = 0x5c;
const letterU = 0x75;
const blank = 0x20;

/**
 * The highest bit of every byte that ends a text or means another: a quote, a backslash, or one below the blank. Bits above the
 * lowest may be wrong, because what is taken away from a byte is borrowed from the next.
 */
function signsIn(word: number): number {
  const quotes = word ^ 0x22_22_22_22;
  const backslashes = word ^ 0x5c_5c_5c_5c;
  const found =
    ((quotes - 0x01_01_01_01) & ~quotes) |
    ((backslashes - 0x01_01_01_01) & ~backslashes) |
    ((word - 0x20_20_20_20) & ~word);
  return found & 0x80_80_80_80;
}

/** The index of the byte with the lowest bit. */
const placeOfFirst = (signs: number): number => (31 - Math.clz32(signs & -signs)) >> 3;

/** What a sign behind a backslash means, by its code; 0 for those that mean nothing alone. */
const meanings = Uint8Array.from({ length: 256 }, (_, code) => {
  const at = '"\\/bfnrt'.indexOf(String.fromCharCode(code));
  return at < 0 ? 0 : '"\\/\b\f\n\r\t'.charCodeAt(at);
});

const meaningOf = (code: number): number => meanings[code] ?? 0;

/** A byte; 0 behind the last. */
const byteAt = (view: DataView, at: number): number => (at < view.byteLength ? view.getUint8(at) : 0);

/** The number that four digits write; -1 where there are none. */
function unitAt(view: DataView, at: number): number {
  let unit = 0;
  for (let i = at; i < at + 4; i++) {
    const code = byteAt(view, i);
    const small = code | 0x20;
    const digit = code >= 0x30 && code <= 0x39 ? code - 0x30 : small >= 0x61 && small <= 0x66 ? small - 0x57 : -1;
    if (digit < 0) return -1;
    unit = unit * 16 + digit;
  }
  return unit;
}

/** The character that is written so, or in two halves; -1 for one half. */
function pointAt(view: DataView, at: number): number {
  const unit = unitAt(view, at);
  if (unit < 0xd8_00 || unit > 0xdf_ff) return unit;
  const isPair = unit < 0xdc_00 && byteAt(view, at + 4) === backslash && byteAt(view, at + 5) === letterU;
  const other = isPair ? unitAt(view, at + 6) : -1;
  return other < 0xdc_00 || other > 0xdf_ff ? -1 : 0x1_00_00 + ((unit - 0xd8_00) << 10) + (other - 0xdc_00);
}

/** Writes a character as UTF-8; gives the index behind it. */
function put(point: number, out: DataView, at: number): number {
  if (point < 0x80) {
    out.setUint8(at, point);
    return at + 1;
  }
  const more = point < 0x8_00 ? 1 : point < 0x1_00_00 ? 2 : 3;
  out.setUint8(at, (0xff << (7 - more)) | (point >> (6 * more))); // as many ones in front as there are bytes
  for (let i = 1; i <= more; i++) out.setUint8(at + i, ((point >> (6 * (more - i))) & 0x3f) | 0x80);
  return at + 1 + more;
}
