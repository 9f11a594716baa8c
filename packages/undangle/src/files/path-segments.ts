/** The path of an entry of a directory. Both are canonical. */
export const childPath = (directory: string, name: string): string =>
  directory === "/" ? `/${name}` : `${directory}/${name}`;

/** The directory of a path; `/` for `/`. */
export const parentPath = (path: string): string => path.slice(0, path.lastIndexOf("/")) || "/";

export const nameOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

/** What the paths of everything in a directory start with. */
export const prefixOf = (directory: string): string => (directory === "/" ? "/" : `${directory}/`);

/** True for the directory itself and everything in it. */
export const isWithin = (path: string, directory: string): boolean =>
  path === directory || path.startsWith(prefixOf(directory));

/** The directories above a path, from the root: `/`, `/a` for `/a/b`. */
export function ancestorsOf(path: string): readonly string[] {
  if (path === "/") return [];
  const ancestors = ["/"];
  for (let end = path.indexOf("/", 1); end !== -1; end = path.indexOf("/", end + 1)) ancestors.push(path.slice(0, end));
  return ancestors;
}

/** Orders texts by code point, as UTF-8 orders bytes. JavaScript orders by UTF-16 units, where 😀 is before ﬁ. */
export function compareText(first: string, second: string): number {
  if (!hasSurrogates(first) && !hasSurrogates(second)) return first < second ? -1 : Number(first > second);
  const length = Math.min(first.length, second.length);
  for (let index = 0; index < length; index++) {
    const one = first.charCodeAt(index);
    const other = second.charCodeAt(index);
    if (one !== other) return byCodePoint(one) - byCodePoint(other);
  }
  return first.length - second.length;
}

const hasSurrogates = (text: string): boolean => /[\uD800-\uDFFF]/.test(text); // without u: it reads units

/** Moves the surrogates, which begin code points over U+FFFF, after all other units. */
const byCodePoint = (unit: number): number => (unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit);

export const byPath = (first: { readonly path: string }, second: { readonly path: string }): number =>
  compareText(first.path, second.path);
