import { useEffect, useSyncExternalStore } from "react";

let shown = "";
const listeners = new Set<() => void>();

function show(title: string): void {
  shown = title;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Names what a view shows, such as the title of its thread, in the title of the page. */
export function usePageTitle(title: string): void {
  useEffect(() => {
    show(title);
    return () => show("");
  }, [title]);
}

/** Writes the title of the page: the pending calls, what the view shows, and the program. */
export function useDocumentTitle(count: number, viewName: string): void {
  const title = useSyncExternalStore(subscribe, () => shown);
  useEffect(() => {
    const words = [title === "" ? viewName : title, "Undangle"].filter((word) => word !== "").join(" · ");
    document.title = count > 0 ? `(${count}) ${words}` : words;
  }, [count, title, viewName]);
}
