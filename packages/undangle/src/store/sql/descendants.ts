/**
 * A `WITH` clause. Its table `family` has the keys of the threads that match a condition and of all their descendants.
 * `UNION` removes duplicates, so that a cycle of parents ends.
 */
export const withDescendants = (prefix: string, condition: string): string =>
  `WITH RECURSIVE family (key, id) AS (
    SELECT key, id FROM ${prefix}undangle_threads WHERE ${condition}
    UNION SELECT child.key, child.id FROM family JOIN ${prefix}undangle_threads AS child ON child.parent = family.id
  )`;

/** The condition for a column with the key of a thread. */
export const inFamily = "IN (SELECT key FROM family)";
