/** Argument values for the examples of tools. They come from the demo, so that a copied example works there. Pure. */

type Samples = Readonly<Record<string, unknown>>;

/** The song "Love Cloud" by Fengate, the playlist "Morning Ferry" and the kitchen speaker. */
const BY_ARGUMENT: Samples = {
  artist_id: '4Ismum8pbPVAc0ewrL5al2',
  track_id: '42m7g2a2BlK07h4MdPzfIO',
  track_ids: ['42m7g2a2BlK07h4MdPzfIO', '6WmIpo1D34YOtM9mc8GqUa'],
  album_id: '7lcPDGz0FOz0O7T75aRgLb',
  playlist_id: 'llLnJH77qQnJDz1RLa5GIE',
  device_id: 'VIaDTW5ok8kH4i3IFur8A6',
  // Placeholders: the demo starts without jobs and kept playlists.
  job_id: 'JOB_ID',
  keep_id: 'KEEP_ID',
  query: 'love cloud',
  sql: 'select name, total from playlists',
  title: 'Love Cloud',
  artist: 'Fengate',
  name: 'Morning Ferry',
  text: 'Fengate - Love Cloud',
  tracks: [{ title: 'Love Cloud', artist: 'Fengate' }],
  items: [{ title: 'Love Cloud', artist: 'Fengate' }],
  position_ms: 60_000,
  volume_percent: 30,
  range_start: 0,
  insert_before: 5,
};

/** Examples for tools whose required arguments alone do nothing or make a bad example. */
const BY_TOOL: Readonly<Record<string, Samples>> = {
  create_playlist: { name: 'Rainy Days' },
  create_playlist_from_tracks: { name: 'Rainy Days' },
  create_bulk_job: { type: 'save_tracks' },
  import_list: { name: 'Rainy Days' },
  keep_playlist: { name: 'Fresh', sql: 'select uri from saved order by position limit 50' },
  play: { context_uri: 'spotify:playlist:llLnJH77qQnJDz1RLa5GIE' },
  update_playlist_details: { name: 'Evening Ferry' },
};

/**
 * Arguments of an example. A value is undefined if there is no sample for it: then `toolText.ts` takes a value from the schema.
 */
export function samplesOf(tool: string, required: readonly string[]): Samples {
  const samples = required.map((name) => [name, BY_ARGUMENT[name]] as const);
  return { ...Object.fromEntries(samples), ...BY_TOOL[tool] };
}
