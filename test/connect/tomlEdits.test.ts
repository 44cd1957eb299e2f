import assert from 'node:assert/strict';
import test from 'node:test';
import { FileProblem } from '../../src/connect/fileText.ts';
import { merge } from '../../src/connect/merge.ts';
import { TOML_ADDITION, TOML_KEY_ADDITION } from './additions.ts';

const ALONE = '[mcp_servers.relay]\nurl = "http://127.0.0.1:4980/mcp"\n';

const MERGES: Array<[what: string, before: string, after: string]> = [
  ['fills an empty file', '', ALONE],
  [
    'keeps other tables and comments',
    'model = "o" # mine\n\n[mcp_servers.other]\ncommand = "x"\n# the end\n',
    `model = "o" # mine\n\n[mcp_servers.other]\ncommand = "x"\n# the end\n\n${ALONE}`,
  ],
  ['completes a last line without a line break', '[tui]\na = 1', `[tui]\na = 1\n\n${ALONE}`],
  [
    'keeps Windows line endings and a byte order mark',
    '\uFEFF[tui]\r\na = 1\r\n',
    '\uFEFF[tui]\r\na = 1\r\n\r\n[mcp_servers.relay]\r\nurl = "http://127.0.0.1:4980/mcp"\r\n',
  ],
  [
    'ignores strings that look like our table',
    'text = """\n[mcp_servers.relay]\nurl = "no"\n\\"""\n"""\nother = \'\'\'\n[mcp_servers.relay]\'\'\'\n',
    `text = """\n[mcp_servers.relay]\nurl = "no"\n\\"""\n"""\nother = '''\n[mcp_servers.relay]'''\n\n${ALONE}`,
  ],
  [
    'keeps the other members of our table',
    `[mcp_servers.relay] # mine
url = "http://old/mcp" # the address
enabled = false
tool_timeout_sec = 60.0

[mcp_servers.relay.http_headers]
Authorization = "Bearer old"

[mcp_servers.relay.tools.play]
approval_mode = "approve"

[tui]
a = 1`,
    `[mcp_servers.relay] # mine
url = "http://127.0.0.1:4980/mcp" # the address
enabled = false
tool_timeout_sec = 60.0


[mcp_servers.relay.tools.play]
approval_mode = "approve"

[tui]
a = 1`,
  ],
  [
    'keeps a quoted table name, and replaces a program to start by the address',
    '["mcp_servers" . \'relay\']\ncommand = "npx"\nargs = [\n  "a", # ] "\n  "b",\n]\n[z]\n',
    '["mcp_servers" . \'relay\']\nurl = "http://127.0.0.1:4980/mcp"\n[z]\n',
  ],
  [
    'keeps the other settings of an inline table, and the server beside it',
    '[mcp_servers]\nrelay = { url = "http://old", enabled = true, tool_timeout_sec = 5.0 }\nother.url = "u"\n',
    '[mcp_servers]\nother.url = "u"\n\n[mcp_servers.relay]\nurl = "http://127.0.0.1:4980/mcp"\nenabled = true\ntool_timeout_sec = 5.0\n',
  ],
  [
    'keeps the other settings under dotted keys, and the key beside them',
    'mcp_servers.relay.url = "http://old"\nmcp_servers.relay.startup_timeout_sec = 5\nmodel = "o"\n',
    'model = "o"\n\n[mcp_servers.relay]\nurl = "http://127.0.0.1:4980/mcp"\nstartup_timeout_sec = 5\n',
  ],
];

for (const [what, before, after] of MERGES) {
  test(`merging ${what}`, () => {
    assert.equal(merge(before, TOML_ADDITION), after);
    assert.equal(merge(after, TOML_ADDITION), after);
  });
}

test('an entry that is already right keeps its form', () => {
  const inline = "[mcp_servers]\nrelay = {enabled = true, url = 'http://127.0.0.1:4980/mcp'}\n";
  assert.equal(merge(inline, TOML_ADDITION), inline);
});

test('the key is added next to the user’s own headers', () => {
  assert.equal(
    merge(`${ALONE}http_headers.X-A = "1"\n\n# next\n[z]\n`, TOML_KEY_ADDITION),
    `${ALONE}http_headers = { X-A = "1", Authorization = "Bearer k" }\n\n# next\n[z]\n`,
  );
});

test('the API key replaces an environment variable for the same header', () => {
  assert.equal(
    merge(`${ALONE}bearer_token_env_var = "RELAY"\nenabled = true\n`, TOML_KEY_ADDITION),
    `${ALONE}enabled = true\nhttp_headers = { Authorization = "Bearer k" }\n`,
  );
});

const AS_TABLES = 'Write each server as a table of its own, [mcp_servers.NAME], and try again.';

const REFUSALS: Array<[before: string, reason: string, remedy?: string]> = [
  ['a = 1\nb = \n', 'is not valid TOML (line 2, column 5)'],
  ['[a]\nb = 1\n[a]\n', 'is not valid TOML (line 3, column 2)'],
  ['[[mcp_servers]]\na = 1\n', 'has a value for mcp_servers that is not a group of servers'],
  ['[mcp_servers]\nrelay = 1\n', 'has a value for mcp_servers.relay that is not a group of settings'],
  [
    'mcp_servers = { relay = { url = "x" } }\n',
    'has mcp_servers as an inline table, which cannot be extended',
    AS_TABLES,
  ],
  [
    'mcp_servers = { other = { url = "x" } }\n',
    'has mcp_servers as an inline table, which cannot be extended',
    AS_TABLES,
  ],
  [
    '[mcp_servers]\nrelay = { url = "x", since = 2026-01-01 }\n',
    'has a value of a type that relay cannot write',
  ],
];

for (const [before, reason, remedy] of REFUSALS) {
  test(`refused: ${JSON.stringify(before)}`, () => {
    assert.throws(() => merge(before, TOML_ADDITION), new FileProblem(reason, remedy));
  });
}
