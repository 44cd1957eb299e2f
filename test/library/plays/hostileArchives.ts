/** Archives that no program should unpack, each with the words by which it is refused. */
import { deflateRawSync } from 'node:zlib';
import { extended } from './exports.ts';
import { type RawEntry, rawZip } from './rawZip.ts';

/** An archive, and what the error message has to contain. */
type Hostile = readonly [what: string, bytes: Buffer, message: RegExp];

const PLAYS = JSON.stringify([extended({ at: '2020-01-02T03:04:05Z' })]);
const GOOD: RawEntry = { name: 'Streaming_History_Audio_2020_0.json', data: PLAYS };
const NEXT = 'Streaming_History_Audio_2021_1.json';

/** An archive with a good entry and a hostile one, since one hostile entry is enough for a refusal. */
function beside(entry: RawEntry): Buffer {
  return rawZip({ entries: [GOOD, entry] });
}

function named(name: string | Uint8Array): Buffer {
  return beside({ name, data: PLAYS });
}

function json(text: string): Buffer {
  return beside({ name: NEXT, data: text });
}

const MODE = (mode: number) => ({ attributes: mode * 0x10000 });
const LATIN1 = Uint8Array.from([0x63, 0x61, 0x66, 0xe9, 0x2e, 0x6a, 0x73, 0x6f, 0x6e]);

