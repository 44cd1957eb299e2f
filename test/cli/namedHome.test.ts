/** The commands that relay shows to a person contain the `--home` that the person gave. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { McpServer } from '@modelcontextprotocol/server';
import * as z from 'zod';
import { systemClock } from '../../src/base/clock.ts';
import { quotedPath } from '../../src/cli/commandLine.ts';
import { RelayError } from '../../src/domain/errors.ts';
import type { Remedy } from '../../src/domain/remedy.ts';
import { runTool } from '../../src/mcp/runTool.ts';
import type { Services, Tool } from '../../src/tools/tool.ts';
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
    assert.equal(quotedPath(path, platform), word);
  });
}

test('the remedy of an error contains --home', async (context) => {
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
      details: { redirectUri: 'http://127.0.0.1:4980/auth/provider/callback' },
    },
  });
});

test('after wrong usage, the command that shows the help is named without --home', async () => {
  assert.deepEqual(await relay(['--home', '/no/such/home', 'login', '--bogus']), {
    code: 2,
    out: '',
    err: "relay: Unknown option '--bogus'.\n  See `relay login --help`.\n",
  });
});

const WRONG_USES: ReadonlyArray<[args: string[], what: string, remedy: (relay: string) => string]> = [
  [
    ['uninstall'],
    'Without a terminal, relay cannot ask what to remove.',
    (relay) => `To remove everything: \`${relay} uninstall --yes\``,
  ],
  [
    ['key', 'rotate'],
    'Clients with the current key would lose access, and without a terminal relay cannot ask you first.',
    (relay) => `To generate a new key anyway: \`${relay} key rotate --yes\``,
  ],
  [
    ['config', 'unset', 'xyzzy'],
    'There is no setting "xyzzy".',
    (relay) => `\`${relay} config list\` shows all.`,
  ],
];

for (const [args, what, remedy] of WRONG_USES) {
  test(`the command after wrong usage is for the named home and the demo: relay ${args.join(' ')}`, async (context) => {
    const home = temporaryHome(context);
    for (const named of [
      ['--home', home],
      ['--demo', '--home', home],
    ]) {
      assert.deepEqual(await relay([...named, ...args]), {
        code: 2,
        out: '',
        err: `relay: ${what}\n  ${remedy(['relay', ...named].join(' '))}\n`,
      });
    }
  });
}

test('the commands that status shows contain --home', async (context) => {
  const { env } = await startFakeLocal(context, { answers: { status: async () => exampleReport() } });
  const { RELAY_HOME: home = '', ...others } = env;
  const options = { env: others, columns: 200 };
  assert.match(
    (await relay(['status', '--home', home], options)).out,
    new RegExp(`> relay --home ${home} login\n`),
  );
  const { entries } = JSON.parse((await relay(['status', '--home', home, '--json'], options)).out);
  assert.equal(entries[1].remedy, `relay --home ${home} login`);
});

const LOGIN: Remedy = { text: 'Run {command}, then try again.', command: ['login', '--switch-account'] };
const REMEDIES: ReadonlyArray<[what: string, remedy: string | Remedy, shown: (home: string) => string]> = [
  ['a value', LOGIN, (home) => `Run \`relay --home ${home} login --switch-account\`, then try again.`],
  ['plain text', 'Run `relay login`.', () => 'Run `relay login`.'],
];

for (const [what, remedy, shown] of REMEDIES) {
  test(`--home is added to the command of a remedy of the server or a tool, but not to plain text: ${what}`, async (context) => {
    const error = new RelayError('LOGIN_REQUIRED', 'No account is connected.', { remedy });
    const answers = { logout: () => Promise.reject(error) };
    const { env } = await startFakeLocal(context, { answers, mcp: () => failingServer(error) });
    const { RELAY_HOME: home = '', ...others } = env;
    for (const [words, code] of [
      ['logout', ''],
      ['call fail', 'LOGIN_REQUIRED: '],
    ] as const) {
      const err = `relay: ${code}No account is connected.\n  ${shown(home)}\n`;
      const result = await relay([...words.split(' '), '--home', home], { env: others });
      assert.deepEqual(result, { code: 3, out: '', err });
    }
  });
}

/** A server with one tool, which fails as the real ones do. */
function failingServer(error: RelayError): McpServer {
  const server = new McpServer({ name: 'fail', version: '1' });
  const input = z.object({});
  const tool = { name: 'fail', input, output: input, handle: () => Promise.reject(error) };
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  server.registerTool('fail', { description: 'Fails.', inputSchema: input }, (args, { mcpReq: { signal } }) =>
    runTool(tool as unknown as Tool, args, {
      services: {} as Services,
      clock: systemClock,
      log,
      signal,
      by: 'api-key',
      progress() {},
    }),
  );
  return server;
}
