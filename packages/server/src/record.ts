export type Fields = Readonly<Record<string, unknown>>;

/** True for an object that is not an array. */
export const isRecord = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The fields of an object; none for any other value. */
export const fieldsIn = (value: unknown): Fields => (isRecord(value) ? value : {});
