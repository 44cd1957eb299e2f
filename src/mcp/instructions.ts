/** What a client's model reads about the server before its first call. */
export const INSTRUCTIONS = `relay controls one person's Spotify account.

- To find things: search_tracks, search_artists, search_albums; get_track and get_artist for one. To pin down one song by title and artist: find_track_exact.
- To build a playlist from a list of songs: create_playlist_from_tracks (a new one) or add_tracks_by_search and bulk_add_tracks (an existing one). They resolve the whole list in one call and say what became of each entry: do not loop over single searches. Each song not met before costs a search of a limited daily quota.
- Work that one call cannot finish becomes a job that goes on by itself, over limits and restarts. A bulk tool that answers status "deferred" names one (job_id); create_bulk_job makes one from the start, for hundreds of songs or more. get_job_status says how far it is and what it waits for (ask a few times a minute at most); when it is ready, call commit_job, which writes. list_jobs, resume_job, cancel_job.
- To read playlists: find_playlist_by_name, get_my_playlists (all=true for every one), get_playlist_stats for numbers, get_playlist_tracks for rows (pages of 50: follow next_offset to the end before saying what a playlist holds).
- To change playlists: add_tracks_to_playlist, remove_tracks_from_playlist, reorder_playlist_tracks, replace_playlist_tracks, deduplicate_playlist (dry_run=true first), update_playlist_details. Only the account's own and collaborative playlists can be changed. Removing and replacing cannot be undone: make sure that the person wants it.
- The listener: get_saved_tracks, save_tracks, remove_saved_tracks, check_saved_tracks, get_top_tracks, get_top_artists, get_recently_played.
- The player (Premium): get_playback_state, get_devices, play, pause, next_track, previous_track, seek, set_volume, transfer_playback. On NO_ACTIVE_DEVICE choose a device from get_devices.
- IDs may be given as ID, URI or open.spotify.com link.
- A failed tool names a code and a remedy. RATE_LIMITED and QUOTA_EXCEEDED say after how many seconds to come back: do not repeat the call before; get_rate_limit_status shows what is blocked. PARTIAL_WRITE says how far a write got. LOGIN_REQUIRED needs the person: they run "relay login" in a terminal.`;
