/** The path of a value in the arguments, as a model would write it: `order.items[2].name`. */
export function writePath(keys: readonly PropertyKey[]): string {
  return keys.reduce<string>((path, key) => path + writeKey(key, path === ""), "");
}

function writeKey(key: PropertyKey, isFirst: boolean): string {
  if (typeof key === "number") return `[${key}]`;
  const name = shorten(String(key));
  if (!/^[\p{L}_$][\p{L}\p{N}_$-]*$/u.test(name)) return `[${JSON.stringify(name)}]`;
  return isFirst ? name : `.${name}`;
}

/** A text, cut to a readable length. */
export const shorten = (text: string, longest = 80): string =>
  text.length > longest ? `${text.slice(0, longest)}…` : text;
