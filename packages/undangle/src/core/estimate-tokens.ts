/**
 * An estimate of the tokens of a text, a message or any JSON value. Tokenizers differ by a third and more, so it serves
 * decisions such as "is it time to shorten the history?", not bills.
 *
 * Text counts by its characters: a token has four English letters, two punctuation marks, or about one Chinese
 * character. Media counts as a flat number, however long its base64 is. Signatures count as nothing.
 */
export function estimateTokens(value: unknown): number {
  return Math.ceil(unitsOf(value) / unit);
}

/** Weights are in twelfths of a token, so that sums are exact. */
const unit = 12;

/** About a large image, or a page of a document, on current models. */
const mediaUnits = 1000 * unit;

function unitsOf(value: unknown): number {
  if (typeof value === "string") return isDataUrl(value) ? mediaUnits : textUnits(value);
  if (typeof value === "number" || typeof value === "bigint") return textUnits(String(value));
  if (typeof value !== "object") return typeof value === "boolean" ? unit : 0;
  if (value === null) return unit;
  return isBytes(value) ? mediaUnits : fieldUnits(value);
}

function fieldUnits(value: object): number {
  let sum = 0;
  if (Array.isArray(value)) {
    for (const each of value) sum += unitsOf(each) + unit;
    return sum;
  }
  for (const [key, inner] of Object.entries(value)) {
    if (inner === undefined || typeof inner === "function" || signatureKeys.has(key)) continue;
    sum += textUnits(key) + unit; // and the punctuation around it
    if (key === "images" && Array.isArray(inner)) sum += inner.length * mediaUnits; // Ollama
    else sum += mediaKeys.has(key) && isEncoded(inner) ? mediaUnits : unitsOf(inner);
  }
  return sum;
}

const isBytes = (value: object): boolean => ArrayBuffer.isView(value) || value instanceof ArrayBuffer;

/** Keys that hold the bytes of media in some format. Under any other key, a long word is text. */
const mediaKeys = new Set(["data", "bytes", "image", "file_data", "fileData", "result"]);

/** Keys of signatures, which providers do not count. */
const signatureKeys = new Set(["signature", "thoughtSignature", "thought_signature"]);

const isDataUrl = (text: string): boolean => text.startsWith("data:") && text.slice(0, 200).includes(";base64,");

/** True for bytes as base64, judged by the first characters, or as a list of numbers. */
function isEncoded(value: unknown): boolean {
  const shown = 256;
  if (Array.isArray(value))
    return value.length > shown && value.slice(0, shown).every((each) => typeof each === "number");
  if (typeof value !== "string" || value.length <= shown) return false;
  for (let i = 0; i < shown; i++) if (!base64.has(value.charCodeAt(i))) return false;
  return true;
}

const codesOf = (text: string): readonly number[] => Array.from(text, (each) => each.charCodeAt(0));
const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const digits = "0123456789";
const base64 = new Set(codesOf(`${letters}${digits}+/-_=`));

/** The weight of each ASCII character: letters and white space 1/4, digits 1/3, punctuation 1/2. */
const asciiWeights: readonly number[] = Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  if (digits.includes(character)) return 4;
  return letters.includes(character) || code <= 32 ? 3 : 6;
});

function textUnits(text: string): number {
  let sum = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    sum += code < 128 ? (asciiWeights[code] ?? 0) : weightOf(code);
  }
  return sum;
}

/** The weight of any other code unit: between tokenizers of 2023, which split most scripts into bytes, and of today. */
function weightOf(code: number): number {
  if (code < 0x0250) return 6; // Latin with accents
  if (code < 0x0600) return 5; // Greek, Cyrillic, Armenian, Hebrew
  if (code < 0x0900) return 6; // Arabic, Syriac
  if (code < 0x2000) return 8; // Devanagari, Thai and other scripts of Asia and Africa
  if (code < 0x2e80) return 9; // punctuation, symbols
  return code < 0xd800 || code >= 0xe000 ? 10 : unit; // Han, Kana, Hangul; half a surrogate pair, such as an emoji
}
