/** What a client may do: one of three levels, each of which has the tools of the one before. Pure. */

/** `read`: those of the 49 tools that write nothing. `standard`: the 49. `everything`: also those of `tools/extras/`. */
export const LEVELS = ['read', 'standard', 'everything'] as const;
export type Level = (typeof LEVELS)[number];

/** Over TCP, a request with this header gets at most this level. */
export const ACCESS_HEADER = 'X-MCP-Access';

export function isLevel(text: string): text is Level {
  return (LEVELS as readonly string[]).includes(text);
}

/** Returns the lower of two levels. */
export function lower(one: Level, other: Level): Level {
  return LEVELS.indexOf(one) < LEVELS.indexOf(other) ? one : other;
}

/** What each level lets a client do, as a person reads it: beside the levels before it (`means`), and alone (`may`). */
export const LEVEL_WORDS: Readonly<Record<Level, { name: string; means: string; may: string }>> = {
  read: {
    name: 'Read only',
    means: 'search, and see your playlists, saved songs and what you listen to',
    may: 'search, and see your playlists, saved songs and what you listen to',
  },
  standard: {
    name: 'Standard',
    means: 'also change playlists and saved songs, and control playback',
    may: 'see and change your playlists and saved songs, and control playback',
  },
  everything: {
    name: 'Everything',
    means:
      'also undo, the queue, albums, pasted lists, questions about all your music, and rules for playlists',
    may: 'see and change your playlists and saved songs, control playback, undo, and ask about all your music',
  },
};
