/** Archives that no program should unpack, each with the words by which it is refused. */
import { deflateRawSync } from 'node:zlib';
import { extended } from './exports.ts';
import { type RawEntry, rawZip } from './rawZip.ts';

export interface Hostile {
  what: string;
  bytes: Buffer;
  /** What the error message has to contain. */
  says: RegExp;
}

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
  {
    what: 'a path that leads up',
    bytes: named(`../${NEXT}`),
    says: /"\.\.\/Stream.* leads out of the archive/,
  },
  { what: 'a path that leads up inside', bytes: named(`a/../../${NEXT}`), says: /leads out of the archive/ },
  { what: 'an absolute path', bytes: named(`/tmp/${NEXT}`), says: /has an absolute path/ },
  { what: 'a drive', bytes: named(`C:/${NEXT}`), says: /"C:\/.*has an absolute path/ },
  { what: 'a backslash', bytes: named(`..\\${NEXT}`), says: /has a backslash/ },
  { what: 'a zero byte', bytes: named(`a\0/${NEXT}`), says: /has control characters/ },
  { what: 'an escape sequence', bytes: named(`\u001b[2J${NEXT}`), says: /has control characters/ },
  { what: 'text turned around', bytes: named(`\u202e${NEXT}`), says: /has control characters/ },
  { what: 'no name', bytes: named(''), says: /has no name/ },
  { what: 'an empty part', bytes: named(`a//${NEXT}`), says: /has an empty part/ },
  { what: 'a dot', bytes: named(`a/./${NEXT}`), says: /has an empty part/ },
  { what: 'a name that is no UTF-8', bytes: named(LATIN1), says: /has a name that is not UTF-8/ },
  {
    what: 'a name without end',
    bytes: named(`${'x'.repeat(300)}.json`),
    says: /has a name that is too long/,
  },
  { what: 'eleven levels', bytes: named(`${'d/'.repeat(10)}${NEXT}`), says: /lies deeper than 10 levels/ },
  { what: 'the same name twice', bytes: named(GOOD.name), says: /is in the archive twice/ },
  {
    what: 'the same name in capitals',
    bytes: named(String(GOOD.name).toUpperCase()),
    says: /is in the archive twice/,
  },
  {
    what: 'a link',
    bytes: beside({ name: 'link', data: '/etc/passwd', ...MODE(0o120777) }),
    says: /"link" is a link/,
  },
  { what: 'a device', bytes: beside({ name: 'disk', ...MODE(0o060644) }), says: /"disk" is neither a file/ },
  { what: 'a pipe', bytes: beside({ name: 'pipe', ...MODE(0o010644) }), says: /"pipe" is neither a file/ },
  {
    what: 'a directory that holds data',
    bytes: beside({ name: 'a/', data: PLAYS, ...MODE(0o040755) }),
    says: /"a\/" is a directory that holds data/,
  },
  { what: 'encryption', bytes: beside({ name: NEXT, flags: 0x801 }), says: /is encrypted/ },
  { what: 'strong encryption', bytes: beside({ name: NEXT, flags: 0x841 }), says: /is refused/ },
  {
    what: 'encryption in its own header alone',
    bytes: beside({ name: NEXT, local: { flags: 0x801 } }),
    says: /is encrypted/,
  },
  { what: 'LZMA', bytes: beside({ name: NEXT, method: 14, packed: Buffer.from('x') }), says: /method 14/ },
  { what: 'two names', bytes: beside({ name: NEXT, local: { name: 'x.json' } }), says: /has two names/ },
  { what: 'two methods', bytes: beside({ name: NEXT, local: { method: 0 } }), says: /two methods/ },
  { what: 'two sizes', bytes: beside({ name: NEXT, local: { size: 9 } }), says: /two sizes or checksums/ },
  { what: 'two checksums', bytes: beside({ name: NEXT, local: { crc: 9 } }), says: /two sizes or checksums/ },
  {
    what: 'two sizes of what is stored',
    bytes: beside({ name: NEXT, method: 0, data: '[]', size: 9 }),
    says: /stored with two sizes/,
  },
  { what: 'a wrong checksum', bytes: beside({ name: NEXT, crc: 1 }), says: /has another checksum/ },
  {
    what: 'more than it says',
    bytes: beside({ name: NEXT, packed: deflateRawSync(Buffer.alloc(50_000_000, ' ')), data: '[]' }),
    says: /is larger than it says/,
  },
  { what: 'less than it says', bytes: beside({ name: NEXT, size: 900 }), says: /is smaller than it says/ },
  {
    what: 'no packed data',
    bytes: beside({ name: NEXT, packed: Buffer.from('never packed by anything') }),
    says: /cannot be unpacked/,
  },
  {
    what: 'something behind its data',
    bytes: beside({ name: NEXT, packed: Buffer.concat([deflateRawSync('[]'), Buffer.from('more')]) }),
    says: /has data after its end/,
  },
  { what: 'more than 2 GB', bytes: tooLarge(), says: /brings the archive above 2 GB/ },
  { what: 'too many entries', bytes: tooMany(), says: /2001 entries, more than 2000/ },
  {
    what: 'more entries than it has',
    bytes: rawZip({ entries: [GOOD], count: 9 }),
    says: /directory is damaged/,
  },
  { what: 'one piece of data in many entries', bytes: shared(), says: /shares its data with another entry/ },
  {
    what: 'data beyond its end',
    bytes: beside({ name: NEXT, method: 0, data: 'x', compressedSize: 999_999, size: 999_999 }),
    says: /cannot be read|reaches beyond/,
  },
  {
    what: 'an entry that begins beyond its end',
    bytes: beside({ name: NEXT, offset: 9_000_000 }),
    says: /cannot be read/,
  },
  { what: 'an entry that begins nowhere', bytes: beside({ name: NEXT, offset: 5 }), says: /cannot be read/ },
  { what: 'a cut', bytes: rawZip({ entries: [GOOD] }).subarray(0, 300), says: /not a complete zip archive/ },
  {
    what: 'no end',
    bytes: rawZip({ entries: [GOOD], withoutEnd: true }),
    says: /not a complete zip archive/,
  },
  { what: 'several disks', bytes: rawZip({ entries: [GOOD], disk: 3 }), says: /multi-disk/ },
  {
    what: 'a directory elsewhere',
    bytes: rawZip({ entries: [GOOD], directoryAt: 3 }),
    says: /directory is damaged/,
  },
  {
    what: 'something appended',
    bytes: rawZip({ entries: [GOOD], after: Buffer.from('#!/bin/sh\n') }),
    says: /not a complete zip archive/,
  },
  {
    what: 'JSON that ends',
    bytes: json(PLAYS.slice(0, -9)),
    says: /"Streaming.*2021_1.json" ends in the middle/,
  },
  { what: 'JSON that is none', bytes: json('[{"ts": }]'), says: /is not valid JSON/ },
  { what: 'JSON behind JSON', bytes: json(`${PLAYS}${PLAYS}`), says: /is not valid JSON/ },
  { what: 'one value', bytes: json('{"ts":1}'), says: /is not a list of plays/ },
  { what: 'an empty file', bytes: json(''), says: /2021_1.json" is empty/ },
  { what: 'rows of another kind', bytes: json('[{"a":1},{"a":2}]'), says: /holds no plays/ },
  { what: 'brackets without end', bytes: json('['.repeat(3_000_000)), says: /has a row without an end/ },
  {
    what: 'a name of megabytes',
    bytes: json(`[{"ts":"${'9'.repeat(3_000_000)}"}]`),
    says: /has a row without an end/,
  },
  {
    what: 'a workbook',
    bytes: rawZip({ entries: [{ name: 'xl/workbook.xml', data: '<x/>' }] }),
    says: /holds no listening history/,
  },
  { what: 'an archive without entries', bytes: rawZip({ entries: [] }), says: /holds no listening history/ },
];

function tooLarge(): Buffer {
  const half = { data: '[]', size: 1_500_000_000 };
  return rawZip({ entries: [GOOD, { name: 'a.json', ...half }, { name: 'b.json', ...half }] });
}

function tooMany(): Buffer {
  return rawZip({ entries: Array.from({ length: 2_001 }, (_, at) => ({ name: `${at}.json`, data: '[]' })) });
}

/** A small entry within the data of a large one: the way by which some kilobytes unpack to terabytes. */
function shared(): Buffer {
  const inner = rawZip({ entries: [{ name: NEXT, data: PLAYS }] });
  const outer = { name: String(GOOD.name), method: 0, data: inner };
  const begin = 30 + outer.name.length;
  return rawZip({ entries: [outer, { name: NEXT, data: PLAYS, isListedOnly: true, offset: begin }] });
}
