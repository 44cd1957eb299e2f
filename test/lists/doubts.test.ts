/** Files that look like something else than songs: the preview says so, and a list that only looks a little like it has no doubt. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planImport } from '../../src/work/import/planImport.ts';

const KINDS: Readonly<Record<string, readonly [file: string, looksLike: string | null]>> = {
  'telephone numbers': ['Anna B - 0123 456789\nBen C - +49 123 4567\n', 'telephone numbers'],
  'titles that are numbers': ['Ovo - 1999\nTam - 7\nUla - 0800\n', null],
  'things to buy': ['Milk - 2 l\nBread - 500g\nEggs - 10x\n', 'things to buy'],
  'titles that begin with a number': ['Ovo - 2 Live\nTam - 500 Miles\n', null],
  'a table of a bank': [
    'Date,Text,Amount,Type\n2020-01-01,Shop - Town,12.30,debit\n2020-01-02,Shop - City,1.00,debit\n',
    'rows of a table that names neither title nor artist',
  ],
  'artists joined by commas': ['Ovo, Tam & Ula - Plinth\nOvo, Tam, Ula - Kettle\n', null],
  'a chat without times': ['Anna: Ovo - Plinth\nBen: Tam - Kettle\n', 'messages of a chat'],
  'a colon in some names': ['Anna: Ovo - Plinth\nTam - Kettle\nUla - Rope\n', null],
  'radio stations': ['#EXTM3U\n#EXTINF:-1,Radio Ovo - Best\nhttp://example.com/1\n', 'radio stations'],
  'songs of YouTube': ['#EXTM3U\n#EXTINF:-1,Ovo - Plinth\nhttps://www.youtube.com/watch?v=1\n', null],
};

for (const [what, [file, looksLike]] of Object.entries(KINDS)) {
  test(`${what}: ${looksLike === null ? 'no doubt' : 'a doubt'}`, async () => {
    const services = { resolver: { knows: () => false }, store: null, clock: { now: () => 0 } };
    const { preview } = await planImport(services as unknown as Parameters<typeof planImport>[0], file);
    const doubt = looksLike && `This may not be a list of songs: most lines look like ${looksLike}.`;
    assert.equal(preview.doubt, doubt);
  });
}
