/** Parameters of a query or a form. Pure. */

/** Names that appear more than once, which RFC 6749 3.1 and 3.2 forbid: two readers might take different ones. */
export function repeatedNames(parameters: URLSearchParams): Set<string> {
  const seen = new Set<string>();
  const repeated = new Set<string>();
  for (const name of parameters.keys()) (seen.has(name) ? repeated : seen).add(name);
  return repeated;
}

/** RFC 6749 3.1: a parameter sent without a value is treated as if it were not there. */
export function parameter(parameters: URLSearchParams, name: string): string | null {
  return parameters.get(name) || null;
}
