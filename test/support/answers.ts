/** Reads tool answers and the content of the simulated account. */
import type { DemoPlaylist } from '../../src/demo/state.ts';
import { owner } from './shapes.ts';
import type { Relay } from './world.ts';

export type Answer = Record<string, unknown>;

export interface ToolFailure {
  code: string;
  message: string;
  remedy: string;
  retryAfterSeconds?: number;
  details: Record<string, unknown>;
}

/** The error in the answer of a failed call. */
export const failureOf = (answer: Answer) => answer.error as ToolFailure;

export const codeOf = (answer: Answer) => (answer.error as ToolFailure | undefined)?.code;

/** The account's playlist of that name. */
export function named({ provider }: Pick<Relay, 'provider'>, name: string): DemoPlaylist {
  const found = owner(provider).playlists.find((playlist) => playlist.name === name);
  if (!found) throw new Error(`no playlist ${name}`);
  return found;
}

export const urisOf = (playlist: DemoPlaylist) => playlist.rows.map(({ uri }) => uri);

/** URIs of tracks of the catalogue, in its order. */
export const tracks = ({ provider }: Pick<Relay, 'provider'>, count: number, from = 0) =>
  provider.catalogue.tracks.slice(from, from + count).map(({ uri }) => uri);
