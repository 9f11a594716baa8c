/**
 * The end of a text that is written in JSON from an index on: the index of the quote that closes it; -1 where there is none, or
 * what stands before it is no text.
 */
export function quoteBehind(bytes: Uint8Array, start: number): number {
  for (let at = start; at < bytes.length; at++) {
    const code = bytes[at] ?? 0;
    if (code === quote) return at;
    if (code < blank) return -1;
    if (code !== backslash) continue;
    at++;
    if (bytes[at] === letterU) {
      if (unitAt(bytes, at + 1) < 0) return -1;
      at += 4;
    } else if (meaningOf(bytes[at]) === 0) return -1;
  }
  return -1;
}

/**
 * The same, and the text is added, as bytes, behind those that end at the given places, and so is the place of its end. It is -1
 * also for a text with half a character in it, which bytes cannot hold. There has to be room for as many bytes as are read.
 */
export function readWritten(bytes: Uint8Array, start: number, out: Uint8Array, ends: number[]): number {
  let to = ends.length === 0 ? 0 : (ends[ends.length - 1] ?? 0);
  for (let at = start; at < bytes.length; at++) {
    const code = bytes[at] ?? 0;
    if (code === quote) {
      ends.push(to);
      return at;
    }
    if (code < blank) return -1;
    if (code !== backslash) {
      out[to++] = code;
      continue;
    }
    at++;
    const meaning = meaningOf(bytes[at]);
    if (meaning !== 0) out[to++] = meaning;
    else {
      const point = bytes[at] === letterU ? pointAt(bytes, at + 1) : -1;
      if (point < 0) return -1;
      to = put(point, out, to);
      at += point > 0xff_ff ? 10 : 4;
    }
  }
  return -1;
}

const quote = 0x22;
const backslash = 0x5c;
const letterU = 0x75;
const blank = 0x20;

/** What a sign behind a backslash means, by its code; 0 for those that mean nothing alone. */
const meanings = Uint8Array.from({ length: 256 }, (_, code) => {
  const at = '"\\/bfnrt'.indexOf(String.fromCharCode(code));
  return at < 0 ? 0 : '"\\/\b\f\n\r\t'.charCodeAt(at);
});

const meaningOf = (code: number | undefined): number => meanings[code ?? 0] ?? 0;

/** The number that four digits write; -1 where there are none. */
function unitAt(bytes: Uint8Array, at: number): number {
  let unit = 0;
  for (let i = at; i < at + 4; i++) {
    const code = bytes[i] ?? 0;
    const small = code | 0x20;
    const digit = code >= 0x30 && code <= 0x39 ? code - 0x30 : small >= 0x61 && small <= 0x66 ? small - 0x57 : -1;
    if (digit < 0) return -1;
    unit = unit * 16 + digit;
  }
  return unit;
}

/** The character that is written so, or in two halves; -1 for one half. */
function pointAt(bytes: Uint8Array, at: number): number {
  const unit = unitAt(bytes, at);
  if (unit < 0xd8_00 || unit > 0xdf_ff) return unit;
  const isPair = unit < 0xdc_00 && bytes[at + 4] === backslash && bytes[at + 5] === letterU;
  const other = isPair ? unitAt(bytes, at + 6) : -1;
  return other < 0xdc_00 || other > 0xdf_ff ? -1 : 0x1_00_00 + ((unit - 0xd8_00) << 10) + (other - 0xdc_00);
}

/** Writes a character as UTF-8; gives the index behind it. */
function put(point: number, out: Uint8Array, at: number): number {
  if (point < 0x80) {
    out[at] = point;
    return at + 1;
  }
  const more = point < 0x8_00 ? 1 : point < 0x1_00_00 ? 2 : 3;
  out[at] = (0xff << (7 - more)) | (point >> (6 * more)); // as many ones in front as there are bytes
  for (let i = 1; i <= more; i++) out[at + i] = ((point >> (6 * (more - i))) & 0x3f) | 0x80;
  return at + 1 + more;
}
