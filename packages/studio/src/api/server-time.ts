/** By how many milliseconds the clock of the server is ahead of that of this machine. */
let ahead = 0;

/** Milliseconds. The server sends whole seconds, and a response takes a while: smaller differences mean nothing. */
const tolerance = 2_000;

/** Compares the clocks with a response that was requested at `start`. */
export function compareClocks({ headers }: Response, start: number): void {
  const now = Date.now();
  const measured = Date.parse(headers.get("date") ?? "") + 500 - now;
  const isExact = now - start < tolerance;
  if (isExact && Math.abs(measured - ahead) > tolerance) ahead = Math.abs(measured) > tolerance ? measured : 0;
}

/** The time of the server. It decides what has expired, whatever the clock of this machine shows. */
export const serverTime = (): number => Date.now() + ahead;
