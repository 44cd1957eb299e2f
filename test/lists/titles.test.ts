/** Lines with only a title: which are read, so that a person chooses the song, and which are headings, remarks and prose. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findTrack } from '../../src/work/resolve/search.ts';
import { trackOf } from '../music/matchRows.ts';
import { testLists, testRefusals } from './told.ts';

testLists({
  'titles with numbers': [
    'Title\n1. Plinth\n2. Kettle\n3. rope!',
    '1: heading\n2  / Plinth\n3  / Kettle\n4  / rope!',
  ],
  'titles with bullets below a heading': [
    'My songs\n\n- Plinth\n- Kettle\n- Rope (live)\n',
    '1: no artist\n2: empty\n3  / Plinth\n4  / Kettle\n5  / Rope (live)',
  ],
  'titles alone': [
    '# songs\nPlinth\nStand by Me\n7 Kettles\n\nRope\nQuill\n',
    '1: comment\n2  / Plinth\n3  / Stand by Me\n4  / 7 Kettles\n5: empty\n6  / Rope\n7  / Quill',
  ],
  'titles with an empty line after each': [
    'Plinth\n\nKettle\n\nRope',
    '1  / Plinth\n2: empty\n3  / Kettle\n4: empty\n5  / Rope',
  ],
  'a title among songs, a heading and remarks': [
    'Best of all\nOvo - Plinth\nStand by Me\nmore soon\nTam - Kettle\n\nSide One\nTam - Quill\nOvo - Weir\n\nThanks Anna\n',
    '1: no artist\n2 Ovo / Plinth\n3  / Stand by Me\n4: no artist\n5 Tam / Kettle\n6: empty\n7: no artist\n8 Tam / Quill\n9 Ovo / Weir\n10: empty\n11: no artist',
  ],
  'lines without a number among songs that have one': [
    '1. Ovo - Plinth\nAn Opener\n2. Stand by Me\n3. Tam - Kettle\n4. Ula - Rope',
    '1 Ovo / Plinth\n2: no artist\n3  / Stand by Me\n4 Tam / Kettle\n5 Ula / Rope',
  ],
  'sections, a signature and an empty line after each song are no titles': [
    'Disc 1\nOvo - Plinth\nDisc 2\nTam - Kettle\nUla - Rope\n--\nAnna Weir\nSent from Olm',
    '1: no artist\n2 Ovo / Plinth\n3: no artist\n4 Tam / Kettle\n5 Ula / Rope\n6: no words\n7: no artist\n8: no artist',
  ],
  'a column of titles': ['title,plays\nPlinth,3\n"Rope, Kettle",4\n', '2  / Plinth\n3  / Rope, Kettle'],
  'an artist without a title': ['artist,title\nOvo,\nTam,Kettle\n', '2: no title\n3 Tam / Kettle'],
});

testRefusals((what) => `${what}: no titles`, {
  'a table of anything': [
    'Name,Telephone,City\nAnna Weir,555,Olm\nBen Quill,556,Tey\n',
    'The file was read as CSV, but no song was found in it. Line 2: no artist. | line 2',
  ],
  'a manual': [
    '# relay\n\nIt connects one account to what you use.\n\n## Use\n\n- Install it, then start it with `npm start`\n- Open the page\n\nIt writes nothing by itself.\nNothing at all.\n',
    'Only 0 of 5 lines can be read as a song; line 3 cannot (no artist). | line 3',
  ],
});

test('a title alone matches nothing: one search, and what it finds is put before the person', async () => {
  const track = trackOf('Plinth by Ovo');
  let searches = 0;
  const { status, match, candidates } = await findTrack({ title: track.name, artist: '' }, async () => {
    searches += 1;
    return [track];
  });
  assert.deepEqual(
    [status, match, candidates.map((one) => one.track.uri), searches],
    ['unmatched', null, [track.uri], 1],
  );
});
