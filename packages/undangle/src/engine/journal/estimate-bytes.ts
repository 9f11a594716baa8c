/** About how many bytes a JSON value takes in memory, with what is made of it to be sent: measured on threads of many kinds. */
export function weightOf(value: unknown): number {
  let weight = 0;
  const left: unknown[] = [value]; // it may be nested deeper than calls can be
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

/** Texts with a sign beyond Latin take two bytes a sign; most of them show it at their beginning. */
function isWide(text: string): boolean {
  for (let i = Math.min(text.length, 16) - 1; i >= 0; i--) if (text.charCodeAt(i) > 255) return true;
  return false;
}
