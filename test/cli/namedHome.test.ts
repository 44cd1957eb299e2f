/** What a person is told to run reaches the home that they named. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { forHome, quoted } from '../../src/cli/relayCommand.ts';
import { relay, temporaryHome } from '../support/cli.ts';
import { startFakeLocal } from '../support/fakeLocal.ts';
import { exampleReport } from '../support/reports.ts';

const QUOTED: ReadonlyArray<[path: string, platform: NodeJS.Platform, word: string]> = [
  ['/srv/relay-1.0', 'linux', '/srv/relay-1.0'],
  ['/my home', 'darwin', "'/my home'"],
  ["/Ann's", 'linux', String.raw`'/Ann'\''s'`],
  ['~/relay', 'linux', "'~/relay'"],
  ['C:\\Users\\ann\\relay', 'win32', 'C:\\Users\\ann\\relay'],
  ['C:\\my home\\', 'win32', '"C:\\my home\\\\"'],
  ['~\\relay', 'win32', '"~\\relay"'],
];

for (const [path, platform, word] of QUOTED) {
  test(`${path} as one word of a command line on ${platform}`, () => {
    assert.equal(quoted(path, platform), word);
  });
}

const TOLD: ReadonlyArray<[text: string, there: string]> = [
  ['relay login', 'relay --home /h login'],
  ['relay serve, or another home with --home', 'relay --home /h serve, or another home with --home'],
  ['Run `relay login`, then `relay serve`.', 'Run `relay --home /h login`, then `relay --home /h serve`.'],
  ["The owner runs 'relay login'.", "The owner runs 'relay --home /h login'."],
  ['Run: relay service install', 'Run: relay --home /h service install'],
  ['  RELAY_PORT  relay config set port VALUE', '  RELAY_PORT  relay --home /h config set port VALUE'],
  ['`relay --home /x serve`', '`relay --home /x serve`'],
  ['Stop the relay first; /opt/relay serve', 'Stop the relay first; /opt/relay serve'],
];

for (const [text, there] of TOLD) {
  test(`with --home: ${text}`, () => {
    assert.equal(forHome(text, { home: '/h', platform: 'linux' }), there);
    assert.equal(forHome(text, { home: undefined, platform: 'linux' }), text);
  });
}

test('the remedy of an error is for the home of --home', async (context) => {
  const home = temporaryHome(context);
  const text = await relay(['login', '--home', home]);
  assert.equal(text.code, 2);
  assert.match(
    text.err,
    new RegExp(
      `\n  Set it with \`relay --home ${home} config set providerClientId ID\`, then log in again\\.\n$`,
    ),
  );
  const json = await relay(['login', '--home', home, '--json']);
  assert.deepEqual(JSON.parse(json.err), {
    error: {
      code: 'SETTINGS_INVALID',
      message: 'The client ID of your Spotify app is not set.',
      remedy: `Set it with \`relay --home ${home} config set providerClientId ID\`, then log in again.`,
    },
  });
});

test('the help that a wrong usage points to needs no home', async () => {
  assert.deepEqual(await relay(['--home', '/no/such/home', 'login', '--bogus']), {
    code: 2,
    out: '',
    err: 'relay: Unknown option "--bogus".\n  See `relay login --help`.\n',
  });
});

test('what status says to run is for the home of --home', async (context) => {
  const { env } = await startFakeLocal(context, { answers: { status: async () => exampleReport() } });
  const { RELAY_HOME: home = '', ...others } = env;
  const options = { env: others, columns: 200 };
  assert.match(
    (await relay(['status', '--home', home], options)).out,
    new RegExp(`> Run: relay --home ${home} login\n`),
  );
  const { entries } = JSON.parse((await relay(['status', '--home', home, '--json'], options)).out);
  assert.equal(entries[1].remedy, `Run: relay --home ${home} login`);
});
