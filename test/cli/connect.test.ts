/** `relay connect`: what it prints for each client, and what it does to files that belong to other programs. */

import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import test, { type TestContext } from 'node:test';
import type { Parts } from '../../src/cli/context.ts';
import { loadSettings } from '../../src/config/settings.ts';
import { CLIENTS } from '../../src/connect/clientTable.ts';
import { FORMATS } from '../../src/connect/formats.ts';
import type { StatusReport } from '../../src/domain/localApi.ts';
import type { LocalApi } from '../../src/server/calls.ts';
import { fileWith, URL } from '../connect/additions.ts';
import { type CliOptions, type CliResult, relay, temporaryHome } from '../support/cli.ts';
import { manualClock } from '../support/clock.ts';
import { pluck } from '../support/entries.ts';
import { type FakeLocalOptions, startFakeLocal } from '../support/fakeLocal.ts';
import { exampleReport } from '../support/reports.ts';

const NO_SERVER = 'No server is running. The address is the one in the settings.\n';
const KEY = 'relay_0123456789abcdefghijklmnopqrstuvwxyz';

interface Desk {
  /** The person's home directory. */
  home: string;
  run(args: string[], options?: CliOptions): Promise<CliResult>;
  put(file: string, text: string, mode?: number): void;
  text(file: string): string;
  /** The names in a directory below `home`. */
  list(directory: string): string[];
  mode(file: string): number;
}

/** A person's machine on which relay has not written anything yet. */
function desk(context: TestContext, env: NodeJS.ProcessEnv = {}): Desk {
  const home = temporaryHome(context);
  const at = (file: string) => join(home, file);
  const clock = manualClock(Date.UTC(2026, 10, 20, 12, 30, 5));
  return {
    home,
    run: (args, options = {}) =>
      relay(['connect', ...args], {
        clock,
        ...options,
        env: { HOME: home, RELAY_HOME: at('relay-home'), ...env, ...options.env },
      }),
    put(file, text, mode = 0o600) {
      mkdirSync(dirname(at(file)), { recursive: true });
      writeFileSync(at(file), text);
      chmodSync(at(file), mode);
    },
    text: (file) => readFileSync(at(file), 'utf8'),
    list: (directory) => readdirSync(at(directory)).sort(),
    mode: (file) => statSync(at(file)).mode & 0o777,
  };
}

test('if clients cannot register themselves, connect says how to set one up first', async (t) => {
  const { run } = desk(t, { MCP_OAUTH_DCR_ENABLED: 'false' });
  const closed = /lets no client register itself .* Set the client up with `relay( --home \S+)? clients add`/;
  const byKey = /connect it with a key: `relay( --home \S+)? connect cursor --key --write`/;
  const first = await run(['cursor']);
  assert.match(first.err, closed);
  assert.match(first.err, byKey);
  assert.doesNotMatch((await run(['cursor'], { env: { MCP_AUTH_MODE: 'oauth' } })).err, byKey);
  const other = await run(['something-else']);
  assert.match(other.err, closed);
  assert.doesNotMatch(other.out, /mcp-remote/, 'it would have to register');
  assert.doesNotMatch((await run(['claude-desktop'])).err, closed, 'it starts relay itself');
});

/** What is shown for a client with a command of its own, and for one that starts relay. */
const SHOWN: Array<[id: string, text: string, after: string]> = [
  [
    'codex',
    `Codex CLI needs this in
  HOME/.codex/config.toml

  [mcp_servers.relay]
  url = "${URL}"

To add it to the file, after a backup:
  relay connect codex --write

Or with the client's own command:
  codex mcp add relay --url ${URL}
`,
    `After that:\n  Run \`codex mcp login relay\`.\n  The page that opens asks once for the owner code: see \`relay status\`.\n`,
  ],
  [
    'claude-desktop',
    `Claude Desktop needs this in
  HOME/.config/Claude/claude_desktop_config.json

  {
    "mcpServers": {
      "relay": {
        "command": "/opt/relay/relay",
        "args": [
          "--home",
          "HOME/relay-home",
          "stdio",
          "--access",
          "everything"
        ]
      }
    }
  }

To add it to the file, after a backup:
  relay connect claude-desktop --write
`,
    `After that:\n  Quit Claude Desktop and start it again.\n`,
  ],
];

