/** Shortens a history to the lines from which a person can understand what happened. */

/** Leaves out requests that tell nothing, such as those that succeeded, and keeps at most `most` of the other lines. */
export function storyOf(lines: readonly string[], most = 40): string[] {
  const told = lines.filter(
    (line) => !/#\d+ (at Spotify|answer): 2\d\d$/.test(line) && !/\/api\/token|GET \/me$/.test(line),
  );
  const short = told.map((line) => line.replaceAll(/([PH]\d)0{15,}/g, '$1').slice(0, 240));
  if (short.length <= most) return short;
  const head = Math.ceil(most / 2);
  return [...short.slice(0, head), `… ${short.length - most} lines …`, ...short.slice(head - most)];
}
