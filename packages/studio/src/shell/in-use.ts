const lock = "undangle-in-use";

const isHere = (): boolean => !document.hidden && document.hasFocus();

let release: (() => void) | undefined;

/** Holds a lock while a person uses this tab. It also ends if the tab crashes. Pages without TLS have no locks. */
function holdWhileUsed(): void {
  if (!isHere()) letGo();
  else if (release === undefined && "locks" in navigator) {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    release = () => resolve(undefined);
    void navigator.locks.request(lock, { mode: "shared" }, () => promise);
  }
}

function letGo(): void {
  release?.();
  release = undefined;
}

/** Lets the other tabs of the browser know when a person uses this one. Returns a function that ends it. */
export function announceUse(): () => void {
  const events = ["focus", "blur"] as const;
  for (const event of events) addEventListener(event, holdWhileUsed);
  document.addEventListener("visibilitychange", holdWhileUsed);
  holdWhileUsed();
  return () => {
    for (const event of events) removeEventListener(event, holdWhileUsed);
    document.removeEventListener("visibilitychange", holdWhileUsed);
    letGo();
  };
}

/** True if a person uses the page, in this tab or in another one. */
export async function isInUse(): Promise<boolean> {
  if (isHere() || !("locks" in navigator)) return isHere();
  const { held = [] } = await navigator.locks.query();
  return held.some(({ name }) => name === lock);
}