for (const [id, text, after] of SHOWN) {
  test(`connect ${id} prints what the client documents, and changes no file`, async (context) => {
    const { home, run, list } = desk(context);
    const { code, out, err } = await run([id]);
    assert.deepEqual([code, out], [0, `${text.replaceAll('HOME', home)}\n${after}`]);
    assert.match(err, /^No server is running.*\n$/);
    assert.deepEqual(list('.'), []);
  });
}

const MINE = {
  json: '{\n  // mine\n  "theme": "dark",\n}\n',
  toml: 'theme = "dark" # mine\n',
  yaml: '# mine\ntheme: dark\n',
};

for (const { id, name, format, section, strict } of CLIENTS) {
  const mine = strict ? '{\n  "theme": "dark"\n}\n' : MINE[format];
  const hasComment = mine.includes('mine');
  test(`connect ${id} --write adds the entry once, and --remove takes it out again`, async (context) => {
    const { home, run, put, text, list } = desk(context);
    const { file } = JSON.parse((await run([id, '--json'])).out);
    const below = relative(home, file);
    put(below, mine);
    const written = await run([id, '--write']);
    assert.match(written.out, new RegExp(`^Added relay in ${file}\nBackup of the previous file: `));
    assert.equal(written.err, NO_SERVER, name);
    const content = text(below);
    const parsed = (from: string) => JSON.parse(JSON.stringify(FORMATS[format].parse(from)));
    assert.equal(content.includes('mine'), hasComment);
    const files = list(dirname(below));
    assert.equal((await run([id, '--write'])).out, `relay is already in ${file}\n`);
    assert.deepEqual([text(below), list(dirname(below))], [content, files]);
    const entry = JSON.parse((await run([id, '--json'])).out).entry;
    assert.deepEqual(parsed(content), { theme: 'dark', [section]: { relay: entry } });
    const { out } = await run([id, '--remove']);
    assert.match(out, new RegExp(`^Removed relay from ${file}\nBackup of the previous file: `));
    assert.equal(text(below).includes('mine'), hasComment);
    assert.deepEqual(parsed(text(below)), { theme: 'dark' });
    assert.equal((await run([id, '--remove'])).out, `relay is not in ${file}\n`);
  });
}

test('the same server under another name is found, reported, and not added again', async (context) => {
  const { home, run, put, text } = desk(context);
  const mine = (name: string) => `"${name}": { "url": "http://localhost:4980/mcp/", "timeout": 5 }`;
  put('.cursor/mcp.json', `{ "mcpServers": { ${mine('music')} } }`);
  const file = `${home}/.cursor/mcp.json`;
  const twice = (name: string) =>
    `${file} has the same server as "${name}" too. Keep one: Cursor would have every tool twice.\n`;
  assert.equal((await run(['cursor'])).err, `${NO_SERVER}${file} has relay as "music" already.\n`);
  assert.match((await run([])).out, /cursor +Cursor +present \(music\) /m);
  const written = await run(['cursor', '--write']);
  assert.equal(written.err, NO_SERVER);
  assert.match(written.out, /^Changed music in /);
  assert.deepEqual(JSON.parse(text('.cursor/mcp.json')).mcpServers, { music: { url: URL, timeout: 5 } });
  put('.cursor/mcp.json', `{ "mcpServers": { ${mine('music')}, ${mine('relay')} } }`);
  assert.equal((await run(['cursor'])).err, `${NO_SERVER}${file} has relay already.\n${twice('music')}`);
  assert.match((await run([])).out, /cursor +Cursor +present \(music\) /m);
  assert.equal((await run(['cursor', '--write'])).err, `${NO_SERVER}${twice('music')}`);
  assert.match((await run(['cursor', '--remove'])).out, /^Removed relay, music from /);
  assert.deepEqual(JSON.parse(text('.cursor/mcp.json')), {});
});

test('no backup holds the key: a placeholder stands in its place', async (context) => {
  const { env } = await withServer(context, reportFor(URL));
  const { home, run, put, text, list } = desk(context, env);
  put('.cursor/mcp.json', OTHER);
  await run(['cursor', '--write', '--key']);
  const withKey = text('.cursor/mcp.json');
  for (const flag of ['--write', '--remove']) {
    put('.cursor/mcp.json', withKey);
    const { backup } = JSON.parse((await run(['cursor', flag, '--json'])).out);
    assert.equal(text(relative(home, backup)), withKey.replace(KEY, '<key>'));
  }
  assert.equal(list('.cursor').length, 4);
  for (const name of list('.cursor')) assert.equal(text(`.cursor/${name}`).includes(KEY), false, name);
});

