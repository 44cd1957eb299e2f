/** Every parser of text from outside either returns a value or refuses the text. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { RelayError } from '../../src/domain/errors.ts';
import { parseRef } from '../../src/domain/ids.ts';
import { LIST_FORMATS } from '../../src/domain/listImport.ts';
import { readList } from '../../src/music/lists/readList.ts';
import { parseTitle } from '../../src/music/title.ts';
import { checkAuthorizeRequest } from '../../src/oauth/policy/authorize.ts';
import { readCredentials } from '../../src/oauth/policy/clientAuth.ts';
import { isSameResource } from '../../src/oauth/policy/parameters.ts';
import { isRegisteredRedirectUri, isUsableRedirectUri } from '../../src/oauth/policy/redirectUri.ts';
import { checkMetadata } from '../../src/oauth/policy/registration.ts';
import { anyJson, anyText, near } from './inputs.ts';
import { holdsForAll } from './property.ts';

const ID = '4uLU6hMCjMI75M1A2tKUQC';

/** Returns the value that was read, or null if the input was refused with one of `codes`. */
function readOr<T>(read: () => T, codes: readonly string[] = ['INVALID_ARGUMENT']): T | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof RelayError && codes.includes(error.code)) return null;
    throw error;
  }
}

test('an identifier is refused or read as a kind and an ID, and reading the result again gives the same', (t) => {
  const written = near(
    ID,
    `spotify:track:${ID}`,
    `spotify:user:someone:playlist:${ID}`,
    `https://open.spotify.com/intl-de/track/${ID}?si=1`,
    `open.spotify.com/embed/user/a%20b/playlist/${ID}`,
    'spotify:user:some%20one',
    'https://spotify.link/abc',
    'spotify:local:a:b:c:1',
  );
  return holdsForAll(t, 30, written, (text) => {
    const ref = readOr(() => parseRef(text, ['track', 'playlist', 'episode', 'user']));
    if (ref === null) return;
    assert.equal(ref.uri, `spotify:${ref.kind}:${ref.id}`);
    if (ref.kind === 'user') return;
    assert.match(ref.id, /^[0-9A-Za-z]{22}$/);
    assert.deepEqual(parseRef(ref.uri, ['artist', ref.kind]), ref);
  });
});

test('a usable redirect URI leads to the host that it shows, and has no dangerous scheme', (t) => {
  const uri = near(
    'https://client.example/cb',
    'http://127.0.0.1:7777/callback',
    'http://[::1]/',
    'http://localhost:1/a?b=c',
    'cursor://anysphere.cursor/callback',
    'com.example.app:/oauth',
    'https://user@evil.example/',
    'https:evil.example',
    'http://127.0.0.1.evil.example/',
    'ms-msdt:/id',
  );
  return holdsForAll(t, 30, fc.tuple(uri, uri), ([one, other]) => {
    const matches = isRegisteredRedirectUri([one], other);
    if (matches) assert.ok(isUsableRedirectUri(other));
    if (!isUsableRedirectUri(one)) return;
    assert.ok(isRegisteredRedirectUri([one], one));
    const { protocol, hostname, username, password, hash } = new URL(one);
    assert.deepEqual([username, password, hash], ['', '', '']);
    assert.match(one, /^[\x21-\x5b\x5d-\x7e]+$/);
    if (protocol === 'http:') assert.ok(['127.0.0.1', '[::1]', 'localhost'].includes(hostname), one);
    assert.ok(!['javascript:', 'data:', 'file:', 'ms-msdt:'].includes(protocol), one);
    if (matches && one !== other) assert.equal(new URL(other).hostname, hostname);
  });
});

test('authorization requests, credentials, registrations and resources of any form are checked without an exception', (t) => {
  const header = fc.oneof(
    near(`Basic ${Buffer.from('id:secret').toString('base64')}`, 'Basic', 'Bearer x'),
    anyText.map((text) => `Basic ${Buffer.from(text).toString('base64')}`),
  );
  const name = near(
    'response_type',
    'client_id',
    'redirect_uri',
    'code_challenge',
    'scope',
    'resource',
    'state',
  );
  const parameters = fc.array(fc.tuple(name, near('code', 'known', 'http://127.0.0.1/mcp', 'S256')), {
    maxLength: 10,
  });
  const body = fc.oneof(
    fc.dictionary(near('redirect_uris', 'client_name', 'grant_types', 'token_endpoint_auth_method'), anyJson),
    anyJson,
  );
  return holdsForAll(t, 30, fc.tuple(parameters, body, header), ([pairs, metadata, authorization]) => {
    const credentials = readCredentials(new URLSearchParams(pairs), authorization);
    if (credentials.ok) assert.notEqual(credentials.value.clientId, '');
    const check = checkAuthorizeRequest(new URLSearchParams(pairs), () => null, {
      resource: 'http://127.0.0.1/mcp',
      origins: [],
    });
    assert.equal(check.ok, false);
    checkMetadata(metadata, []);
    isSameResource(pairs[0]?.[1] ?? '', 'http://127.0.0.1/mcp');
  });
});

const HEADS = [
  '',
  'title,artist\n',
  '#EXTM3U\n#EXTINF:1,',
  '[playlist]\nFile1=',
  '{"tracks":[',
  '<?xml version="1.0"?><playlist><trackList>',
  '<plist><dict>',
  'Track Name\tArtist\n',
];

test('a list of any bytes is read into entries that name a track, or refused', (t) => {
  const line = near(
    'Ovo - Plinth',
    '"a","b"',
    'spotify:track:',
    'File1=a.mp3',
    '{"title":"a","artist":"b"}',
    '</',
  );
  const inputs = fc.record({
    bytes: fc.oneof(
      { weight: 1, arbitrary: fc.uint8Array({ maxLength: 300 }) },
      {
        weight: 3,
        arbitrary: fc
          .tuple(
            fc.constantFrom(...HEADS),
            fc.array(line, { maxLength: 12 }),
            fc.constantFrom('\n', '\r\n', '\r'),
          )
          .map(([head, lines, end]) => Buffer.from(head + lines.join(end))),
      },
    ),
    format: fc.option(fc.constantFrom(...LIST_FORMATS), { nil: undefined }),
  });
  return holdsForAll(t, 30, inputs, ({ bytes, format }) => {
    const list = readOr(() => readList(bytes, format ? { format } : {}));
    if (list === null) return;
    assert.notEqual(list.entries.length, 0);
    for (const { title, uri, isrc, raw } of list.entries) {
      assert.ok(title !== '' || uri !== undefined || isrc !== undefined);
      assert.ok(raw.length <= 300);
      if (uri !== undefined) assert.match(uri, /^spotify:(track|episode):[0-9A-Za-z]{22}$/);
    }
  });
});

test('a title of any text is parsed without an exception', (t) =>
  holdsForAll(t, 30, near('Song (feat. A) - Remastered 2011', 'a [Live] (2)'), (title) => {
    parseTitle(title);
  }));
