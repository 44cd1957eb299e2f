/** `relay connect`: what it prints for each client, and what it does to files that belong to other programs. */

import assert from 'node:assert/strict';
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import test, { type TestContext } from 'node:test';
import type { Parts } from '../../src/cli/context.ts';
import { loadSettings } from '../../src/config/settings.ts';
import { CLIENTS } from '../../src/connect/clientTable.ts';
import type { LocalApi, StatusReport } from '../../src/domain/localApi.ts';
import { ownStart } from '../../src/store/home/processes.ts';
import { fileWith, URL } from '../connect/additions.ts';
import { type CliOptions, type CliResult, relay, temporaryHome } from '../support/cli.ts';
import { manualClock } from '../support/clock.ts';
import { assertNone, pluck } from '../support/entries.ts';
import { type FakeLocalOptions, startFakeLocal } from '../support/fakeLocal.ts';
import { exampleReport } from '../support/reports.ts';
import { longTest } from '../support/scale.ts';

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

interface Documented {
  file: string;
  /** The content of the file, as the client documents it. */
  text: string;
  command?: string;
  next: string[];
  trace?: string;
  /** True if the client starts the program, so that nobody has to approve anything. */
  starts?: true;
}

test('if clients cannot register themselves, connect says how to set one up first', async (t) => {
  const { run } = desk(t, { MCP_OAUTH_DCR_ENABLED: 'false' });
  const closed = /lets no client register itself .* Set the client up with `relay( --home \S+)? clients add`/;
  const byKey = /connect it with a key: `relay( --home \S+)? connect cursor --key --write`/;
  const first = await run(['cursor']);
  assert.match(first.err, closed);
  assert.match(first.err, byKey);
  const { err } = await run(['cursor'], { env: { MCP_AUTH_MODE: 'oauth' } });
  assert.match(err, closed);
  assert.doesNotMatch(err, byKey);
  const other = await run(['something-else']);
  assert.match(other.err, closed);
  assert.doesNotMatch(other.out, /mcp-remote/, 'it would have to register');
  assert.doesNotMatch((await run(['claude-desktop'])).err, closed, 'it starts relay itself');
  const open = await run(['cursor'], { env: { MCP_OAUTH_DCR_ENABLED: 'true' } });
  assert.doesNotMatch(open.err, closed);
});

const CODE = '  The page that opens asks once for the owner code: see `relay status`.\n';

const DOCUMENTED: Record<string, Documented & { name: string }> = {
  'claude-code': {
    name: 'Claude Code',
    file: '.claude.json',
    trace: '.claude.json',
    text: fileWith('mcpServers', { type: 'http', url: URL }),
    command: 'claude mcp add --transport http --scope user relay http://127.0.0.1:4980/mcp',
    next: [
      'Run `claude mcp login relay`, or in a new session type /mcp, choose relay,',
      'then Authenticate.',
    ],
  },
  'claude-desktop': {
    name: 'Claude Desktop',
    file: '.config/Claude/claude_desktop_config.json',
    text: fileWith('mcpServers', {
      command: '/opt/relay/relay',
      args: ['--home', 'HOME/relay-home', 'stdio'],
    }),
    next: ['Quit Claude Desktop and start it again.'],
    starts: true,
  },
  cursor: {
    name: 'Cursor',
    file: '.cursor/mcp.json',
    text: fileWith('mcpServers', { url: URL }),
    next: ['Restart Cursor, then find relay in Customize under MCPs; Connect opens the', 'browser.'],
  },
  vscode: {
    name: 'VS Code',
    file: '.config/Code/User/mcp.json',
    text: fileWith('servers', { type: 'http', url: URL }),
    command: `code --add-mcp '{"name":"relay","type":"http","url":"http://127.0.0.1:4980/mcp"}'`,
    next: [
      'In the Command Palette, run MCP: List Servers, choose relay, then Start',
      'Server; it opens the browser.',
    ],
  },
  codex: {
    name: 'Codex CLI',
    file: '.codex/config.toml',
    text: '[mcp_servers.relay]\nurl = "http://127.0.0.1:4980/mcp"\n',
    command: 'codex mcp add relay --url http://127.0.0.1:4980/mcp',
    next: ['Run `codex mcp login relay`.'],
  },
  gemini: {
    name: 'Gemini CLI',
    file: '.gemini/settings.json',
    text: fileWith('mcpServers', { url: URL, type: 'http' }),
    command: 'gemini mcp add --scope user --transport http relay http://127.0.0.1:4980/mcp',
    next: [
      'In a new Gemini CLI session, type `/mcp auth relay`. In a directory that it',
      'does not trust it shows relay as disabled.',
    ],
  },
  windsurf: {
    name: 'Windsurf',
    file: '.codeium/windsurf/mcp_config.json',
    text: fileWith('mcpServers', { serverUrl: URL }),
    next: ['In Cascade, open MCPs, refresh the list, then find relay; it opens the', 'browser.'],
  },
};

for (const [id, client] of Object.entries(DOCUMENTED)) {
  const { name, file, text, command, next, trace = dirname(file), starts } = client;
  const after = `After that:\n${next.map((line) => `  ${line}\n`).join('')}${starts ? '' : CODE}`;
  const absent = (home: string) =>
    `${name} does not seem to have been used on this computer: ${home}/${trace} does not exist.\n`;

  test(`connect ${id} prints what the client documents, and changes no file`, async (context) => {
    const { home, run, list } = desk(context);
    const indented = text
      .replace('HOME', home)
      .trimEnd()
      .replace(/^(?=.)/gm, '  ');
    const own = command === undefined ? '' : `Or with the client's own command:\n  ${command}\n\n`;
    assert.deepEqual(await run([id]), {
      code: 0,
      out: `${name} needs this in
  ${home}/${file}

${indented}

To add it to the file, after a backup:
  relay connect ${id} --write

${own}${after}`,
      err: `${NO_SERVER}${absent(home)}`,
    });
    assert.deepEqual(list('.'), []);
  });

  test(`connect ${id} --write makes the file; a second --write changes nothing`, async (context) => {
    const { home, run, text: read, list } = desk(context);
    assert.deepEqual(await run([id, '--write']), {
      code: 0,
      out: `Added relay to\n  ${home}/${file}\n\n${after}`,
      err: `${NO_SERVER}${absent(home)}`,
    });
    const content = text.replace('HOME', home);
    assert.equal(read(file), content);
    const files = list(dirname(file));
    assert.deepEqual(await run([id, '--write']), {
      code: 0,
      out: `relay is already in\n  ${home}/${file}\n`,
      err: NO_SERVER,
    });
    assert.deepEqual(
      [read(file), list(dirname(file)), list('.').includes('relay-home')],
      [content, files, false],
    );
  });
}

