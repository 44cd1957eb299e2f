/** The invented music of the simulated provider. Immutable once generated. */

/** The fields that every object of the Web API has. */
export interface Named {
  readonly id: string;
  readonly uri: string;
  readonly name: string;
}

export interface DemoArtist extends Named {
  readonly genres: readonly string[];
  /** 0..100; orders search results and is never sent. */
  readonly popularity: number;
}

export interface DemoAlbum extends Named {
  readonly type: 'album' | 'single' | 'compilation';
  readonly artists: readonly DemoArtist[];
  /** `YYYY` or `YYYY-MM-DD`. */
  readonly releaseDate: string;
  readonly popularity: number;
  /** In playing order. */
  readonly tracks: readonly DemoTrack[];
}

export interface DemoTrack extends Named {
  readonly artists: readonly DemoArtist[];
  readonly album: DemoAlbum;
  readonly durationMs: number;
  readonly explicit: boolean;
  /** Identifies the recording; tracks on several albums may share it. */
  readonly isrc: string;
  /** 1-based. */
  readonly trackNumber: number;
  readonly popularity: number;
}

export interface DemoShow extends Named {
  readonly episodes: readonly DemoEpisode[];
}

export interface DemoEpisode extends Named {
  readonly show: DemoShow;
  readonly durationMs: number;
  /** `YYYY-MM-DD`. */
  readonly releaseDate: string;
  readonly explicit: boolean;
}

export interface Catalogue {
  readonly artists: readonly DemoArtist[];
  readonly albums: readonly DemoAlbum[];
  readonly tracks: readonly DemoTrack[];
  readonly episodes: readonly DemoEpisode[];
  readonly trackByUri: ReadonlyMap<string, DemoTrack>;
  readonly episodeByUri: ReadonlyMap<string, DemoEpisode>;
  readonly albumByUri: ReadonlyMap<string, DemoAlbum>;
  readonly artistByUri: ReadonlyMap<string, DemoArtist>;
  readonly showByUri: ReadonlyMap<string, DemoShow>;
}
