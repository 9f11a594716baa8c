import { createHash, timingSafeEqual } from "node:crypto";

/** SHA-256 in hex. Keys and sessions have enough entropy for a plain hash. */
export const hashOf = (text: string): string => createHash("sha256").update(text).digest("hex");

/** Compares two hashes in constant time. */
export const isSameHash = (one: string, other: string): boolean =>
  timingSafeEqual(Buffer.from(one, "hex"), Buffer.from(other, "hex"));
