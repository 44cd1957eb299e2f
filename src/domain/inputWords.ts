/** The entries of lists as a person would write them. Pure. */

/** An entry as text: `Title by Artist`, `ISRC GBAYE0000001`, or its URI. The text is not cleaned yet. */
export function inputWords(input: unknown): string {
  if (typeof input !== 'object' || input === null) return String(input);
  const { title, artist, isrc, uri, url, id, track_id } = input as Record<string, unknown>;
  if (isName(title)) return isName(artist) ? `${title} by ${artist}` : title;
  if (isName(isrc)) return `ISRC ${isrc}`;
  return [uri, url, id, track_id].find(isName) ?? JSON.stringify(input);
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
