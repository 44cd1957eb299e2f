/**
 * The time to read text from outside grows in proportion to its length. This is measured for every reader of a list, and every
 * function that parses a name, a header or an identifier, with inputs of one to eight times a length. A pattern that tries each
 * place of a long run takes sixty-four times as long on eight times the text. One line of a list would then block everything
 * else for seconds.
 */
import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { test } from 'node:test';
import * as visible from '../../src/base/visibleText.ts';
import { parseRef } from '../../src/domain/ids.ts';
import { LIST_FORMATS, type ListFormat } from '../../src/domain/listImport.ts';
import type { Track } from '../../src/domain/shapes.ts';
import { nameToSearch, readBilling, sameArtist } from '../../src/music/artists.ts';
import { readingsOf } from '../../src/music/listNoise.ts';
import { songOfFile } from '../../src/music/lists/paths.ts';
import { readList } from '../../src/music/lists/readList.ts';
import { isrcOf, takeAddresses, takeIsrc } from '../../src/music/lists/refs.ts';
import { matchTrack } from '../../src/music/match.ts';
import { nameKey } from '../../src/music/normalise.ts';
import { parseTitle } from '../../src/music/title.ts';
import { aliasKey, searchQueries } from '../../src/music/trackQuery.ts';
import { readCredentials } from '../../src/oauth/policy/clientAuth.ts';
import { isRegisteredRedirectUri, isUsableRedirectUri } from '../../src/oauth/policy/redirectUri.ts';
import { checkMetadata } from '../../src/oauth/policy/registration.ts';
import { isSameResource } from '../../src/oauth/policy/target.ts';
import type { HttpContext } from '../../src/server/http/context.ts';
import { cookieOf } from '../../src/server/http/cookies.ts';
import { createGuards } from '../../src/server/http/guards.ts';
import { processorMs } from '../support/processorTime.ts';
import { sized } from '../support/scale.ts';

/** The texts that are repeated. Each text of `KNOWN` has broken a pattern, here or elsewhere. */
const KNOWN = ['.', ')', '-', '( ', ' - ', ' ', '"', ',', 'a', ':', '[', 'ﷺ', '1', '/'];
const MORE =
  '\t|- | -|(|(a|“|" |: |//| | |, |;|a |A|1 |01|. |spotify:|spotify:a|:a|http://|open.spotify.com|https://open.spotify.com/ |://| by |by | feat |feat.|—|– |&amp;|<|<a>|<a |</a>|<!--|<![CDATA[|{"a":|{|"a",|[],|#EXTINF:|#|\'|\\|%|%41|%C3|é|e\u0301|\u0301|\u200b|\u{e0041}|\ud83d|\u00a0|=|File1=|_|*|•|· |> |~|00:|1:11 |(1:11)| 2011|-1|1.|[1|Official| official|vevo|- topic|remaster| live| x | and |!|?|İ|＂|、|「|\v|\u2028';
const UNITS = [...KNOWN, ...sized(MORE.split('|'), [])];

/** Texts before the repeated part. `TAILS` come after it. */
const LINE_HEADS = ['', 'spotify:a:', 'http://x '];
const HEADS: Record<ListFormat, readonly string[]> = {
  csv: ['title,artist\n', 'title,artist\na,b\n"'],
  tsv: ['title\tartist\n'],
  spotify: ['[{"endTime":"', '{"playlists":[{"name":"'],
  json: ['["spotify:a:', '["http://x ', '[{"title":"', '['],
  m3u8: ['#EXTM3U\n#EXTINF:1,', '#EXTM3U\n', '#EXTM3U\n#EXTINF:1,spotify:a:'],
  pls: ['[playlist]\nFile1=', '[playlist]\nTitle1='],
  xspf: ['<playlist><trackList><track><title>', '<playlist><trackList><track><location>spotify:a:'],
  itunes: ['<plist><dict><key>Tracks</key><dict><key>1</key><dict><key>Name</key><string>'],
  txt: ['', 'a - b\n', 'spotify:a:', 'http://x '],
};
const TAILS: Partial<Record<ListFormat, string>> = {
  spotify: '"}]',
  json: '"]',
  xspf: '</title></track></trackList></playlist>',
  itunes: '</string></dict></dict></dict></plist>',
};

const guards = createGuards({
  port: 4980,
  names: ['127.0.0.1', 'localhost', '[::1]'],
  publicBaseUrl: 'https://relay.example',
});
const cookie = (text: string) =>
  ({ request: { headers: { cookie: text } } as IncomingMessage }) as HttpContext;
const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;

function trackCalled(name: string, artist: string): Track {
  return {
    id: '0000000000000000000000',
    uri: 'spotify:track:0000000000000000000000',
    type: 'track',
    name,
    artists: [{ id: null, name: artist }],
    album: { id: null, name, release_date: null },
    duration_ms: 1,
    explicit: false,
    is_local: false,
    isrc: null,
    url: null,
  };
}

