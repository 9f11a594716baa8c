/**
 * The approximate memory of a JSON value and its serialized form in bytes. The factors were measured on many kinds of
 * threads.
 */
export function weightOf(value: unknown): number {
  let weight = 0;
  const left: unknown[] = [value]; // a stack, because nesting may exceed the call stack
  while (left.length > 0) {
    const each = left.pop();
    if (typeof each === "string") weight += stringWeight + each.length * (isWide(each) ? 2 : 1);
    else if (typeof each === "object" && each !== null) {
      const parts = Object.values(each);
      weight += objectWeight + parts.length * partWeight;
      for (const part of parts) left.push(part);
    }
  }
  return weight;
}

const stringWeight = 24;
const objectWeight = 64;
const partWeight = 16;

/** Strings with a character beyond Latin-1 take two bytes per character. Most have one near their start. */
function isWide(text: string): boolean {
  for (let i = Math.min(text.length, 16) - 1; i >= 0; i--) if (text.charCodeAt(i) > 255) return true;
  return false;
}
