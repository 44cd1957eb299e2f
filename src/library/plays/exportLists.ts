/** The playlists and the saved songs of a privacy export, as one list for `relay import`. */
import { isObject } from '../../base/parsing.ts';
import { type ExportFile, kindOf, withExportFiles } from './exportFiles.ts';
import { jsonIn } from './readExport.ts';

/**
 * Returns the lists of an export as JSON: its saved songs, or its playlists, which may be in several files. null if it has none.
 * @throws RefusedExport; errors of the system
 */
export function exportList(path: string, label: string, part: 'saved' | 'playlists'): Promise<Buffer | null> {
  return withExportFiles(path, label, async (files) => {
    const contents = await Promise.all(files.filter(({ path }) => kindOf(path) === 'list').map(contentOf));
    if (part === 'saved') {
      const library = contents.find(({ tracks }) => Array.isArray(tracks));
      return library ? asJson({ tracks: library.tracks }) : null;
    }
    const playlists = contents.flatMap((content) =>
      Array.isArray(content.playlists) ? content.playlists : [],
    );
    return playlists.length > 0 ? asJson({ playlists }) : null;
  });
}

async function contentOf(file: ExportFile): Promise<Record<string, unknown>> {
  const content = await jsonIn(file.chunks());
  return isObject(content) ? content : {};
}

function asJson(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}