const FURTHER: Array<[id: string, file: string]> = [
  ['copilot', '.copilot/mcp-config.json'],
  ['opencode', '.config/opencode/opencode.json'],
  ['cline', '.cline/data/settings/cline_mcp_settings.json'],
  ['qwen', '.qwen/settings.json'],
  ['zed', '.config/zed/settings.json'],
  ['antigravity', '.gemini/config/mcp_config.json'],
  ['kilo', '.config/kilo/kilo.jsonc'],
  ['qoder', '.qoder/settings.json'],
];

for (const [id, file] of FURTHER) {
  test(`connect ${id} --write and --remove leave the rest of the file as it was`, async (context) => {
    const { home, run, put, text } = desk(context);
    const before = '{\n  // mine\n  "theme": "dark",\n}\n';
    put(file, before);
    assert.equal((await run([id, '--write'])).code, 0);
    assert.match(text(file), /relay/);
    const { out } = await run([id, '--remove']);
    assert.match(out, new RegExp(`^Removed relay from\n  ${home}/${file}\nBackup of the previous file:\n`));
    assert.equal(text(file), before);
    assert.deepEqual(await run([id, '--remove']), {
      code: 0,
      out: `relay is not in\n  ${home}/${file}\n`,
      err: NO_SERVER,
    });
  });
}

test('--remove of an entry that --write added restores the file byte for byte', async (context) => {
  const { run, put, text } = desk(context);
  const files: Array<[id: string, file: string, content: string]> = [
    ['cursor', '.cursor/mcp.json', OTHER],
    ['cursor', '.cursor/mcp.json', '{"mcpServers":{}}'],
    ['cursor', '.cursor/mcp.json', '{\r\n\t"mcpServers": { "a": {"url": "x"} }, "b": [1]\r\n}'],
    ['codex', '.codex/config.toml', 'model = "o" # mine\n\n[mcp_servers.other]\nurl = "x"\n'],
    ['codex', '.codex/config.toml', '# only mine\n'],
  ];
  for (const [id, file, content] of files) {
    put(file, content);
    assert.equal((await run([id, '--write', '--read-only'])).code, 0);
    assert.notEqual(text(file), content);
    assert.equal((await run([id, '--remove'])).code, 0);
    assert.equal(text(file), content);
  }
});

test('the same server under another name is found, reported, and not added again', async (context) => {
  const { home, run, put, text } = desk(context);
  const mine = (name: string) => `"${name}": { "url": "http://localhost:4980/mcp/", "timeout": 5 }`;
  put('.cursor/mcp.json', `{ "mcpServers": { ${mine('music')} } }`);
  const file = `${home}/.cursor/mcp.json`;
  const twice = (name: string) =>
    `${file} has the same server as "${name}" too. Keep one: Cursor would have every tool twice.\n`;
  assert.equal((await run(['cursor'])).err, `${NO_SERVER}${file} has relay as "music" already.\n`);
  assert.match((await run([])).out, /cursor +Cursor +yes, as music$/m);
  const written = await run(['cursor', '--write']);
  assert.equal(written.err, NO_SERVER);
  assert.match(written.out, /^Changed music in\n/);
  assert.equal(
    text('.cursor/mcp.json'),
    '{ "mcpServers": { "music": { "url": "http://127.0.0.1:4980/mcp", "timeout": 5 } } }',
  );
  put('.cursor/mcp.json', `{ "mcpServers": { ${mine('music')}, ${mine('relay')} } }`);
  assert.equal((await run(['cursor'])).err, `${NO_SERVER}${file} has relay already.\n${twice('music')}`);
  assert.match((await run([])).out, /cursor +Cursor +yes, also as music$/m);
  assert.equal((await run(['cursor', '--write'])).err, `${NO_SERVER}${twice('music')}`);
  assert.match((await run(['cursor', '--remove'])).out, /^Removed relay, music from\n/);
  assert.equal(text('.cursor/mcp.json'), '{ "mcpServers": {} }');
});

test("a key that is no longer the server's is reported as old", async (context) => {
  const { env } = await withServer(context, reportFor('http://127.0.0.1:5555/mcp'));
  const { home, run, put } = desk(context, env);
  const entry = { url: 'http://127.0.0.1:5555/mcp', headers: { Authorization: 'Bearer relay_of_yesterday' } };
  put('.cursor/mcp.json', JSON.stringify({ mcpServers: { relay: entry } }));
  assert.equal(
    (await run(['cursor'])).err,
    `${home}/.cursor/mcp.json has relay with an old key; to renew it: relay connect cursor --key --write.\n`,
  );
  assert.match((await run([])).out, /cursor +Cursor +old key/);
  assert.equal((await run(['cursor', '--key', '--write'])).code, 0);
  assert.match((await run([])).out, /cursor +Cursor +yes$/m);
});

longTest('Goose keeps its servers in YAML, whose comments and quotes stay', async (context) => {
  const { run, put, text, list } = desk(context);
  const file = '.config/goose/config.yaml';
  const before = `# mine
GOOSE_MODEL: 'x'   # with its quotes
extensions:
    # the tools
    developer: {type: builtin, enabled: true}

last: "a very long line that no writer may fold, however wide it thinks that a page should be at most, ever"
`;
  put(file, before);
  assert.equal((await run(['goose', '--write'])).code, 0);
  assert.equal(
    text(file),
    before.replace(
      'extensions:\n',
      `extensions:
    relay:
      type: "streamable_http"
      name: "relay"
      enabled: true
      uri: "http://127.0.0.1:4980/mcp"
      headers: {}
      env_keys: []
      envs: {}
      timeout: 300
`,
    ),
  );
  assert.match((await run([])).out, /goose +Goose +yes/);
  put(file, text(file).replace('enabled: true\n      uri: ".*"', 'enabled: false # for now\n      uri: old'));
  assert.equal((await run(['goose', '--write', '--read-only'])).code, 0);
  assert.match(text(file), /\n {4}relay:\n {6}headers:\n {8}X-MCP-Readonly: "true"\n {6}type: /);
  assert.equal((await run(['goose', '--remove'])).code, 0);
  assert.equal(text(file), before);
  // If there was no file before, neither a file nor a directory stays.
  const { home, ...fresh } = desk(context);
  assert.equal((await fresh.run(['goose', '--write'])).code, 0);
  assert.match(fresh.text(file), /^extensions:\n {2}relay:\n {4}type: /);
  assert.match(
    (await fresh.run(['goose', '--remove'])).out,
    /\nThe file had nothing else in it, so it was deleted\.\n$/,
  );
  assert.deepEqual([list('.config/goose').length > 0, existsSync(join(home, '.config'))], [true, false]);
  for (const empty of ['extensions:\n# mine\nb: 1\n', 'b: 1\nextensions: ~ # mine\n']) {
    put(file, empty);
    assert.equal((await run(['goose', '--write'])).code, 0);
    assert.match(text(file), /^extensions:.*\n {2}relay:\n {4}type: /m);
    assert.equal((await run(['goose', '--remove'])).code, 0);
    assert.equal(text(file), empty);
  }
  put(file, 'a: [\n');
  assert.match(
    (await run(['goose', '--write'])).err,
    /config\.yaml is not valid YAML \(line 2, column 1\)\. Nothing was changed\.\n {2}Fix the file/,
  );
});