test('--write keeps what a person has set in the entry: on or off, timeout, tools, headers', async (context) => {
  const { run, put, text } = desk(context);
  const OLD = 'http://127.0.0.1:1/mcp';
  const json: Array<[id: string, file: string, section: string, entry: object]> = [
    ['copilot', '.copilot/mcp-config.json', 'mcpServers', { type: 'http', url: OLD, tools: ['play'] }],
    ['kilo', '.config/kilo/kilo.json', 'mcp', { type: 'remote', url: OLD, enabled: false, timeout: 7 }],
    [
      'cline',
      '.cline/data/settings/cline_mcp_settings.json',
      'mcpServers',
      { transport: { type: 'streamableHttp', url: OLD, headers: { 'X-Mine': '1' } }, autoApprove: ['play'] },
    ],
  ];
  for (const [id, file, section, entry] of json) {
    const before = JSON.stringify({ [section]: { relay: entry } });
    put(file, before);
    assert.equal((await run([id, '--write'])).code, 0);
    assert.deepEqual(JSON.parse(text(file)), JSON.parse(before.replace(OLD, URL)), id);
  }
  const file = '.config/goose/config.yaml';
  const mine = `extensions:
  relay:
    enabled: false
    uri: ${OLD}
    headers:
      X-Mine: "1"
    env_keys:
      - A
    timeout: 5
    type: streamable_http
    name: relay
    envs: {}
`;
  put(file, mine);
  assert.equal((await run(['goose', '--write'])).code, 0);
  assert.equal(text(file), mine.replace(OLD, URL));
});

/** Makes the default home an empty one, since a relay may run in that of whoever runs the tests. */
function emptyDefaultHome(context: TestContext): void {
  const { XDG_CONFIG_HOME: before } = process.env;
  process.env.XDG_CONFIG_HOME = temporaryHome(context);
  context.after(() => {
    if (before === undefined) delete process.env.XDG_CONFIG_HOME;
    else process.env.XDG_CONFIG_HOME = before;
  });
}

test('an entry that starts relay for another home is told as such, and stays; one for the same home goes', async (context) => {
  emptyDefaultHome(context);
  const own = desk(context, { RELAY_HOME: '' });
  const file = '.config/Claude/claude_desktop_config.json';
  const entry = (home: string) =>
    JSON.stringify({
      mcpServers: { music: { command: '/opt/relay/relay', args: ['stdio'], env: { RELAY_HOME: home } } },
    });
  own.put(file, entry('/elsewhere').replace('music', 'relay'));
  const { clients } = JSON.parse((await own.run(['--json'])).out);
  const row = clients.find(({ id }: { id: string }) => id === 'claude-desktop');
  assert.deepEqual([row.state, row.otherNames, row.removable], ['different', [], []]);
  const another = await own.run(['claude-desktop', '--remove']);
  assert.match(another.out, /The entry relay in that file is for another server, so it stays\./);
  own.put(file, entry('/elsewhere'));
  const stays = await own.run(['claude-desktop', '--remove']);
  assert.match(stays.out, /^relay is not in /);
  assert.equal(own.text(file), entry('/elsewhere'));
  own.put(file, entry(''));
  assert.match((await own.run(['claude-desktop', '--remove'])).out, /^Removed music from /);
});

test('a client whose directory cannot be listed does not keep the others from being listed', async (context) => {
  const own = desk(context);
  own.put('.cursor', 'not a directory');
  const { code, out } = await own.run([]);
  assert.equal(code, 0);
  assert.match(out, /^claude-code /m);
});

test('another server that is named relay stays with --remove; --write replaces it whole, after a backup', async (context) => {
  const others = [
    '{ "url": "https://mcp.relay.example/mcp", "headers": { "Authorization": "Bearer theirs" } }',
    '{ "command": "npx", "args": ["-y", "some-relay"], "env": { "TOKEN": "theirs" } }',
  ];
  for (const other of others) {
    const { home, run, put, text, list } = desk(context);
    const file = `${home}/.cursor/mcp.json`;
    const before = `{ "mcpServers": { "relay": ${other} } }`;
    put('.cursor/mcp.json', before);
    assert.equal(
      (await run(['cursor', '--remove'])).out,
      `relay is not in ${file}\nThe entry relay in that file is for another server, so it stays.\n`,
    );
    assert.match((await run(['cursor'])).err, /has another entry relay: --write replaces it\.\n$/);
    assert.deepEqual([text('.cursor/mcp.json'), list('.cursor')], [before, ['mcp.json']]);
    assert.match(
      (await run(['cursor', '--write'])).out,
      /^Changed relay in .*\nBackup of the previous file: /,
    );
    assert.deepEqual(JSON.parse(text('.cursor/mcp.json')), { mcpServers: { relay: { url: URL } } });
    assert.equal(list('.cursor').length, 2);
  }
});

