/** The entries of the bulk tools and of `create_bulk_job`. */
import * as z from 'zod';
import { aliasKey } from '../../music/trackQuery.ts';
import type { ProviderApi } from '../../provider/api.ts';
import type { NewItem } from '../../store/tables/items.ts';
import { compact } from '../answer/lean.ts';
import { ItemRef, MAX_ENTRIES } from '../arguments.ts';
import { AlbumName, ArtistName, NO_ARTIST, Title, Year } from '../catalog/trackMatching.ts';
import { itemUri } from '../givenNames.ts';

const Search = z.strictObject({
  title: Title,
  artist: ArtistName,
  album: AlbumName.optional(),
  year: Year.optional(),
});

/**
 * One song: `id`, or title and artist. One object with optional fields rather than a union of objects, since several hosts take
 * no union; hosts with strict function calling send null for every unused field.
 */
const Song = z
  .strictObject({
    title: Title.optional(),
    artist: ArtistName.optional(),
    album: AlbumName.optional(),
    year: Year.optional(),
    id: ItemRef.optional().describe('ID, URI or link'),
    uri: ItemRef.optional().meta({ deprecated: true }),
    url: ItemRef.optional().meta({ deprecated: true }),
  })
  .check(({ value, issues }) => {
    const { title, artist } = value;
    const named = new Set(refsOf(value).map(([, { uri }]) => uri));
    if (named.size > 1) issues.push(problem(value, 'id, uri and url must name the same item.'));
    if (named.size > 0) return;
    if (title === undefined && artist === undefined) {
      issues.push(problem(value, 'give title and artist, or id.'));
      return;
    }
    for (const name of ['title', 'artist'] as const) {
      if (value[name] !== undefined) continue;
      const message = name === 'artist' ? NO_ARTIST : '';
      issues.push({ code: 'invalid_type', expected: 'string', path: [name], input: undefined, message });
    }
  });

type Song = z.output<typeof Song>;

function problem(input: unknown, message: string) {
  return { code: 'custom' as const, path: [], message, input };
}

/** The references that an entry gives, each with the name of its field. */
function refsOf({ id, uri, url }: Pick<Song, 'id' | 'uri' | 'url'>) {
  return Object.entries({ id, uri, url }).flatMap(([name, ref]) => (ref ? [[name, ref] as const] : []));
}

const AnyEntry = z.union([Song, ItemRef]);
export type Entry = z.output<typeof AnyEntry>;

export const searches = z
  .array(Search)
  .min(1)
  .max(MAX_ENTRIES)
  .describe('1 to 10,000 songs as {title, artist, album?, year?}, in order');
export const anyEntries = z
  .array(AnyEntry)
  .min(1)
  .max(MAX_ENTRIES)
  .describe('1 to 10,000 songs in order, each {title, artist, album?, year?} or {id}');

/** An entry as an item of a job. An entry that names its track or episode needs no search. */
export function itemOf(provider: ProviderApi, given: Entry): NewItem {
  if ('kind' in given) return named(given.input, itemUri(provider, given));
  const { id: _, uri: __, url: ___, ...names } = given;
  const input = compact(names);
  const [ref] = refsOf(given);
  if (ref) return named({ ...input, [ref[0]]: ref[1].input }, itemUri(provider, ref[1]));
  const query = { title: '', artist: '', ...input };
  return { input: query, key: aliasKey(query), uri: null, status: 'pending' };
}

function named(input: unknown, uri: string): NewItem {
  return { input, key: null, uri, status: 'matched' };
}
