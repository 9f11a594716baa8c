/** Whether arguments fit: what the tool gets, or what is wrong with them, in sentences that a model can act on. */
export type Validation<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly problems: readonly string[] };

const most = 10;

/** The first ten of some sentences, each once; where there are more, the last one says so. */
export function firstProblems(sentences: Iterable<string>): readonly string[] {
  const all = new Set<string>();
  for (const sentence of sentences) {
    if (all.size === most && !all.has(sentence)) return [...[...all].slice(0, most - 1), "There are more problems"];
    all.add(sentence);
  }
  return [...all];
}
