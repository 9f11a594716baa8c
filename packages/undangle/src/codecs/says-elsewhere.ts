import { isRecord } from "#core";

/** True for a message without content that has something under a key which its format does not read: removed, it is lost. */
export const saysElsewhere = (message: unknown): boolean =>
  isRecord(message) && Object.entries(message).some(([key, value]) => !silentKeys.has(key) && isSet(value));

const isSet = (value: unknown): boolean =>
  value !== undefined && value !== null && value !== "" && !(Array.isArray(value) && value.length === 0);

const silentKeys = new Set(["role", "parts", "content", "name", "id", "type", "status"]);
