import { isRecord } from "#core";

/**
 * True for a message without content that has a value under a key that its format does not read. That value is lost if
 * the message is removed.
 */
export const saysElsewhere = (message: unknown): boolean =>
  isRecord(message) && Object.entries(message).some(([key, value]) => !silentKeys.has(key) && isFilled(value));

/** False for a value that counts as absent. */
export const isFilled = (value: unknown): boolean =>
  value !== undefined && value !== null && value !== "" && !(Array.isArray(value) && value.length === 0);

const silentKeys = new Set(["role", "parts", "content", "name", "id", "type", "status"]);