test('a client that starts relay without XDG_CONFIG_HOME is told the home that this variable gives', async (context) => {
  emptyDefaultHome(context);
  const HOME = temporaryHome(context);
  const XDG_CONFIG_HOME = join(HOME, 'config');
  const of = async (platform: NodeJS.Platform) => {
    const env = { HOME, XDG_CONFIG_HOME };
    const { out } = await relay(['connect', 'claude-desktop', '--json'], { env, platform });
    return JSON.parse(out).entry.args;
  };
  const { home } = loadSettings({ env: {} });
  const words = ['stdio', '--access', 'everything'];
  assert.deepEqual([await of('linux'), await of('darwin')], [['--home', home, ...words], words]);
});

test('a program that npx fetched for one run is never written into a file', async (context) => {
  const { home, run, list } = desk(context);
  const path = '/home/me/.npm/_npx/1a2b3c/node_modules/relay/bin/relay.mjs';
  const machine = {
    program: ['/usr/bin/node', path],
    homeDir: home,
    uid: 1,
    run: async () => ({ ok: false, out: '', err: '' }),
  };
  const { code, err } = await run(['claude-desktop', '--write'], { machine });
  assert.equal(code, 1);
  assert.match(
    err,
    /is a temporary copy, and Claude Desktop could not start it later\. Nothing was changed\./,
  );
  assert.deepEqual(list('.'), []);
  assert.equal((await run(['cursor', '--write'], { machine })).code, 0);
});

test('for a client that relay does not know, connect prints the address, the header and the program', async (context) => {
  const { home, run } = desk(context);
  assert.deepEqual(await run(['Zedd']), {
    code: 0,
    out: `If the client connects to a URL (Streamable HTTP), enter:

  Name    relay
  URL     http://127.0.0.1:4980/mcp

The client then asks for approval in the browser.
If it cannot, also enter the header Authorization with "Bearer" and the key that \`relay key\` prints.

If the client starts a program instead, give it this command:

  /opt/relay/relay --home ${home}/relay-home stdio
`,
    err: `${NO_SERVER}relay does not know the client "Zedd". Did you mean "zed"?\n`,
  });
  const { code, err } = await run(['Zedd', '--write']);
  assert.deepEqual([code, /Unknown client "Zedd"/.test(err)], [2, true]);
  const noKey = await run(['Zedd'], { env: { MCP_AUTH_MODE: 'oauth' } });
  assert.match(noKey.out, /\nThe client then asks for approval in the browser\.\n\n/);
});

const OTHER = '{\n  // mine\n  "mcpServers": {\n    "other": { "url": "https://x" }\n  }\n}\n';
const BOTH =
  '{\n  // mine\n  "mcpServers": {\n    "other": { "url": "https://x" },\n    "relay": {\n      "url": "http://127.0.0.1:4980/mcp"\n    }\n  }\n}\n';

test('a malformed file stays as it is, and the error says what to put in by hand', async (context) => {
  const { home, run, put, text, list } = desk(context);
  const broken = '{\n  "mcpServers": {\n    oops\n  }\n}\n';
  put('.cursor/mcp.json', broken);
  assert.deepEqual(await run(['cursor', '--write']), {
    code: 1,
    out: '',
    err: `${NO_SERVER}relay: ${home}/.cursor/mcp.json is not valid JSON (line 3, column 5). Nothing was changed.
  Fix the file and try again, or add this by hand:

    {
      "mcpServers": {
        "relay": {
          "url": "http://127.0.0.1:4980/mcp"
        }
      }
    }
`,
  });
  assert.match((await run(['cursor', '--remove'])).err, /\n {2}Remove relay from mcpServers by hand\.\n$/);
  assert.deepEqual([text('.cursor/mcp.json'), list('.cursor')], [broken, ['mcp.json']]);
  // To add a table below an inline table by hand would break the file.
  put('.codex/config.toml', 'mcp_servers = { other = { url = "https://x" } }\n');
  const inline = await run(['codex', '--write']);
  assert.match(
    inline.err,
    /Nothing was changed\.\n {2}Write each server as a table of its own, \[mcp_servers\.NAME\]/,
  );
});

