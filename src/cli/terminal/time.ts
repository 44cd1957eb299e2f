/** To the minute, in UTC: `2026-11-20 14:05Z`. */
export function minute(iso: string): string {
  return `${iso.slice(0, 16).replace('T', ' ')}Z`;
}
