/** Work on many inputs with a bound on how much of it runs at the same time. */

/** Maps with at most `width` at work, results in the order of the input; the first failure stops the rest. */
export async function inParallel<T, R>(
  inputs: readonly T[],
  width: number,
  work: (input: T, index: number) => Promise<R>,
): Promise<R[]> {
  const results = new Array<R>(inputs.length);
  let next = 0;
  let failed = false;
  const lane = async () => {
    while (next < inputs.length && !failed) {
      const index = next++;
      try {
        results[index] = await work(inputs[index] as T, index);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(width, inputs.length) }, lane));
  return results;
}
