/** Which files of a privacy export are read. Pure. */

/**
 * `endsong_3.json`, `Streaming_History_Audio_2014-2016_0.json` and `Streaming_History_Video_2019.json` of the extended
 * history; `StreamingHistory0.json`, `StreamingHistory_music_0.json`, `…_podcast_0.json` and `…_audiobook_0.json` of the
 * account data. Browsers and unpackers add " (1)" and the like before `.json`.
 */
const HISTORY = /^(?:endsong|streaming_?history)[^/]*\.json$/i;
const ACCOUNT = /^userdata\.json$/i;

/** Returns the file name in a path whose parts are separated by `/`. */
function nameIn(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** True for the extra file that macOS adds to an archive for each file, under the same name. */
function isOfSystem(path: string): boolean {
  return path.split('/').includes('__MACOSX') || nameIn(path).startsWith('._');
}

export function isHistory(path: string): boolean {
  return HISTORY.test(nameIn(path)) && !isOfSystem(path);
}

/** True for the file that tells whose export it is. */
export function isAccountFile(path: string): boolean {
  return ACCOUNT.test(nameIn(path)) && !isOfSystem(path);
}
