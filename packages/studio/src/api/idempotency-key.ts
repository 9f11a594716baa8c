/** A key that names an attempt, so that the server acts once. `crypto.randomUUID` is missing on pages without TLS. */
export const newIdempotencyKey = (): string =>
  `studio-${Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
