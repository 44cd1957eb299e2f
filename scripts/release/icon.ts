/** Draws the icon as SVG and as pixels, from the same shapes: the two ends of a line as rings, and a switch between them. */
import { crc32, deflateSync } from 'node:zlib';

type Color = readonly [red: number, green: number, blue: number];

/** Coordinates are in a square of 64 units. */
type Shape =
  | { kind: 'square'; corner: number; color: Color }
  | {
      kind: 'line';
      from: readonly [number, number];
      to: readonly [number, number];
      width: number;
      color: Color;
    }
  | { kind: 'ring'; at: readonly [number, number]; radius: number; width: number; color: Color };

const UNITS = 64;
const GREEN: Color = [18, 112, 60];
const PAPER: Color = [255, 255, 255];
const WIDTH = 4.5;

/** The logo of the pages (`src/server/pages/page.ts`), on a square of their color. */
const SHAPES: readonly Shape[] = [
  { kind: 'square', corner: 14, color: GREEN },
  { kind: 'ring', at: [17, 32], radius: 8, width: WIDTH, color: PAPER },
  { kind: 'ring', at: [47, 32], radius: 8, width: WIDTH, color: PAPER },
  { kind: 'line', from: [26, 32], to: [38, 32], width: WIDTH, color: PAPER },
  { kind: 'line', from: [32, 14.5], to: [32, 19], width: WIDTH, color: PAPER },
  { kind: 'line', from: [32, 45], to: [32, 49.5], width: WIDTH, color: PAPER },
];

export function iconSvg(): string {
  const shapes = SHAPES.map((shape) => `  ${svgShape(shape)}\n`).join('');
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${UNITS} ${UNITS}">\n${shapes}</svg>\n`;
}

function svgShape(shape: Shape): string {
  const color = `rgb(${shape.color.join(' ')})`;
  switch (shape.kind) {
    case 'square':
      return `<rect width="${UNITS}" height="${UNITS}" rx="${shape.corner}" fill="${color}"/>`;
    case 'line':
      return `<path d="M${shape.from.join(' ')}L${shape.to.join(' ')}" stroke="${color}" stroke-width="${shape.width}" stroke-linecap="round"/>`;
    case 'ring':
      return `<circle cx="${shape.at[0]}" cy="${shape.at[1]}" r="${shape.radius}" fill="none" stroke="${color}" stroke-width="${shape.width}"/>`;
  }
}

/** @param size width and height in pixels */
export function iconPng(size: number): Buffer {
  const row = 1 + size * 4;
  const pixels = Buffer.alloc(size * row);
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) pixels.set(pixelAt(x, y, size), y * row + 1 + x * 4);
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(size, 0);
  header.writeUInt32BE(size, 4);
  // Eight bits, color with alpha.
  header.set([8, 6], 8);
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
  const data = deflateSync(pixels, { level: 9 });
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', data),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(name: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name, 'latin1'), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}

/** Returns the color of a pixel: each shape is blended by how much of the pixel it covers. */
function pixelAt(x: number, y: number, size: number): number[] {
  const scale = UNITS / size;
  const at = [(x + 0.5) * scale, (y + 0.5) * scale] as const;
  let color: Color = [0, 0, 0];
  let alpha = 0;
  for (const shape of SHAPES) {
    const covered = Math.min(1, Math.max(0, 0.5 - distance(shape, at) / scale));
    const sum = covered + alpha * (1 - covered);
    if (sum === 0) continue;
    const mixed = color.map(
      (below, band) => ((shape.color[band] ?? 0) * covered + below * alpha * (1 - covered)) / sum,
    );
    color = [mixed[0] ?? 0, mixed[1] ?? 0, mixed[2] ?? 0];
    alpha = sum;
  }
  return [...color.map(Math.round), Math.round(alpha * 255)];
}

/** Distance from the edge of the shape, in units; negative inside. */
function distance(shape: Shape, [x, y]: readonly [number, number]): number {
  switch (shape.kind) {
    case 'square': {
      const inner = UNITS / 2 - shape.corner;
      const across = Math.max(0, Math.abs(x - UNITS / 2) - inner);
      const down = Math.max(0, Math.abs(y - UNITS / 2) - inner);
      return Math.sqrt(across * across + down * down) - shape.corner;
    }
    case 'line': {
      const [fromX, fromY] = shape.from;
      const along = [shape.to[0] - fromX, shape.to[1] - fromY] as const;
      const part = ((x - fromX) * along[0] + (y - fromY) * along[1]) / (along[0] ** 2 + along[1] ** 2);
      const near = Math.min(1, Math.max(0, part));
      return between([x, y], [fromX + near * along[0], fromY + near * along[1]]) - shape.width / 2;
    }
    case 'ring':
      return Math.abs(between([x, y], shape.at) - shape.radius) - shape.width / 2;
  }
}

function between([x, y]: readonly [number, number], [otherX, otherY]: readonly [number, number]): number {
  return Math.sqrt((x - otherX) ** 2 + (y - otherY) ** 2);
}
