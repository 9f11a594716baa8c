import { isRecord } from "#core";

/** True for a message without content that has something under a key which its format does not read: removed, it is lost. */
export const saysElsewhere = (message: unknown): boolean =>
  isRecord(message) && Object.entries(message).some(([key, value]) => !silentKeys.has(key) && isFilled(value));

/** False for the value of a key that is as good as left out. */
export const isFilled = (value: unknown): boolean =>
  value !== undefined && value !== null && value !== "" && !(Array.isArray(value) && value.length === 0);

const silentKeys = new Set(["role", "parts", "content", "name", "id", "type", "status"]);