test('comments are refused where the client refuses them, and nothing is written', async (context) => {
  const { run, put, text, list } = desk(context);
  const path = '.cline/data/settings/cline_mcp_settings.json';
  put(path, OTHER);
  const { code, err } = await run(['cline', '--write']);
  assert.equal(code, 1);
  assert.match(
    err,
    /is not plain JSON, which has no comments .*\(line 2, column 3\)\. Nothing was changed\./,
  );
  assert.deepEqual([text(path), list(dirname(path))], [OTHER, ['cline_mcp_settings.json']]);
  put('.cursor/mcp.json', OTHER);
  assert.equal((await run(['cursor', '--write'])).code, 0);
  assert.equal(text('.cursor/mcp.json'), BOTH);
});

/** A server of this home that answers with `report` and the key. */
function withServer(context: TestContext, report: StatusReport, options: FakeLocalOptions = {}) {
  const answers: Partial<LocalApi> = {
    status: async () => report,
    showKey: async () => ({ key: KEY, fromEnvironment: false, accepted: true }),
  };
  return startFakeLocal(context, { answers, ...options });
}

function reportFor(mcpUrl: string, authMode: 'bearer' | 'oauth' = 'bearer'): StatusReport {
  const { server, mcp } = exampleReport();
  return exampleReport({ server: server && { ...server, mcpUrl }, mcp: { ...mcp, authMode } });
}

test('the address is that of the running server, and replaces another one of relay', async (context) => {
  const { env, calls } = await withServer(context, reportFor('https://relay.example.org/mcp'));
  const { run, put, text } = desk(context, env);
  put('.cursor/mcp.json', BOTH);
  assert.match((await run(['cursor', '--write'])).out, /^Changed relay in /);
  assert.equal(text('.cursor/mcp.json'), BOTH.replace(URL, 'https://relay.example.org/mcp'));
  assert.deepEqual(pluck(calls, 'call'), ['status']);
});

test('the demo has a name of its own, and leaves the entry of a real server with the same address', async (context) => {
  const { env } = await withServer(context, reportFor(URL), { demo: true });
  const { run, put, text, list } = desk(context, env);
  const real = fileWith('mcpServers', {
    url: URL,
    headers: { Authorization: 'Bearer relay_of-the-real-one' },
  });
  put('.cursor/mcp.json', real);
  const { out, err } = await run(['cursor', '--write']);
  assert.match(out, /^Added relay-demo in /);
  assert.equal(err, 'Using the running demo.\n');
  const servers = JSON.parse(text('.cursor/mcp.json')).mcpServers;
  assert.deepEqual(servers, { ...JSON.parse(real).mcpServers, 'relay-demo': { url: URL } });
  for (const done of [/^Removed relay-demo from /, /^relay-demo is not in /]) {
    assert.match((await run(['cursor', '--remove'])).out, done);
    assert.equal(text('.cursor/mcp.json'), real);
  }
  assert.equal(list('.cursor').length, 3, 'the file and both backups');
});

test('without a running server, connect takes the address from the settings', async (context) => {
  const { run } = desk(context);
  const urlWith = async (env: NodeJS.ProcessEnv) =>
    JSON.parse((await run(['cursor', '--json'], { env })).out).url;
  const PUBLIC_BASE_URL = 'https://relay.example.org/';
  assert.equal(await urlWith({ PUBLIC_BASE_URL }), 'https://relay.example.org/mcp');
  assert.equal(await urlWith({ RELAY_HOST: '::1', RELAY_PORT: '5000' }), 'http://[::1]:5000/mcp');
  const { code, err } = await run(['cursor'], { env: { RELAY_PORT: '0' } });
  assert.deepEqual(
    [code, /With port 0, the address is known only while the server runs\./.test(err)],
    [4, true],
  );
});