longTest('what a person changes in the file after --write is still there after --remove', async (context) => {
  const { run, put, text } = desk(context);
  const files = {
    cursor: '.cursor/mcp.json',
    codex: '.codex/config.toml',
    goose: '.config/goose/config.yaml',
  };
  const other = '"other": { "url": "https://x" }';
  const cases: Array<[keyof typeof files, before: string, from: string | RegExp, to: string, left: string]> =
    [
      ['cursor', '{\n  "a": 1\n}', '"a": 1', '"a": 2', '{\n  "a": 2\n}'],
      ['cursor', '{"mcpServers": {}, "a": 1}', '"a": 1', '"a": 2', '{"mcpServers": {}, "a": 2}'],
      [
        'cursor',
        '{}\n',
        '"relay":',
        `${other},\n    "relay":`,
        `{\n  "mcpServers": {\n    ${other}\n  }\n}\n`,
      ],
      ['cursor', '{}\n', '"relay":', '// mine\n    "relay":', '{\n  "mcpServers": {\n    // mine\n  }\n}\n'],
      ['codex', 'model = "o"', /$/, '\n[mcp_servers.other]\n', 'model = "o"\n\n[mcp_servers.other]\n'],
      ['goose', 'a: 1\n', 'a: 1', 'a: 2', 'a: 2\n'],
      ['goose', 'extensions: {}\na: 1\n', 'a: 1', 'a: 2', 'extensions: {}\na: 2\n'],
    ];
  for (const [id, before, from, to, left] of cases) {
    put(files[id], before);
    assert.equal((await run([id, '--write'])).code, 0);
    put(files[id], text(files[id]).replace(from, to));
    assert.equal((await run([id, '--remove'])).code, 0);
    assert.equal(text(files[id]), left, `${id}: ${before}`);
  }
});

test('--remove deletes the backups that hold the key, even if the file has no entry', async (context) => {
  const { env } = await withServer(context, reportFor('http://127.0.0.1:4980/mcp'));
  const { run, put, text, list } = desk(context, env);
  put('.cursor/mcp.json', OTHER);
  for (const flags of [['--key'], []]) await run(['cursor', '--write', ...flags]);
  const copies = list('.cursor').slice(1);
  assert.deepEqual(
    copies.map((name) => text(`.cursor/${name}`).includes(KEY)),
    [false, true],
  );
  const listed = JSON.parse((await run(['--json'])).out).clients.find(
    ({ id }: { id: string }) => id === 'cursor',
  );
  assert.equal(listed.keyBackups, 1);
  const { out } = await run(['cursor', '--remove']);
  assert.match(out, /\nDeleted, because the key was in it:\n {2}.*relay-backup-\S+-2\n$/);
  assert.deepEqual(
    [text('.cursor/mcp.json'), list('.cursor').filter((name) => text(`.cursor/${name}`).includes(KEY))],
    [OTHER, []],
  );
  put(
    '.cursor/mcp.json.relay-backup-20200101T000000Z',
    BOTH.replace('/mcp"', `/mcp", "headers": { "Authorization": "Bearer ${KEY}" }`),
  );
  const swept = JSON.parse((await run(['cursor', '--remove', '--json'])).out);
  assert.deepEqual([swept.removed, swept.deletedBackups.length], [[], 1]);
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
    const before = JSON.stringify({ [section]: { relay: entry } }, null, 2);
    put(file, before);
    assert.equal((await run([id, '--write'])).code, 0);
    assert.equal(text(file), before.replace(OLD, URL), id);
  }
  const file = '.config/goose/config.yaml';
  const mine = `extensions:
  relay:
    type: streamable_http
    name: relay
    enabled: false # for now
    uri: ${JSON.stringify(OLD)}
    headers:
      X-Mine: "1"
    env_keys: [A]
    envs: {}
    timeout: 5 # seconds
`;
  put(file, mine);
  assert.equal((await run(['goose', '--write'])).code, 0);
  assert.equal(text(file), mine.replace(OLD, URL));
});

test('an entry that names its home in the environment is that of this home only if the home is the same', async (context) => {
  const own = desk(context, { RELAY_HOME: '' });
  const file = '.config/Claude/claude_desktop_config.json';
  const entry = (home: string) =>
    JSON.stringify({
      mcpServers: { music: { command: '/opt/relay/relay', args: ['stdio'], env: { RELAY_HOME: home } } },
    });
  own.put(file, entry('/elsewhere'));
  const stays = await own.run(['claude-desktop', '--remove']);
  assert.match(stays.out, /^relay is not in\n/);
  assert.equal(own.text(file), entry('/elsewhere'));
  own.put(file, entry(''));
  assert.match((await own.run(['claude-desktop', '--remove'])).out, /^Removed music from\n/);
});

test('a client whose directory cannot be listed does not keep the others from being listed', async (context) => {
  const own = desk(context);
  own.put('.cursor', 'not a directory');
  const { code, out } = await own.run([]);
  assert.equal(code, 0);
  assert.match(out, /^claude-code /m);
});

test('an entry that starts relay for another home is told as such, and stays', async (context) => {
  const own = desk(context);
  const file = '.config/Claude/claude_desktop_config.json';
  await own.run(['claude-desktop', '--write']);
  const text = own.text(file);
  const env = { RELAY_HOME: join(own.home, 'other') };
  const { out } = await own.run(['--json'], { env });
  const row = JSON.parse(out).clients.find(({ id }: { id: string }) => id === 'claude-desktop');
  assert.deepEqual([row.state, row.otherNames], ['other_home', []]);
  const stays = await own.run(['claude-desktop', '--remove'], { env });
  assert.match(stays.out, /The entry relay in that file is for another server, so it stays\./);
  assert.equal(own.text(file), text);
  await own.run(['claude-desktop', '--remove']);
  assert.equal(existsSync(join(own.home, file)), false);
});

