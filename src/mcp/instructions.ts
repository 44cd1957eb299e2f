/** What a client's model reads about the server before its first call. */
export const INSTRUCTIONS = `relay controls one person's Spotify account.

- Find things with search_tracks, search_artists and search_albums; look at one with get_track or get_artist.
- Playlists: get_my_playlists (all=true for every one), get_playlist, get_playlist_tracks (pages of 50: follow next_offset to the end before saying what a playlist holds).
- The listener: get_saved_tracks, get_top_tracks, get_top_artists, get_recently_played.
- The player: get_playback_state, get_currently_playing, get_devices.
- IDs may be given as ID, URI or open.spotify.com link.
- A failed tool names a code and a remedy. RATE_LIMITED and QUOTA_EXCEEDED say after how many seconds to come back: do not repeat the call before. LOGIN_REQUIRED needs the person: they run "relay login" in a terminal.`;