test('with port 0 and no server, connect does all that needs no address', async (context) => {
  const { home, run, put, text } = desk(context, { RELAY_PORT: '0' });
  mkdirSync(join(home, '.config/Claude'), { recursive: true });
  const written = await run(['claude-desktop', '--write', '--json']);
  assert.deepEqual([written.code, written.err, JSON.parse(written.out).url], [0, '', null]);
  put('.cursor/mcp.json', BOTH);
  const listed = await run(['--json']);
  const { url, clients } = JSON.parse(listed.out);
  assert.deepEqual([listed.code, listed.err, url], [0, '', null]);
  const states = clients.flatMap(({ id, state }: Record<string, string>) =>
    state === 'absent' ? [] : [id, state],
  );
  assert.deepEqual(states, ['claude-desktop', 'present', 'cursor', 'different']);
  const removed = await run(['cursor', '--remove']);
  assert.deepEqual([removed.code, removed.err, text('.cursor/mcp.json')], [0, '', OTHER]);
});

test('--key prints the key; with --write only the file has the key, and only its owner can read the file', async (context) => {
  const { env, calls } = await withServer(context, reportFor(URL));
  const { home, run, put, text, mode } = desk(context, env);
  put('.codex/config.toml', 'model = "o"\n', 0o644);
  const printed = await run(['codex', '--key']);
  assert.match(printed.out, new RegExp(`\n  Authorization = "Bearer ${KEY}"\n`));
  assert.match(printed.out, /\n {2}relay connect codex --key --write\n/);
  const written = await run(['codex', '--key', '--write', '--json']);
  assert.equal(written.err, '');
  const entry = (key: string) =>
    `[mcp_servers.relay]\nurl = "${URL}"\n\n[mcp_servers.relay.http_headers]\nAuthorization = "Bearer ${key}"\n`;
  assert.equal(text('.codex/config.toml'), `model = "o"\n\n${entry(KEY)}`);
  assert.equal(mode('.codex/config.toml'), 0o600);
  const { snippet, command, backup } = JSON.parse(written.out);
  assert.deepEqual(
    [snippet, command, backup],
    [entry('<key>'), null, `${home}/.codex/config.toml.relay-backup-20261120T123005Z`],
  );
  chmodSync(join(home, '.codex/config.toml'), 0o644);
  const again = await run(['codex', '--key', '--write']);
  assert.deepEqual([true, 0o600], [again.out.startsWith('Changed relay in '), mode('.codex/config.toml')]);
  // Without --key, the key leaves the file, and the server is not asked for it.
  calls.length = 0;
  assert.equal((await run(['codex', '--write'])).code, 0);
  assert.equal(text('.codex/config.toml').trimEnd(), `model = "o"\n\n[mcp_servers.relay]\nurl = "${URL}"`);
  assert.deepEqual(pluck(calls, 'call'), ['status']);
});

test('a new file with the key is readable by its owner alone; the error for a broken file does not contain the key', async (context) => {
  const { env } = await withServer(context, reportFor(URL));
  const { run, put, text, mode } = desk(context, env);
  assert.equal((await run(['claude-code', '--key', '--write'])).code, 0);
  assert.equal(mode('.claude.json'), 0o600);
  assert.match(text('.claude.json'), new RegExp(`"Authorization": "Bearer ${KEY}"`));
  put('.cursor/mcp.json', '{');
  const { code, out, err } = await run(['cursor', '--key', '--write']);
  assert.deepEqual([code, out, err.includes(KEY)], [1, '', false]);
  assert.match(err, /"Authorization": "Bearer <key>"/);
});

test('--key without a server opens the state and closes it again', async (context) => {
  const ends: string[] = [];
  const openOffline: Parts['openOffline'] = async () => ({
    local: {
      showKey: async () => ({ key: KEY, fromEnvironment: false, accepted: true }),
    } as unknown as LocalApi,
    close: async () => {
      ends.push('closed');
    },
  });
  const { code, out } = await desk(context).run(['cursor', '--key', '--json'], { parts: { openOffline } });
  assert.deepEqual([code, ends], [0, ['closed']]);
  assert.equal(JSON.parse(out).entry.headers.Authorization, `Bearer ${KEY}`);
});

test('a server that accepts no key makes --key an error', async (context) => {
  const { env, calls } = await withServer(context, reportFor(URL, 'oauth'));
  const expected = {
    code: 2,
    out: '',
    err: 'relay: The server does not accept API keys: mcpAuthMode (MCP_AUTH_MODE) is oauth.\n  Leave out --key: the client asks for your approval.\n',
  };
  assert.deepEqual(await desk(context, env).run(['cursor', '--key', '--write']), expected);
  assert.deepEqual(pluck(calls, 'call'), ['status']);
});