test('another server that is named relay stays, and so do its key and the backups that hold its key', async (context) => {
  const others = [
    '{ "url": "https://mcp.relay.example/mcp", "headers": { "Authorization": "Bearer theirs" } }',
    '{ "command": "npx", "args": ["-y", "some-relay"], "env": { "TOKEN": "theirs" } }',
    '{ "url": "http://localhost:3000/sse" }',
  ];
  for (const other of others) {
    const { home, run, put, text, list } = desk(context);
    const file = `${home}/.cursor/mcp.json`;
    const before = `{ "mcpServers": { "relay": ${other} } }`;
    put('.cursor/mcp.json', before);
    put('.cursor/mcp.json.relay-backup-20200101T000000Z', before);
    assert.deepEqual(await run(['cursor', '--remove']), {
      code: 0,
      out: `relay is not in\n  ${file}\nThe entry relay in that file is for another server, so it stays.\n`,
      err: NO_SERVER,
    });
    assert.deepEqual(await run(['cursor', '--write']), {
      code: 1,
      out: '',
      err: `${NO_SERVER}relay: ${file} has another server named relay. Nothing was changed.
  Give that server another name, or remove it if it is an old entry of relay. Then try again.
`,
    });
    assert.equal(text('.cursor/mcp.json'), before);
    assert.deepEqual(list('.cursor'), ['mcp.json', 'mcp.json.relay-backup-20200101T000000Z']);
    const ours = `"music": { "url": "http://localhost:4980/mcp" }`;
    put('.cursor/mcp.json', `{ "mcpServers": { "relay": ${other}, ${ours} } }`);
    assert.match((await run(['cursor', '--write'])).out, /^Changed music in\n/);
    assert.match((await run(['cursor', '--remove'])).out, /^Removed music from\n/);
    assert.equal(text('.cursor/mcp.json'), before);
  }
});

test('a client that starts relay without XDG_CONFIG_HOME is told the home that this variable gives', async (context) => {
  const HOME = temporaryHome(context);
  const XDG_CONFIG_HOME = join(HOME, 'config');
  const of = async (platform: NodeJS.Platform) => {
    const env = { HOME, XDG_CONFIG_HOME };
    const { out } = await relay(['connect', 'claude-desktop', '--json'], { env, platform });
    return JSON.parse(out).entry.args;
  };
  const { home } = loadSettings({ env: {} });
  assert.deepEqual([await of('linux'), await of('darwin')], [['--home', home, 'stdio'], ['stdio']]);
});

test('settings from the environment, which a client that starts relay does not get, are listed without values', async (context) => {
  const HOME = temporaryHome(context);
  mkdirSync(join(HOME, '.config', 'Claude'), { recursive: true });
  const env = {
    HOME,
    RELAY_HOME: join(HOME, 'relay'),
    RELAY_PORT: '5123',
    PROVIDER_CLIENT_ID: '0123456789abcdef0123456789abcdef',
    RELAY_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
  };
  const notes = `${NO_SERVER}Claude Desktop starts relay without your environment. Unless you keep these settings, it does not get them:
  RELAY_PORT            relay config set port VALUE
  PROVIDER_CLIENT_ID    relay config set providerClientId VALUE
  RELAY_ENCRYPTION_KEY  set it in "env" of the entry
`;
  for (const more of [[], ['--write']]) {
    const { code, err } = await relay(['connect', 'claude-desktop', ...more], { env });
    assert.deepEqual([code, err], [0, notes], more.join(' '));
  }
  const stored = { port: 5123, providerClientId: env.PROVIDER_CLIENT_ID, toolsets: ['standard', 'extras'] };
  mkdirSync(env.RELAY_HOME);
  writeFileSync(join(env.RELAY_HOME, 'config.json'), JSON.stringify(stored));
  const { RELAY_ENCRYPTION_KEY: _, ...others } = env;
  const kept = { ...others, RELAY_TOOLSETS: 'standard,extras' };
  for (const [client, given] of [
    ['claude-desktop', kept],
    ['cursor', env],
  ] as const) {
    const { err } = await relay(['connect', client], { env: given });
    assert.doesNotMatch(err, /environment/, client);
  }
});

test('a program that npx fetched for one run is reported, and never written into a file', async (context) => {
  const { home, run, list } = desk(context);
  const path = '/home/me/.npm/_npx/1a2b3c/node_modules/relay/bin/relay.mjs';
  const machine = {
    program: ['/usr/bin/node', path],
    homeDir: home,
    uid: 1,
    run: async () => ({ ok: false, out: '', err: '' }),
  };
  for (const id of ['claude-desktop', 'antigravity']) {
    const { code, err } = await run([id, '--write'], { machine });
    assert.equal(code, 1);
    assert.match(
      err,
      new RegExp(
        `relay: ${path} is a temporary copy, and .* could not start it later\\. Nothing was changed\\.\n  Install relay in a permanent place`,
      ),
    );
  }
  assert.deepEqual(list('.'), []);
  assert.match(
    (await run(['claude-desktop'], { machine })).err,
    new RegExp(`${path} is a temporary copy\\. Install relay`),
  );
  assert.equal((await run(['cursor', '--write'], { machine })).code, 0);
});

test('for a client that relay does not know, connect prints the address, the header and the program', async (context) => {
  const { home, run } = desk(context);
  assert.deepEqual(await run(['Zedd']), {
    code: 0,
    out: `If the client connects to a URL (Streamable HTTP), enter:

  Name    relay
  URL     http://127.0.0.1:4980/mcp

The client then asks for approval in the browser. If it cannot, also enter the
header Authorization with "Bearer" and the key that \`relay key\` prints. The
bridge mcp-remote asks for approval as "MCP CLI Proxy".

If the client starts a program instead, give it this command:

  /opt/relay/relay --home ${home}/relay-home stdio
`,
    err: `${NO_SERVER}relay does not know the client "Zedd". Did you mean "zed"?\n`,
  });
  const { out } = await run(['Zedd', '--key']);
  assert.doesNotMatch(out, /\n\n\n/);
  const { code, err } = await run(['Zedd', '--write']);
  assert.deepEqual([code, /Unknown client "Zedd"/.test(err)], [2, true]);
});

test('a server that accepts no key does not send an unknown client to the key', async (context) => {
  const { run } = desk(context, { MCP_AUTH_MODE: 'oauth' });
  const { code, out } = await run(['Zedd']);
  assert.equal(code, 0);
  assert.equal(
    out.split('\n\n')[2],
    'The client then asks for approval in the browser. The bridge mcp-remote asks for\napproval as "MCP CLI Proxy".',
  );
});

