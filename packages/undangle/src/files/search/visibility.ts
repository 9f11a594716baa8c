import { parentPath } from "../path-segments.ts";

/** Whether a path and all directories between it and the searched one are visible. Each directory is asked for once. */
export function createVisibility({
  path: root,
  isVisible,
}: {
  readonly path: string;
  readonly isVisible?: ((path: string) => boolean) | undefined;
}): (path: string) => boolean {
  if (isVisible === undefined) return () => true;
  const directories = new Map([[root, true]]);
  const isOpen = (directory: string): boolean => {
    const known = directories.get(directory);
    if (known !== undefined) return known;
    const answer = (directory === "/" || isOpen(parentPath(directory))) && isVisible(directory);
    directories.set(directory, answer);
    return answer;
  };
  return (path) => (path === root || isOpen(parentPath(path))) && isVisible(path);
}