test('after key rotate, key and connect name the files that still have the old key', async (context) => {
  const { run, home, put } = desk(context);
  const NEW = KEY.replaceAll('a', 'b');
  let key = KEY;
  const { env } = await startFakeLocal(context, {
    answers: {
      status: async () => reportFor(URL),
      showKey: async () => ({ key, fromEnvironment: false, accepted: true }),
      rotateKey: async () => {
        key = NEW;
        return { key };
      },
    },
  });
  put('.codeium/windsurf/mcp_config.json', BOTH);
  await run(['cursor', '--key', '--write'], { env });
  await run(['gemini', '--key', '--write'], { env });
  const stateOfCursor = async () => {
    const { clients } = JSON.parse((await run(['--json'], { env })).out);
    return clients.find(({ id }: Record<string, unknown>) => id === 'cursor').state;
  };
  assert.equal(await stateOfCursor(), 'present');
  const rotated = await relay(['key', 'rotate', '--yes'], { env: { HOME: home, ...env } });
  assert.deepEqual(rotated, {
    code: 0,
    out: `${NEW}\n`,
    err: `The line above is the new key. The old one no longer works, and browsers need the owner code again.
These files still have the old key. To put the new one in:
  relay connect cursor --key --write  (${home}/.cursor/mcp.json)
  relay connect gemini --key --write  (${home}/.gemini/settings.json)
Give the new key to every other client that sent the old one. Clients that you approved need no key.
`,
  });
  assert.equal(await stateOfCursor(), 'different');
  await run(['cursor', '--key', '--write'], { env });
  assert.equal(await stateOfCursor(), 'present');
});

test('connect without a client lists the clients and their files; with one, it says what is in the file already', async (context) => {
  const { home, run, put } = desk(context);
  put('.cursor/mcp.json', BOTH);
  put('.gemini/settings.json', '{"mcpServers": {"relay": {"httpUrl": "http://localhost:1/mcp"}}}');
  put('.qwen/settings.json', '{"mcpServers": {"relay": {"httpUrl": "http://elsewhere/mcp"}}}');
  put('.codex/config.toml', '[');
  const { code, out } = await run([]);
  const [table = '', advice] = out.split('\n\n');
  const [head = '', ...rows] = table.split('\n').map((row) => row.split(/ {2,}/));
  assert.deepEqual([code, head], [0, ['CLIENT', 'NAME', 'relay IS', 'FILE']]);
  assert.deepEqual(
    rows.map(([id]) => id),
    CLIENTS.map(({ id }) => id),
  );
  assert.deepEqual(
    rows
      .filter(([id = '']) => /^(?:claude-code|cursor|codex|gemini|qwen)/.test(id))
      .map((row) => row.slice(2)),
    [
      ['absent', '~/.claude.json'],
      ['present', '~/.cursor/mcp.json'],
      ['unreadable', '~/.codex/config.toml'],
      ['different', '~/.gemini/settings.json'],
      ['different', '~/.qwen/settings.json'],
    ],
  );
  assert.match(advice ?? '', /relay connect CLIENT/);
  const { clients } = JSON.parse((await run(['--json'])).out);
  assert.deepEqual(
    clients.flatMap(({ id, state, installed }: Record<string, string>) => (installed ? [[id, state]] : [])),
    [
      ['cursor', 'present'],
      ['codex', 'unreadable'],
      ['gemini', 'different'],
      ['qwen', 'different'],
    ],
  );
  for (const [id, said] of [
    ['cursor', '.cursor/mcp.json has relay already.'],
    ['gemini', '.gemini/settings.json has another entry relay: --write replaces it.'],
    ['qwen', '.qwen/settings.json has another entry relay: --write replaces it.'],
    ['codex', '.codex/config.toml cannot be read; --write says why.'],
  ] as const) {
    assert.equal((await run([id])).err, `${NO_SERVER}${home}/${said}\n`);
  }
});

test('the commands shown to a person contain --home', async (context) => {
  const { home, run } = desk(context);
  const { out } = await run(['cursor', '--home', join(home, 'my relay')]);
  assert.match(out, new RegExp(`  relay --home '${home}/my relay' connect cursor --write\n`));
});