export const HOSTILE: readonly Hostile[] = [
  ['a path that leads up', named(`../${NEXT}`), /"\.\.\/Stream.* leads out of the archive/],
  ['a path that leads up inside', named(`a/../../${NEXT}`), /leads out of the archive/],
  ['an absolute path', named(`/tmp/${NEXT}`), /has an absolute path/],
  ['a drive', named(`C:/${NEXT}`), /"C:\/.*has an absolute path/],
  ['a backslash', named(`..\\${NEXT}`), /has a backslash/],
  ['a zero byte', named(`a\0/${NEXT}`), /has control characters/],
  ['an escape sequence', named(`\u001b[2J${NEXT}`), /has control characters/],
  ['text turned around', named(`\u202e${NEXT}`), /has control characters/],
  ['no name', named(''), /has no name/],
  ['an empty part', named(`a//${NEXT}`), /has an empty part/],
  ['a dot', named(`a/./${NEXT}`), /has an empty part/],
  ['a name that is no UTF-8', named(LATIN1), /has a name that is not UTF-8/],
  ['a name without end', named(`${'x'.repeat(300)}.json`), /has a name that is too long/],
  ['eleven levels', named(`${'d/'.repeat(10)}${NEXT}`), /lies deeper than 10 levels/],
  ['the same name twice', named(GOOD.name), /is in the archive twice/],
  ['the same name in capitals', named(String(GOOD.name).toUpperCase()), /is in the archive twice/],
  ['a link', beside({ name: 'link', data: '/etc/passwd', ...MODE(0o120777) }), /"link" is a link/],
  ['a device', beside({ name: 'disk', ...MODE(0o060644) }), /"disk" is neither a file/],
  ['a pipe', beside({ name: 'pipe', ...MODE(0o010644) }), /"pipe" is neither a file/],
  [
    'a directory that holds data',
    beside({ name: 'a/', data: PLAYS, ...MODE(0o040755) }),
    /"a\/" is a directory that holds data/,
  ],
  ['encryption', beside({ name: NEXT, flags: 0x801 }), /is encrypted/],
  ['strong encryption', beside({ name: NEXT, flags: 0x841 }), /is refused/],
  ['encryption in its own header alone', beside({ name: NEXT, local: { flags: 0x801 } }), /is encrypted/],
  ['LZMA', beside({ name: NEXT, method: 14, packed: Buffer.from('x') }), /method 14/],
  ['two names', beside({ name: NEXT, local: { name: 'x.json' } }), /has two names/],
  ['two methods', beside({ name: NEXT, local: { method: 0 } }), /two methods/],
  ['two sizes', beside({ name: NEXT, local: { size: 9 } }), /two sizes or checksums/],
  ['two checksums', beside({ name: NEXT, local: { crc: 9 } }), /two sizes or checksums/],
  [
    'two sizes of what is stored',
    beside({ name: NEXT, method: 0, data: '[]', size: 9 }),
    /stored with two sizes/,
  ],
  ['a wrong checksum', beside({ name: NEXT, crc: 1 }), /has another checksum/],
  [
    'more than it says',
    beside({ name: NEXT, packed: deflateRawSync(Buffer.alloc(50_000_000, ' ')), data: '[]' }),
    /is larger than it says/,
  ],
  ['less than it says', beside({ name: NEXT, size: 900 }), /is smaller than it says/],
  [
    'no packed data',
    beside({ name: NEXT, packed: Buffer.from('never packed by anything') }),
    /cannot be unpacked/,
  ],
  [
    'something behind its data',
    beside({ name: NEXT, packed: Buffer.concat([deflateRawSync('[]'), Buffer.from('more')]) }),
    /has data after its end/,
  ],
  ['more than 2 GB', tooLarge(), /brings the archive above 2 GB/],
  ['too many entries', tooMany(), /2001 entries, more than 2000/],
  ['more entries than it has', rawZip({ entries: [GOOD], count: 9 }), /directory is damaged/],
  ['one piece of data in many entries', shared(), /shares its data with another entry/],
  [
    'data beyond its end',
    beside({ name: NEXT, method: 0, data: 'x', compressedSize: 999_999, size: 999_999 }),
    /cannot be read|reaches beyond/,
  ],
  ['an entry that begins beyond its end', beside({ name: NEXT, offset: 9_000_000 }), /cannot be read/],
  ['an entry that begins nowhere', beside({ name: NEXT, offset: 5 }), /cannot be read/],
  ['a cut', rawZip({ entries: [GOOD] }).subarray(0, 300), /not a complete zip archive/],
  ['no end', rawZip({ entries: [GOOD], withoutEnd: true }), /not a complete zip archive/],
  ['several disks', rawZip({ entries: [GOOD], disk: 3 }), /multi-disk/],
  ['a directory elsewhere', rawZip({ entries: [GOOD], directoryAt: 3 }), /directory is damaged/],
  [
    'something appended',
    rawZip({ entries: [GOOD], after: Buffer.from('#!/bin/sh\n') }),
    /not a complete zip archive/,
  ],
  ['JSON that ends', json(PLAYS.slice(0, -9)), /"Streaming.*2021_1.json" ends in the middle/],
  ['JSON that is none', json('[{"ts": }]'), /is not valid JSON/],
  ['JSON behind JSON', json(`${PLAYS}${PLAYS}`), /is not valid JSON/],
  ['one value', json('{"ts":1}'), /is not a list of plays/],
  ['an empty file', json(''), /2021_1.json" is empty/],
  ['rows of another kind', json('[{"a":1},{"a":2}]'), /holds no plays/],
  ['brackets without end', json('['.repeat(3_000_000)), /has a row without an end/],
  ['a name of megabytes', json(`[{"ts":"${'9'.repeat(3_000_000)}"}]`), /has a row without an end/],
  [
    'a workbook',
    rawZip({ entries: [{ name: 'xl/workbook.xml', data: '<x/>' }] }),
    /holds no listening history/,
  ],
  ['an archive without entries', rawZip({ entries: [] }), /holds no listening history/],
];

function tooLarge(): Buffer {
  const half = { data: '[]', size: 1_500_000_000 };
  return rawZip({ entries: [GOOD, { name: 'a.json', ...half }, { name: 'b.json', ...half }] });
}

function tooMany(): Buffer {
  return rawZip({ entries: Array.from({ length: 2_001 }, (_, at) => ({ name: `${at}.json`, data: '[]' })) });
}

/** A small entry within the data of a large entry. In this way, a few kilobytes can unpack to terabytes. */
function shared(): Buffer {
  const inner = rawZip({ entries: [{ name: NEXT, data: PLAYS }] });
  const outer = { name: String(GOOD.name), method: 0, data: inner };
  const begin = 30 + outer.name.length;
  return rawZip({ entries: [outer, { name: NEXT, data: PLAYS, isListedOnly: true, offset: begin }] });
}
