/** A count with a comma after every three digits. `toLocaleString` would load the tables of ICU, 6 ms of a start. */
export const grouped = (count: number): string => String(count).replaceAll(/\B(?=(?:\d{3})+$)/gu, ",");
