/** A stable 96-bit hash of a text as three unsigned words. Not for secrets, only for unique names. */
function hash96(text: string): readonly [number, number, number] {
  let a = 0x9e3779b9;
  let b = 0x85ebca6b;
  let c = 0xc2b2ae35;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    a = Math.imul(a ^ code, 0x01000193);
    b = Math.imul(b ^ (code + i), 0x5bd1e995) ^ (b >>> 15);
    c = Math.imul(c + code, 0x27d4eb2f) ^ (c >>> 13);
  }
  return [mix(a ^ text.length), mix(b ^ a), mix(c ^ b)];
}

function mix(word: number): number {
  let h = word ^ (word >>> 16);
  h = Math.imul(h, 0x7feb352d);
  h ^= h >>> 15;
  h = Math.imul(h, 0x846ca68b);
  return (h ^ (h >>> 16)) >>> 0;
}

/** 24 hexadecimal digits that depend only on the text. */
export function hashHex(text: string): string {
  const [a, b, c] = hash96(text);
  return hexOf(a) + hexOf(b) + hexOf(c);
}

/** The id of a call that has none. It depends only on the seed. */
export const mintCallId = (seed: string): string => `call_${hashHex(seed)}`;

const hexOf = (word: number): string => word.toString(16).padStart(8, "0");

const alphanumerics = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** `length` letters and digits (at most 15) that depend only on the text. */
export function hashAlphanumeric(text: string, length: number): string {
  let digits = "";
  for (let word of hash96(text)) {
    for (let i = 0; i < 5 && digits.length < length; i++) {
      digits += alphanumerics[word % 62] ?? "0";
      word = Math.floor(word / 62);
    }
  }
  return digits;
}