const CODEX = DOCUMENTED.codex?.text ?? '';
const OTHER = '{\n  // mine\n  "mcpServers": {\n    "other": { "url": "https://x" }\n  }\n}\n';
const BOTH =
  '{\n  // mine\n  "mcpServers": {\n    "other": { "url": "https://x" },\n    "relay": {\n      "url": "http://127.0.0.1:4980/mcp"\n    }\n  }\n}\n';

test('a backup of the file is kept beside it, under an unused name', async (context) => {
  const { home, run, put, text, list, mode } = desk(context);
  const backup = '.cursor/mcp.json.relay-backup-20261120T123005Z';
  put('.cursor/mcp.json', OTHER, 0o660);
  put(backup, 'an older one');
  const { code, out } = await run(['cursor', '--write']);
  assert.equal(code, 0);
  assert.match(
    out,
    new RegExp(
      `^Added relay to\n  ${home}/.cursor/mcp.json\nBackup of the previous file:\n  ${home}/${backup}-2\n\n`,
    ),
  );
  assert.deepEqual(list('.cursor'), [
    'mcp.json',
    'mcp.json.relay-backup-20261120T123005Z',
    'mcp.json.relay-backup-20261120T123005Z-2',
  ]);
  assert.deepEqual(
    [text('.cursor/mcp.json'), text(backup), text(`${backup}-2`)],
    [BOTH, 'an older one', OTHER],
  );
  assert.deepEqual([mode('.cursor/mcp.json'), mode(`${backup}-2`)], [0o660, 0o600]);
});

test('if the file is a link, it stays a link, and the file that it leads to is changed', async (context) => {
  const { home, run, put, text, list } = desk(context);
  put('dotfiles/cursor.json', OTHER);
  mkdirSync(join(home, '.cursor'));
  symlinkSync('../dotfiles/cursor.json', join(home, '.cursor/mcp.json'));
  assert.equal((await run(['cursor', '--write'])).code, 0);
  assert.equal(lstatSync(join(home, '.cursor/mcp.json')).isSymbolicLink(), true);
  assert.equal(readlinkSync(join(home, '.cursor/mcp.json')), '../dotfiles/cursor.json');
  assert.deepEqual(
    [text('dotfiles/cursor.json'), list('dotfiles'), list('.cursor')],
    [BOTH, ['cursor.json'], ['mcp.json', 'mcp.json.relay-backup-20261120T123005Z']],
  );
});

