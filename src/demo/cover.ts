/** The cover of a playlist of the demo: a mosaic of four colours, derived from its ID. */
import { createHash } from 'node:crypto';
import type { Answer } from './http.ts';

export const COVER_PATH = /^\/image\/([0-9A-Za-z]{1,64})$/;

export function coverImage(id: string): Answer {
  const bytes = createHash('sha256').update(id).digest();
  const tiles = [0, 1, 2, 3].map((tile) => {
    const hue = Math.round(((bytes[tile] ?? 0) / 255) * 360);
    const lightness = 35 + ((bytes[tile + 4] ?? 0) % 30);
    const place = `x="${(tile % 2) * 30}" y="${Math.floor(tile / 2) * 30}"`;
    return `<rect ${place} width="30" height="30" fill="hsl(${hue} 45% ${lightness}%)"/>`;
  });
  const text = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 60 60">${tiles.join('')}</svg>`;
  return {
    status: 200,
    text,
    headers: { 'content-type': 'image/svg+xml', 'cache-control': 'max-age=86400' },
  };
}
