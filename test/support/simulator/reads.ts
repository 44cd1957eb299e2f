/**
 * What Spotify does to reads: they lag, rows are shown under another ID (relinking) or without an item, and older apps get more
 * fields.
 */
import { trackObject } from '../../../src/demo/api/shapes.ts';
import type { Answer, Incoming } from '../../../src/demo/http.ts';
import { type DemoWorld, type Lags, remember } from '../../../src/demo/state.ts';

/** A track or an episode in an answer; null for a row without it. */
type Item = Record<string, unknown> | null;

/** A page of rows, or a playlist, which has such a page. */
interface Page {
  items?: Page | Array<{ item: Item }>;
}

export interface LagControl {
  /** Sets the lags. Lags that are left out become 0. */
  set(lags: Partial<Lags>): void;
  /** Notes the present state. Call it before changing the accounts by hand. */
  remember(): void;
  /**
   * Makes lists show the track `uri` as the track `shown`, as relinking does.
   * @param how `named`: the list also gives the original track in `linked_from`, as Spotify does for some apps only
   */
  relink(uri: string, shown: string, how?: 'named'): void;
  /** Makes lists show the rows of the track `uri` with `item: null`, as if Spotify no longer offered it. */
  vanish(uri: string): void;
  /** Undoes every `relink` and `vanish`. */
  showAll(): void;
}

/** Makes the control, and what it does to an answer. */
export function createLag(world: DemoWorld): {
  lag: LagControl;
  show: (request: Incoming, answer: Answer) => Answer;
} {
  const shown = new Map<string, Item>();
  const lag: LagControl = {
    set: (lags) => {
      world.lags = { lists: 0, snapshots: 0, totals: 0, ...lags };
    },
    remember: () => rememberAll(world),
    relink: (uri, other, how) => {
      const track = world.catalogue.trackByUri.get(other);
      if (!track) throw new RangeError(`There is no track ${other}.`);
      shown.set(uri, { ...trackObject(track), ...(how === 'named' ? { linked_from: { uri } } : {}) });
    },
    vanish: (uri) => void shown.set(uri, null),
    showAll: () => shown.clear(),
  };
  const itemOf = (uri: string) => shown.get(uri);
  return { lag, show: (request, answer) => (shown.size === 0 ? answer : withRows(request, answer, itemOf)) };
}

/** Notes the state of everything. */
export function rememberAll(world: DemoWorld): void {
  for (const account of world.accounts) remember(world, account, ...account.playlists);
}

/** The answer to a read of a playlist with other items in its rows. @param itemOf undefined leaves a row as it is */
function withRows(
  { method, path }: Incoming,
  answer: Answer,
  itemOf: (uri: string) => Item | undefined,
): Answer {
  if (method !== 'GET' || !path.startsWith('/playlists/') || answer.json === undefined) return answer;
  const withItem = (row: { item: Item }) => {
    const item = row.item && itemOf(String(row.item.uri));
    return item === undefined ? row : { ...row, item };
  };
  const changed = (page: Page): Page => {
    if (Array.isArray(page.items)) return { ...page, items: page.items.map(withItem) };
    return page.items ? { ...page, items: changed(page.items) } : page;
  };
  return { ...answer, json: changed(answer.json as Page) };
}

/** Adds the field names from before February 2026, which older apps still get: `tracks`, `track`, `genres`. */
export function withLegacyShapes(world: DemoWorld, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((one) => withLegacyShapes(world, one));
  if (typeof value !== 'object' || value === null) return value;
  const inner = Object.entries(value).map(([name, part]) => [name, withLegacyShapes(world, part)] as const);
  const shape: Record<string, unknown> = Object.fromEntries(inner);
  const genres = world.catalogue.artistByUri.get(String(shape.uri))?.genres;
  return {
    ...shape,
    ...(genres && 'images' in shape ? { genres } : {}),
    ...(shape.type === 'playlist' && 'items' in shape ? { tracks: shape.items } : {}),
    ...('added_at' in shape && 'item' in shape ? { track: shape.item } : {}),
  };
}

/** Endpoints that Spotify removed in February 2026 for new apps. */
const REMOVED = new RegExp(
  `^(GET /artists/[^/]+/top-tracks|GET /browse/.*|GET /markets|\\w+ /users/.*|\\w+ /playlists/[^/]+/(tracks|followers.*)
  |GET /(tracks|albums|artists|episodes|shows|audiobooks|chapters)
  |(PUT|DELETE) /me/(tracks|albums|episodes|shows|audiobooks|following)|GET /me/\\w+s/contains)$`.replace(
    /\n\s*/g,
    '',
  ),
);

/** True for a request to an endpoint that Spotify removed. */
export function isRemoved({ method, path, isApi }: Incoming): boolean {
  return isApi && REMOVED.test(`${method} ${path}`);
}