const BROKEN: Array<[what: string, content: string | Buffer, problem: string]> = [
  ['malformed', '{\n  "mcpServers": {\n    oops\n  }\n}\n', 'is not valid JSON (line 3, column 5)'],
  ['of another shape', '{"mcpServers": []}', 'has a value for mcpServers that is not a group of servers'],
  ['not UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), 'is not UTF-8 text'],
];

for (const [what, content, problem] of BROKEN) {
  test(`a file that is ${what} stays as it is, and the error says what to put in by hand`, async (context) => {
    const { home, run, put, list } = desk(context);
    put('.cursor/mcp.json', '');
    writeFileSync(join(home, '.cursor/mcp.json'), content);
    assert.deepEqual(await run(['cursor', '--write']), {
      code: 1,
      out: '',
      err: `${NO_SERVER}relay: ${home}/.cursor/mcp.json ${problem}. Nothing was changed.
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
    const json = await run(['cursor', '--write', '--json']);
    assert.deepEqual([json.code, json.out, JSON.parse(json.err).error.code], [1, '', 'HOME_UNUSABLE']);
    assert.deepEqual(readFileSync(join(home, '.cursor/mcp.json')), Buffer.from(content));
    assert.deepEqual(list('.cursor'), ['mcp.json']);
  });
}

test('a malformed TOML file is reported with line and column', async (context) => {
  const { home, run, put, text } = desk(context);
  put('.codex/config.toml', 'model = "o"\n[tui\n');
  const { code, err } = await run(['codex', '--write']);
  assert.equal(code, 1);
  assert.match(
    err,
    new RegExp(`relay: ${home}/.codex/config.toml is not valid TOML \\(line 2, column \\d+\\)\\.`),
  );
  assert.equal(text('.codex/config.toml'), 'model = "o"\n[tui\n');
});

test('to a TOML file whose servers are one inline table, nothing is to be added by hand that breaks it', async (context) => {
  const { home, run, put, text } = desk(context);
  const before = 'mcp_servers = { other = { url = "https://x" } }\n';
  put('.codex/config.toml', before);
  assert.deepEqual(await run(['codex', '--write']), {
    code: 1,
    out: '',
    err: `${NO_SERVER}relay: ${home}/.codex/config.toml has mcp_servers as an inline table, which cannot be extended. Nothing was changed.
  Write each server as a table of its own, [mcp_servers.NAME], and try again.
`,
  });
  assert.equal(text('.codex/config.toml'), before);
});

test('a directory, or a link to nothing, where the file should be is refused', async (context) => {
  const { home, run } = desk(context);
  mkdirSync(join(home, '.cursor/mcp.json'), { recursive: true });
  mkdirSync(join(home, '.gemini'));
  symlinkSync('gone.json', join(home, '.gemini/settings.json'));
  const cursor = await run(['cursor', '--write']);
  assert.equal(cursor.code, 1);
  assert.match(cursor.err, /\.cursor\/mcp\.json is not a regular file\. Nothing was changed\./);
  const gemini = await run(['gemini', '--write']);
  assert.equal(gemini.code, 1);
  assert.match(
    gemini.err,
    /settings\.json is a symbolic link to a file that does not exist\. Nothing was changed\./,
  );
});

test('a missing home directory is reported, and not created', async (context) => {
  const { home, run } = desk(context);
  assert.deepEqual(await run(['cursor', '--write'], { env: { HOME: `${home}/none` } }), {
    code: 1,
    out: '',
    err: `${NO_SERVER}relay: ${home}/none/.cursor/mcp.json cannot be written: there is no directory ${home}/none.
  Create it, or fix the environment variable that names it.
`,
  });
  assert.equal(existsSync(`${home}/none`), false);
});

for (const HOME of ['.', 'me/here']) {
  test(`a relative home directory, ${HOME}, is reported, and nothing is written into the working directory`, async (context) => {
    assert.deepEqual(await desk(context).run(['codex', '--write'], { env: { HOME } }), {
      code: 1,
      out: '',
      err: `${NO_SERVER}relay: Your home directory is unknown: HOME is "${HOME}", which is not an absolute path.
  Set it in the environment to your home directory, then run this again.
`,
    });
  });
}

test('connect without --write says what is in the file already', async (context) => {
  const { home, run, put } = desk(context);
  put('.cursor/mcp.json', BOTH);
  put('.gemini/settings.json', '{"mcpServers": {"relay": {"httpUrl": "http://localhost:1/mcp"}}}');
  put('.qwen/settings.json', '{"mcpServers": {"relay": {"httpUrl": "http://elsewhere/mcp"}}}');
  put('.codex/config.toml', '[');
  assert.equal((await run(['cursor'])).err, `${NO_SERVER}${home}/.cursor/mcp.json has relay already.\n`);
  assert.equal(
    (await run(['gemini'])).err,
    `${NO_SERVER}${home}/.gemini/settings.json has relay with another address.\n`,
  );
  assert.equal(
    (await run(['qwen'])).err,
    `${NO_SERVER}${home}/.qwen/settings.json has another server named relay.\n`,
  );
  assert.match((await run([])).out, /^qwen +Qwen Code +name taken$/m);
  assert.equal(
    (await run(['codex'])).err,
    `${NO_SERVER}${home}/.codex/config.toml cannot be read; --write says why.\n`,
  );
});

/** Root ignores permissions, so if the tests run as root, `work` runs as another user. */
async function asSomebody<T>(
  paths: string[],
  rehearse: () => Promise<unknown>,
  work: () => Promise<T>,
): Promise<T> {
  const { geteuid, seteuid } = process;
  if (geteuid?.() !== 0 || !seteuid) return work();
  // Modules are loaded on first use. Perhaps only root may read their files, so root loads them first.
  await rehearse();
  for (const path of paths) chownSync(path, 65_534, 65_534);
  seteuid(65_534);
  try {
    return await work();
  } finally {
    seteuid(0);
  }
}

test('a read-only directory or file is reported, and nothing is left behind', async (context) => {
  const files = { '.cursor/mcp.json': OTHER, '.gemini/settings.json': BOTH, '.codex/config.toml': CODEX };
  const { home, run, put, text, list } = desk(context);
  for (const [file, content] of Object.entries(files)) put(file, content);
  chmodSync(join(home, '.cursor'), 0o500);
  chmodSync(join(home, '.gemini/settings.json'), 0o400);
  chmodSync(join(home, '.codex'), 0o500);
  const below = Object.keys(files).flatMap((file) => [dirname(file), file]);
  const paths = ['', ...below].map((path) => join(home, path));
  const commands = async (env: NodeJS.ProcessEnv = {}) => [
    await run(['cursor', '--write'], { env }),
    await run(['gemini', '--write', '--toolsets', 'standard'], { env }),
    await run(['gemini', '--remove'], { env }),
    await run(['codex', '--remove'], { env }),
  ];
  const rehearse = async () => {
    const other = desk(context);
    for (const [file, content] of Object.entries(files)) other.put(file, content);
    await commands({ HOME: other.home });
    await commands({ HOME: join(other.home, 'missing') });
  };
  const results = await asSomebody(paths, rehearse, () => commands());
  for (const folder of ['.cursor', '.codex']) chmodSync(join(home, folder), 0o700);
  const failed = (what: string, byHand: string) => ({
    code: 1,
    out: '',
    err: `${NO_SERVER}relay: ${home}/${what} (EACCES).\n  Check the permissions of the file and its directory, or ${byHand} by hand.\n`,
  });
  const add = 'run this without --write and add the printed entry';
  assert.deepEqual(results, [
    failed('.cursor/mcp.json cannot be written', add),
    failed('.gemini/settings.json cannot be written', add),
    failed('.gemini/settings.json cannot be written', 'remove relay from mcpServers'),
    failed('.codex/config.toml cannot be deleted', 'remove relay from mcp_servers'),
  ]);
  for (const [file, content] of Object.entries(files)) {
    assert.deepEqual(list(dirname(file)), [basename(file)]);
    assert.equal(text(file), content);
  }
});

test('the path of the file may have spaces, quotes and letters of any script', async (context) => {
  const { home, run } = desk(context);
  const odd = join(home, `Ann's "Büro" 音楽`);
  mkdirSync(odd);
  assert.equal((await run(['codex', '--write'], { env: { HOME: odd } })).code, 0);
  assert.equal(readFileSync(join(odd, '.codex/config.toml'), 'utf8'), DOCUMENTED.codex?.text);
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

test('the free port that relay stdio has taken for now goes into no file', async (context) => {
  const { env, home } = await withServer(context, reportFor('http://127.0.0.1:41453/mcp'));
  const holder = { pid: process.pid, start: await ownStart(), nonce: 'y', purpose: 'relay stdio' };
  writeFileSync(join(home, 'relay.lock'), JSON.stringify(holder));
  const { run, text } = desk(context, env);
  const { code, err } = await run(['cursor', '--write']);
  assert.equal(code, 0);
  assert.match(err, /A client has started relay on a free port for now\./);
  assert.match(text('.cursor/mcp.json'), /"url": "http:\/\/127\.0\.0\.1:4980\/mcp"/);
});

test('the address is that of the running server', async (context) => {
  const { env, calls } = await withServer(context, reportFor('https://relay.example.org/mcp'));
  const { run, text } = desk(context, env);
  assert.equal((await run(['cursor', '--write'])).code, 0);
  assert.match(text('.cursor/mcp.json'), /"url": "https:\/\/relay\.example\.org\/mcp"/);
  assert.deepEqual(pluck(calls, 'route'), ['status']);
});

test('the demo gets a name of its own beside the real server', async (context) => {
  const { env } = await withServer(context, reportFor('http://127.0.0.1:5555/mcp'), { demo: true });
  const { home, run, put, text } = desk(context, env);
  put('.cursor/mcp.json', BOTH);
  const { code, out, err } = await run(['cursor', '--write']);
  assert.deepEqual([code, err], [0, 'Using the running demo.\n']);
  assert.match(out, new RegExp(`^Added relay-demo to\n  ${home}/.cursor/mcp.json\n`));
  assert.equal(
    text('.cursor/mcp.json'),
    BOTH.replace(
      '\n    }\n  }\n',
      '\n    },\n    "relay-demo": {\n      "url": "http://127.0.0.1:5555/mcp"\n    }\n  }\n',
    ),
  );
});

test('the demo neither changes nor removes the entry of a real server with the same address', async (context) => {
  const { env } = await withServer(context, reportFor(URL), { demo: true });
  const { run, put, text, list } = desk(context, env);
  const real = fileWith('mcpServers', {
    url: URL,
    headers: { Authorization: 'Bearer relay_of-the-real-one' },
  });
  put('.cursor/mcp.json', real);
  assert.match((await run(['cursor', '--write'])).out, /^Added relay-demo to\n/);
  const servers = JSON.parse(text('.cursor/mcp.json')).mcpServers;
  assert.deepEqual(servers, { ...JSON.parse(real).mcpServers, 'relay-demo': { url: URL } });
  for (const done of [/^Removed relay-demo from\n/, /^relay-demo is not in\n/]) {
    assert.match((await run(['cursor', '--remove'])).out, done);
    assert.equal(text('.cursor/mcp.json'), real);
  }
  assert.equal(list('.cursor').length, 3, 'the file and both backups');
});

test('--write replaces another address of relay in the file', async (context) => {
  const { home, run, put, text } = desk(context, { RELAY_PORT: '5001' });
  put('.cursor/mcp.json', BOTH);
  const { code, out } = await run(['cursor', '--write']);
  assert.equal(code, 0);
  assert.match(out, new RegExp(`^Changed relay in\n  ${home}/.cursor/mcp.json\n`));
  assert.equal(text('.cursor/mcp.json'), BOTH.replace('4980', '5001'));
});

test('without a running server, connect takes the address from the settings', async (context) => {
  const { run } = desk(context);
  const urlWith = async (env: NodeJS.ProcessEnv) =>
    JSON.parse((await run(['cursor', '--json'], { env })).out).url;
  assert.equal(
    await urlWith({ PUBLIC_BASE_URL: 'https://relay.example.org/' }),
    'https://relay.example.org/mcp',
  );
  assert.equal(await urlWith({ RELAY_HOST: '::1', RELAY_PORT: '5000' }), 'http://[::1]:5000/mcp');
  assert.deepEqual(await run(['cursor'], { env: { RELAY_PORT: '0' } }), {
    code: 4,
    out: '',
    err: 'relay: With port 0, the address is known only while the server runs.\n  Start it with `relay serve`, or set a port.\n',
  });
});

test('with port 0 and no server, connect does all that needs no address', async (context) => {
  const { home, run, put, text } = desk(context, { RELAY_PORT: '0' });
  const unknown =
    'No server is running. With port 0 its address changes, so its entries are found by their name.\n';
  mkdirSync(join(home, '.config/Claude'), { recursive: true });
  const written = await run(['claude-desktop', '--write', '--json']);
  assert.deepEqual([written.code, written.err, JSON.parse(written.out).url], [0, '', null]);
  put('.cursor/mcp.json', BOTH);
  const listed = await run(['--json']);
  const { url, clients } = JSON.parse(listed.out);
  assert.deepEqual([listed.code, listed.err, url], [0, unknown, null]);
  const states = clients.map(({ id, state }: { id: string; state: string }) => [id, state]);
  assert.deepEqual(
    states.filter(([, state]: string[]) => state !== 'no'),
    [
      ['claude-desktop', 'yes'],
      ['cursor', 'other'],
    ],
  );
  const removed = await run(['cursor', '--remove']);
  assert.deepEqual([removed.code, removed.err, text('.cursor/mcp.json')], [0, unknown, OTHER]);
  const desktop = await run(['claude-desktop', '--remove']);
  assert.equal(desktop.code, 0);
  assert.equal(existsSync(join(home, '.config/Claude/claude_desktop_config.json')), false);
});

test('--key prints the key; with --write only the file has the key, and only its owner can read the file', async (context) => {
  const { env } = await withServer(context, reportFor('http://127.0.0.1:4980/mcp'));
  const { home, run, put, text, mode } = desk(context, env);
  put('.codex/config.toml', 'model = "o"\n', 0o644);
  const printed = await run(['codex', '--key']);
  assert.equal(printed.err, '');
  assert.equal(
    printed.out,
    `Codex CLI needs this in
  ${home}/.codex/config.toml

  [mcp_servers.relay]
  url = "http://127.0.0.1:4980/mcp"
  http_headers = { Authorization = "Bearer ${KEY}" }

To add it to the file, after a backup:
  relay connect codex --key --write

After that:
  In a new Codex session, /mcp lists relay.
`,
  );
  const written = await run(['codex', '--key', '--write', '--json']);
  assert.equal(
    written.err,
    `Other users could read ${home}/.codex/config.toml. It now holds the key, so only you can.\n`,
  );
  assert.equal(
    text('.codex/config.toml'),
    `model = "o"

[mcp_servers.relay]
url = "http://127.0.0.1:4980/mcp"
http_headers = { Authorization = "Bearer ${KEY}" }
`,
  );
  assert.equal(mode('.codex/config.toml'), 0o600);
  assert.deepEqual(JSON.parse(written.out), {
    client: 'codex',
    name: 'Codex CLI',
    server: 'relay',
    url: URL,
    file: `${home}/.codex/config.toml`,
    format: 'toml',
    installed: true,
    entry: { url: URL, http_headers: { Authorization: 'Bearer <key>' } },
    snippet:
      '[mcp_servers.relay]\nurl = "http://127.0.0.1:4980/mcp"\nhttp_headers = { Authorization = "Bearer <key>" }\n',
    command: null,
    next: 'In a new Codex session, /mcp lists relay.',
    written: true,
    backup: `${home}/.codex/config.toml.relay-backup-20261120T123005Z`,
    changed: true,
  });
  chmodSync(join(home, '.codex/config.toml'), 0o644);
  const again = await run(['codex', '--key', '--write']);
  assert.deepEqual(
    [again.out, mode('.codex/config.toml')],
    [`relay is already in\n  ${home}/.codex/config.toml\n`, 0o600],
  );
});

test('a new file with the key is readable by its owner alone; the error for a broken file does not contain the key', async (context) => {
  const { env } = await withServer(context, reportFor('http://127.0.0.1:4980/mcp'));
  const { run, put, text, mode } = desk(context, env);
  assert.equal((await run(['claude-code', '--key', '--write'])).code, 0);
  assert.equal(mode('.claude.json'), 0o600);
  assert.match(text('.claude.json'), new RegExp(`"Authorization": "Bearer ${KEY}"`));
  put('.cursor/mcp.json', '{');
  const { code, out, err } = await run(['cursor', '--key', '--write']);
  assert.deepEqual([code, out], [1, '']);
  assert.match(err, /"Authorization": "Bearer <key>"/);
  assert.doesNotMatch(err, new RegExp(KEY));
});

test('--write without --key removes the key from the file, and does not ask the server for it', async (context) => {
  const { env, calls } = await withServer(context, reportFor('http://127.0.0.1:4980/mcp'));
  const { run, text } = desk(context, env);
  await run(['cursor', '--key', '--write']);
  calls.length = 0;
  assert.equal((await run(['cursor', '--write'])).code, 0);
  assert.equal(text('.cursor/mcp.json'), DOCUMENTED.cursor?.text);
  assert.deepEqual(pluck(calls, 'route'), ['status']);
});

test('--key without a server opens the state and closes it again', async (context) => {
  const ends: string[] = [];
  const openOffline: Parts['openOffline'] = async () => ({
    local: { showKey: async () => ({ key: KEY, fromEnvironment: false, accepted: true }) } as LocalApi,
    close: async () => {
      ends.push('closed');
    },
  });
  const { code, out } = await desk(context).run(['cursor', '--key', '--json'], { parts: { openOffline } });
  assert.deepEqual([code, ends], [0, ['closed']]);
  assert.equal(JSON.parse(out).entry.headers.Authorization, `Bearer ${KEY}`);
});

test('a server that accepts no key makes --key an error', async (context) => {
  const { env, calls } = await withServer(context, reportFor('http://127.0.0.1:4980/mcp', 'oauth'));
  const expected = {
    code: 2,
    out: '',
    err: 'relay: The server does not accept API keys: mcpAuthMode (MCP_AUTH_MODE) is oauth.\n  Leave out --key: Cursor asks for your approval in the browser.\n',
  };
  assert.deepEqual(await desk(context, env).run(['cursor', '--key', '--write']), expected);
  assert.deepEqual(pluck(calls, 'route'), ['status']);
  const settings = await desk(context).run(['cursor', '--key'], { env: { MCP_AUTH_MODE: 'oauth' } });
  assert.deepEqual(settings, { ...expected, err: NO_SERVER + expected.err });
});

test('after key rotate, key and connect name the files that still have the old key', async (context) => {
  const { run, home, put } = desk(context);
  const NEW = KEY.replaceAll('a', 'b');
  let key = KEY;
  const { env } = await startFakeLocal(context, {
    answers: {
      status: async () => reportFor('http://127.0.0.1:4980/mcp'),
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
  const states = async () => {
    const { clients } = JSON.parse((await run(['--json'], { env })).out);
    return Object.fromEntries(
      clients
        .map(({ id, state }: Record<string, unknown>) => [id, state])
        .filter(([, state]: string[]) => state !== 'no'),
    );
  };
  const before = await states();
  assert.deepEqual([before.gemini, before.cursor], ['yes', 'yes']);
  const rotated = await relay(['key', 'rotate', '--yes'], { env: { HOME: home, ...env } });
  assert.deepEqual(rotated, {
    code: 0,
    out: `${NEW}\n`,
    err: `The line above is the new key. The old one no longer works, and browsers need the owner code again.
These files still have the old key. To put the new one in:
  relay connect cursor --key --write  ${home}/.cursor/mcp.json
  relay connect gemini --key --write  ${home}/.gemini/settings.json
Give the new key to every other client that sent the old one.
`,
  });
  const after = await states();
  assert.deepEqual([after.gemini, after.cursor], ['old_key', 'old_key']);
  assert.match((await run([], { env })).out, /^cursor +Cursor +old key$/m);
  await run(['cursor', '--key', '--write'], { env });
  assert.equal((await states()).cursor, 'yes');
});

test('connect without a client lists the clients and their files, and says which files have relay', async (context) => {
  const { run, put } = desk(context);
  put('.cursor/mcp.json', BOTH);
  put('.gemini/settings.json', '{"mcpServers": {"relay": {"httpUrl": "http://localhost:1/mcp"}}}');
  put('.codex/config.toml', '[');
  const { code, out } = await run([], { columns: 100 });
  assert.equal(code, 0);
  const [table = '', advice] = out.split('\n\n');
  const [head, ...rows] = table.split('\n');
  assert.equal(head, 'CLIENT          NAME            HAS relay   FILE');
  assert.deepEqual(
    rows.map((row) => row.split(' ')[0]),
    CLIENTS.map(({ id }) => id),
  );
  assert.deepEqual(
    rows.filter((row) => /^(?:claude|cursor|codex|gemini)/.test(row)),
    [
      'claude-code     Claude Code     no          ~/.claude.json',
      'claude-desktop  Claude Desktop  no          ~/.config/Claude/claude_desktop_config.json',
      'cursor          Cursor          yes         ~/.cursor/mcp.json',
      'codex           Codex CLI       unreadable  ~/.codex/config.toml',
      'gemini          Gemini CLI      outdated    ~/.gemini/settings.json',
    ],
  );
  assert.equal(
    advice,
    `To see what a client needs, or to write it into its file:
  relay connect claude-code
  relay connect claude-code --write
`,
  );
  const narrow = await run([], { columns: 60 });
  assertNone(narrow.out.split('\n'), (line) => line.length > 60);
  const json = JSON.parse((await run(['--json'])).out);
  const known = json.clients.map(({ id, state, installed }: Record<string, unknown>) => [
    id,
    state,
    installed,
  ]);
  const found = new Map([
    ['cursor', 'yes'],
    ['codex', 'unreadable'],
    ['gemini', 'other'],
  ]);
  assert.deepEqual(
    { ...json, clients: known },
    {
      name: 'relay',
      url: URL,
      clients: CLIENTS.map(({ id }) => [id, found.get(id) ?? 'no', found.has(id)]),
    },
  );
});

const IDS = CLIENTS.map(({ id }) => id).join(', ');

const MISUSES: Array<[args: string[], err: string]> = [
  [
    ['windsrf', '--write'],
    `relay: Unknown client "windsrf".\n  Did you mean "windsurf"? It is one of ${IDS}.\n`,
  ],
  [['jetbrains', '--remove'], `relay: Unknown client "jetbrains".\n  It is one of ${IDS}.\n`],
  [['cursor', '--write', '--remove'], 'relay: --write and --remove cannot be combined.\n'],
  [
    ['claude-desktop', '--key'],
    `${NO_SERVER}relay: Claude Desktop starts relay itself and needs no key.\n  Leave out --key.\n`,
  ],
  [['--remove'], `relay: --remove needs the name of a client.\n  It is one of ${IDS}.\n`],
  [['--write'], `relay: --write needs the name of a client.\n  It is one of ${IDS}.\n`],
  [['--key'], `relay: --key needs the name of a client.\n  It is one of ${IDS}.\n`],
];

for (const [args, err] of MISUSES) {
  test(`connect ${args.join(' ')} is exit 2`, async (context) => {
    assert.deepEqual(await desk(context).run(args), { code: 2, out: '', err });
  });
}

test('the commands shown to a person contain --home', async (context) => {
  const { home, run } = desk(context);
  const { out } = await run(['cursor', '--home', join(home, 'my relay')]);
  assert.match(out, new RegExp(`  relay --home '${home}/my relay' connect cursor --write\n`));
});
