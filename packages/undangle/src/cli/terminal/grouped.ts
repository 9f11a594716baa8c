/** A count with thousands separators. `toLocaleString` would load the ICU tables, which takes 6 ms of the start. */
export const grouped = (count: number): string => String(count).replaceAll(/\B(?=(?:\d{3})+$)/gu, ",");
