export type Fields = Readonly<Record<string, unknown>>;

export const isRecord = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The fields of an object; an empty object for any other value. */
export const fieldsIn = (value: unknown): Fields => (isRecord(value) ? value : {});
