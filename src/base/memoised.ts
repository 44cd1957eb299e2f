/** Keeps the results of a pure function of one text. */

/** `work`, with up to `max` of its results kept; all are dropped when there are more. Results must not be changed. */
export function memoised<T>(max: number, work: (text: string) => T): (text: string) => T {
  const known = new Map<string, { readonly result: T }>();
  return (text) => {
    const before = known.get(text);
    if (before) return before.result;
    const result = work(text);
    if (known.size >= max) known.clear();
    known.set(text, { result });
    return result;
  };
}
