import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseTitle } from '../../src/music/title.ts';

/**
 * Titles, each with its song and what else it says: versions with details, guests after "+", and other notes after "~". Such
 * other notes do not make another recording.
 */
const TITLES: readonly (readonly [string, string, string])[] = [
  ['Plinth', 'plinth', ''],
  ['Plinth (feat. Ula Brenk)', 'plinth', '+ula brenk'],
  ['Plinth [Ft. Ula Brenk]', 'plinth', '+ula brenk'],
  ['Plinth featuring Ula Brenk', 'plinth', '+ula brenk'],
  ['Plinth ft Ula Brenk', 'plinth', '+ula brenk'],
  ['Plinth w/ Ula Brenk', 'plinth', '+ula brenk'],
  ['Plinth - feat. Ula Brenk', 'plinth', '+ula brenk'],
  ['Plinth (with Ula Brenk & Ovo)', 'plinth', '+ula brenk +ovo'],
  ['Plinth (feat. Ula Brenk, Ovo and The Weirs)', 'plinth', '+ula brenk +ovo +the weirs'],
  ['Plinth (con Ula Brenk)', 'plinth', '+ula brenk'],
  ['Plinth (avec Ula Brenk)', 'plinth', '+ula brenk'],
  ['Plinth (feat. Ula Brenk) [Live]', 'plinth', 'live +ula brenk'],
  ['Plinth feat. Ula Brenk - Live', 'plinth', 'live +ula brenk'],
  ['Plinth feat. Ula Brenk - Llive', 'plinth llive', '+ula brenk'],
  ['Plinth (Ovo Remix feat. Ula Brenk)', 'plinth', 'remix:ovo +ula brenk'],
  ['Plinth (With You)', 'plinth with you', ''],
  ['Plinth (With or Without a Ladder)', 'plinth with or without a ladder', ''],
  ['Mending with Rope', 'mending with rope', ''],
  ['No Small Feat of Mending', 'no small feat of mending', ''],
  ['Six Ft Plinth', 'six ft plinth', ''],
  ['Plinth - Live', 'plinth', 'live'],
  ['Plinth – Live', 'plinth', 'live'],
  ['Plinth (LIVE)', 'plinth', 'live'],
  ['Plinth (Live', 'plinth', 'live'],
  ['Plinth （ライブ）', 'plinth', 'live'],
  ['Plinth 【Live】', 'plinth', 'live'],
  ['Plinth (En Vivo)', 'plinth', 'live'],
  ['Plinth (Live at Brask Hall)', 'plinth', 'live:brask hall'],
  ['Plinth - Live in Velhaven, 1994', 'plinth', 'live:velhaven 1994'],
  ['Plinth - Live 1994', 'plinth', 'live:1994'],
  ['Plinth - Recorded Live at Brask; 2011 Remaster', 'plinth', 'live:brask ~remaster 2011'],
  ['Plinth (Live Acoustic Session)', 'plinth', 'acoustic live'],
  ['Plinth - Live from Brask - Acoustic', 'plinth', 'acoustic live:brask'],
  ['Live and Let Mend', 'live and let mend', ''],
  ['Live Lanterns', 'live lanterns', ''],
  ['The Rooms We Live', 'the rooms we live', ''],
  ['Plinth (The Rooms We Live In)', 'plinth the rooms we live in', ''],
  ['Cover My Kettle', 'cover my kettle', ''],
  ['Acoustic', 'acoustic', ''],
  ['(Live)', 'live', ''],
  ['Live (Live)', 'live', 'live'],
  ['Remix to Quillport', 'remix to quillport', ''],
  ['Plinth (Remix)', 'plinth', 'remix'],
  ['Plinth - Ovo Remix', 'plinth', 'remix:ovo'],
  ['Plinth [Ovo & Ula Brenk Remix]', 'plinth', 'remix:ovo and ula brenk'],
  ['Plinth (Remixed by Ovo)', 'plinth', 'remix:ovo'],
  ['Plinth - Ovo Extended Mix', 'plinth', 'extended remix:ovo'],
  ['Plinth (Ovo Edit)', 'plinth', 'remix:ovo'],
  ['Plinth (In the Mix)', 'plinth in the mix', ''],
  ['Plinth - Extended Version', 'plinth', 'extended'],
  ['Plinth (Acoustic Version)', 'plinth', 'acoustic'],
  ['Plinth - Instrumental', 'plinth', 'instrumental'],
  ['Plinth (A Cappella)', 'plinth', 'a cappella'],
  ['Plinth - Sped Up', 'plinth', 'sped up'],
  ['Plinth (Slowed + Reverb)', 'plinth', 'reverb slowed'],
  ['Plinth (Karaoke Version)', 'plinth', 'karaoke'],
  ['Plinth (Originally Performed by Ula Brenk) [Karaoke]', 'plinth', 'karaoke'],
  ['Plinth (Made Famous by Ula Brenk)', 'plinth', 'karaoke'],
  ['Plinth - Cover', 'plinth', 'cover'],
  ['Plinth (A Tribute to Ula Brenk)', 'plinth', 'tribute'],
  ['Plinth - Demo', 'plinth', 'demo'],
  ['Plinth (Alternate Take)', 'plinth', 'alternate'],
  ['Plinth (Re-Recorded)', 'plinth', 're-recorded'],
  ["Plinth (Ula's Version)", 'plinth', 'version:ulas'],
  ['Plinth - French Version', 'plinth', 'version:french'],
  ['Plinth - 2011 Remaster', 'plinth', '~remaster 2011'],
  ['Plinth - Remastered 2011', 'plinth', '~remaster 2011'],
  ['Plinth - 2011 - Remaster', 'plinth', '~remaster 2011'],
  ['Plinth (2011 Digital Remaster)', 'plinth', '~remaster 2011'],
  ['Plinth (Remastered)', 'plinth', '~remaster'],
  ['Plinth Remastered 2011', 'plinth', '~remaster 2011'],
  ['Plinth - Mono / Remastered', 'plinth', '~mono ~remaster'],
  ['Plinth - Stereo Version', 'plinth', ''],
  ['Plinth - 2019 Mix', 'plinth', '~remaster 2019'],
  ['Plinth - Radio Edit', 'plinth', '~edit'],
  ['Plinth - Single Version', 'plinth', '~edit'],
  ['Plinth (Album Version)', 'plinth', ''],
  ['Plinth (Original Mix)', 'plinth', ''],
  ['Plinth - Bonus Track', 'plinth', ''],
  ['Plinth (Deluxe Edition)', 'plinth', ''],
  ['Plinth [Explicit]', 'plinth', '~explicit'],
  ['Plinth (From "The Ferry")', 'plinth', ''],
  ['Plinth (From the Film The Ferry)', 'plinth', ''],
  ['Plinth (From Above)', 'plinth from above', ''],
  ['Plinth (Official Video)', 'plinth', ''],
  ['Plinth (Prod. by Ovo)', 'plinth', ''],
  ['(I Will) Mend', 'i will mend', ''],
  ['Plinth (Reprise)', 'plinth reprise', ''],
  ['Plinth, Pt. 1', 'plinth part 1', ''],
  ['Plinth (Part One)', 'plinth part 1', ''],
  ['Plinth - Part I', 'plinth part 1', ''],
  ['Plinth Vol. III', 'plinth volume 3', ''],
  ['Plinth II', 'plinth ii', ''],
  ['Rise/Fall/Rise', 'rise fall rise', ''],
  ['Tin / Copper', 'tin copper', ''],
  ['??? (Live)', '???', 'live'],
  ['?!¿?', '?!¿?', ''],
  ['🔥 (Ovo Remix)', '🔥', 'remix:ovo'],
  ['', '', ''],
];

function described(title: string): [string, string, string] {
  const { base, versions, details, featured, notes, remasterYear } = parseTitle(title);
  const kinds = [...versions]
    .sort()
    .map((kind) => (details.has(kind) ? `${kind}:${details.get(kind)}` : kind));
  const plain = [...notes].sort().map((note) => `~${note}`);
  const year = remasterYear === null ? [] : [String(remasterYear)];
  return [title, base, [...kinds, ...featured.map((name) => `+${name}`), ...plain, ...year].join(' ')];
}

for (const row of TITLES) {
  test(`the title "${row[0]}" is parsed`, () => {
    assert.deepEqual(described(row[0]), row);
  });
}

test('a search uses the parts of a title as written', () => {
  const { plain, versionWords } = parseTitle('Été Perdu (feat. Ovo) - Live at Brask');
  assert.deepEqual({ plain, versionWords }, { plain: 'Été Perdu', versionWords: ['live', 'brask'] });
});
