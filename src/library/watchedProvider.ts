/**
 * Wraps the provider for everyone but the library's reader. The wrapper tells the library what was written, and whether a
 * person or a model waits for an answer.
 */
import type { ProviderApi, ProviderRequest, ProviderResponse } from '../provider/api.ts';

/** What a request wrote to. */
export type Written =
  | { kind: 'saved' }
  /** The list of playlists. */
  | { kind: 'playlists' }
  /** `snapshotId` is null if the answer named no snapshot, or did not arrive. `name` is null unless the playlist was renamed. */
  | { kind: 'playlist'; id: string; snapshotId: string | null; name: string | null };

export interface Watcher {
  /** Called after each write, even one that failed: it may have taken effect all the same. */
  wrote(written: Written): void;
  /** Called when a request begins. @returns a function to call when the request has ended */
  began(): () => void;
}

export function watchedProvider(provider: ProviderApi, watcher: Watcher): ProviderApi {
  return {
    serverTime: () => provider.serverTime(),
    async send(request, call) {
      const ended = watcher.began();
      let response: ProviderResponse | null = null;
      try {
        response = await provider.send(request, call);
        return response;
      } finally {
        ended();
        for (const written of writtenBy(request, response)) watcher.wrote(written);
      }
    },
  };
}

function writtenBy(
  { method, path, query, body }: ProviderRequest,
  response: ProviderResponse | null,
): Written[] {
  if (method === 'GET') return [];
  const [, first, second = '', third] = path.split('/');
  if (first === 'playlists') {
    const name = third === undefined && response ? (body as { name?: unknown } | undefined)?.name : null;
    const snapshotId = (response?.body as { snapshot_id?: unknown } | null)?.snapshot_id;
    return [
      {
        kind: 'playlist',
        id: decodeURIComponent(second),
        snapshotId: typeof snapshotId === 'string' ? snapshotId : null,
        name: typeof name === 'string' ? name : null,
      },
    ];
  }
  if (first !== 'me') return [];
  if (second === 'playlists') return [{ kind: 'playlists' }];
  if (second !== 'library') return [];
  const uris = String(query?.uris ?? '').split(',');
  return [
    ...(uris.some((uri) => uri.startsWith('spotify:track:')) ? [{ kind: 'saved' as const }] : []),
    ...(uris.some((uri) => uri.startsWith('spotify:playlist:')) ? [{ kind: 'playlists' as const }] : []),
  ];
}