const FUNCTIONS: Record<string, (text: string) => unknown> = {
  title: (text) => parseTitle(text),
  'title of a list': (text) => readingsOf({ title: text, artist: 'Ula' }),
  'artist of a list': (text) => readingsOf({ title: `Ula - ${text}`, artist: text }),
  'key of an alias': (text) => aliasKey({ title: text, artist: text, album: text }),
  'search texts': (text) => searchQueries({ title: text, artist: text, album: text }),
  billing: (text) => [readBilling(text), sameArtist(text, 'x & y'), nameToSearch(text), nameKey(text)],
  'track found': (text) => matchTrack({ title: 'Ula', artist: 'Plinth' }, [trackCalled(text, text)]),
  'title found': (text) =>
    matchTrack({ title: 'Ula', artist: 'Plinth' }, [trackCalled(`Ula ${text}`, 'Plinth')]),
  'clean text': (text) => [
    visible.visibleText(text),
    visible.visibleLines(text),
    visible.visibleJson(text),
    visible.escapedText(text),
    visible.headerValue(text),
  ],
  identifier: (text) => [
    refused(() => parseRef(text, ['track'])),
    takeAddresses(text),
    takeIsrc(text.slice(0, 500)),
  ],
  link: (text) => [refused(() => parseRef(`https://open.spotify.com/${text}`, ['track'])), isrcOf(text)],
  path: (text) => songOfFile({ title: '', path: text }, {}),
  'Basic header': (text) => [text, basic(text)].map((one) => readCredentials(new URLSearchParams(), one)),
  'redirect URI': (text) => [text, `http://127.0.0.1/${text}`, `a.b:/${text}`].map(isUsableRedirectUri),
  'registered URI': (text) =>
    isRegisteredRedirectUri([`http://127.0.0.1:1/${text}`], `http://127.0.0.1:2/${text}`),
  metadata: (text) =>
    checkMetadata({ redirect_uris: ['http://127.0.0.1/'], client_name: text, scope: text }, []),
  resource: (text) => isSameResource(`http://x/${text}`, 'http://127.0.0.1/mcp'),
  'Cookie, Host, Origin': (text) => [
    cookieOf(cookie(text), 'relay_login'),
    guards.baseUrlFor(text),
    guards.isOwnOrigin(`http://${text}`),
  ],
};

function refused(read: () => unknown): unknown {
  try {
    return read();
  } catch (error) {
    return error;
  }
}

/**
 * Characters of the largest input. A pattern with quadratic time takes a second for 16,000 and a sixteenth of that for 4,000;
 * one with linear time takes about a millisecond.
 */
const LARGEST = sized(16_000, 4_000);
/** In milliseconds. Work that takes less time passes without a comparison. */
const QUICK = 25;

function millisecondsOf(work: () => unknown, turns: number): number {
  let least = Number.POSITIVE_INFINITY;
  for (let turn = 0; turn < turns; turn++) {
    const before = process.cpuUsage();
    work();
    least = Math.min(least, processorMs(before));
  }
  return least;
}

/** Fails if time grows faster than the input, with allowance for garbage collection and a busy machine. */
function assertGrowsLinearly(work: (text: string) => unknown, head: string, tail: string): void {
  for (const unit of UNITS) {
    const text = (length: number) => head + unit.repeat(Math.ceil(length / unit.length)) + tail;
    const cost = (times: number, turns: number) => {
      const input = text((LARGEST / 8) * times);
      return millisecondsOf(() => work(input), turns);
    };
    if (cost(8, 1) < QUICK) continue;
    const costs = [1, 2, 4, 8].map((times) => cost(times, 3));
    const [once = 0, , , eight = 0] = costs;
    const what = JSON.stringify([head, unit, tail]);
    assert.ok(
      eight < QUICK || eight < 20 * once,
      `${what}: ${costs.map((ms) => ms.toFixed(1)).join(', ')} ms`,
    );
  }
}

for (const format of LIST_FORMATS) {
  test(`a list read as ${format} takes a time that grows with its length`, () => {
    const read = (text: string) => refused(() => readList(Buffer.from(text), { format }));
    for (const head of HEADS[format]) {
      for (const tail of new Set([TAILS[format] ?? 'x', ...sized(['', ' - x'], [])])) {
        assertGrowsLinearly(read, head, tail);
      }
    }
  });
}

for (const [what, work] of Object.entries(FUNCTIONS)) {
  test(`${what}: time grows with the length of the text`, () => {
    for (const head of sized(LINE_HEADS, LINE_HEADS.slice(0, 2)))
      for (const tail of ['x', ...sized(['', ')'], [])]) assertGrowsLinearly(work, head, tail);
  });
}
