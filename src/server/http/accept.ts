/** Which content types a client takes. */

/**
 * True if an `Accept` header takes a content type: the most specific range that names it decides (RFC 9110 12.5.1). Without the
 * header everything is taken. Parameters other than `q` are not looked at.
 */
export function accepts(header: string | undefined, type: string): boolean {
  if (!header?.trim()) return true;
  const ranges = header
    .toLowerCase()
    .split(',')
    .map((range) => range.split(';').map((part) => part.replace(/\s/g, '')));
  const names = [type, type.replace(/\/.*/, '/*'), '*/*'];
  const named = names
    .map((name) => ranges.filter(([range]) => range === name))
    .find(({ length }) => length > 0);
  return named?.some((parts) => !parts.some((part) => /^q=0(?:\.0*)?$/.test(part))) ?? false;
}
