/** After this time in the background streams are closed, because a browser has few connections to a server. */
const hiddenFor = 3_000;

export const isVisible = (): boolean => document.visibilityState === "visible";

interface VisibilityChanges {
  /** Called when the tab has been in the background for some seconds. */
  readonly onHidden: () => void;
  readonly onShown: () => void;
}

/** Follows whether a person can see the tab. Returns a function that ends it. */
export function watchVisibility({ onHidden, onShown }: VisibilityChanges): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const onChange = (): void => {
    clearTimeout(timer);
    if (isVisible()) onShown();
    else timer = setTimeout(onHidden, hiddenFor);
  };
  document.addEventListener("visibilitychange", onChange);
  return () => {
    clearTimeout(timer);
    document.removeEventListener("visibilitychange", onChange);
  };
}
