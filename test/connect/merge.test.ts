/** The text of a client's file with relay's entry and without it, in each format, and the texts that are refused. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { FileProblem } from '../../src/connect/clientFile.ts';
import { type Addition, merge, withoutEntries } from '../../src/connect/merge.ts';
import { JSON_ADDITION, JSON_KEY_ADDITION, TOML_ADDITION, TOML_KEY_ADDITION, URL } from './additions.ts';

const YAML_ADDITION: Addition = {
  ...JSON_ADDITION,
  format: 'yaml',
  section: 'extensions',
  entry: { type: 'streamable_http', uri: URL, headers: {} },
};

const JSON_ALONE = `{
  "mcpServers": {
    "relay": {
      "url": "${URL}"
    }
  }
}
`;
const TOML_ALONE = `[mcp_servers.relay]\nurl = "${URL}"\n`;

interface Merge {
  what: string;
  addition: Addition;
  before: string;
  after: string;
}

const MERGES: Merge[] = [
  ...['', '\n\n', '{}', '{ }\n'].map((before) => ({
    what: `JSON: ${JSON.stringify(before)}`,
    addition: JSON_ADDITION,
    before,
    after: JSON_ALONE,
  })),
  {
    what: 'JSON: line ends of Windows',
    addition: JSON_ADDITION,
    before: '{\r\n  "theme": "é",\r\n  "mcpServers": {}\r\n}\r\n',
    after: `${JSON_ALONE.replace('{', '{\n  "theme": "é",').replaceAll('\n', '\r\n')}`,
  },
  {
    what: 'JSON: other servers with their layout, comments, tabs and commas at the end',
    addition: JSON_ADDITION,
    before: `{
\t// servers of mine
\t"mcpServers": {
\t\t"other": {"url":"https://x"}, // keep
\t\t/* off:
\t\t"relay": {} */
\t},
}
`,
    after: `{
\t// servers of mine
\t"mcpServers": {
\t\t"other": {"url":"https://x"},
\t\t"relay": {
\t\t\t"url": "${URL}"
\t\t}, // keep
\t\t/* off:
\t\t"relay": {} */
\t},
}
`,
  },
  {
    what: 'JSON: a file on one line',
    addition: JSON_ADDITION,
    before: '{"mcpServers":{"other":{"command":"x"}},"n":1e2}',
    after: `{"mcpServers":{"other":{"command":"x"},"relay": {"url":"${URL}"}},"n":1e2}`,
  },
  {
    what: 'JSON: settings of the person in the entry',
    addition: JSON_ADDITION,
    before: `{
  "mcpServers": {
    "relay": {
      "command": "npx",
      "args": ["-y", "mcp-remote", "http://old/mcp"],
      "disabled": false,
      "timeout": 60
    }, // mine
    "other": {}
  }
}
`,
    after: `{
  "mcpServers": {
    "relay": {
      "disabled": false,
      "timeout": 60,
      "url": "${URL}"
    }, // mine
    "other": {}
  }
}
`,
  },
  {
    what: 'JSON: headers of the person beside the key',
    addition: JSON_KEY_ADDITION,
    before: '{"mcpServers": {"relay": {"url": "http://old", "headers": {"authorization": "x", "X-A": "b"}}}}',
    after: `{"mcpServers": {"relay": {"url":"${URL}","headers":{"X-A":"b","Authorization":"Bearer k"}}}}`,
  },
  {
    what: 'JSON: the key goes if approval in the browser replaces it',
    addition: JSON_ADDITION,
    before: `{"mcpServers": {"relay": {"url": "${URL}", "headers": {"authorization": "Bearer k"}}}}`,
    after: `{"mcpServers": {"relay": {"url":"${URL}"}}}`,
  },
  { what: 'TOML: an empty file', addition: TOML_ADDITION, before: '', after: TOML_ALONE },
  {
    what: 'TOML: other tables, comments, and a text that looks like a table',
    addition: TOML_ADDITION,
    before:
      'model = """\n[mcp_servers.other]\n""" # mine\n\n[mcp_servers.other]\ncommand = "x"\n# the end\n\n\n',
    after: `model = """\n[mcp_servers.other]\n""" # mine\n\n[mcp_servers.other]\ncommand = "x"\n# the end\n\n${TOML_ALONE}`,
  },
  {
    what: 'TOML: line ends of Windows',
    addition: TOML_ADDITION,
    before: '[tui]\r\na = 1\r\n',
    after: `[tui]\r\na = 1\r\n\r\n${TOML_ALONE.replaceAll('\n', '\r\n')}`,
  },
  {
    what: 'TOML: settings of the person in the entry, its place, and the comment of the table behind it',
    addition: TOML_KEY_ADDITION,
    before: `a = 1
["mcp_servers" . 'relay'] # lost
command = "npx"
args = [
  "a", # ] "
]
tool_timeout_sec = 60.0
startup_timeout_sec = 5
bearer_token_env_var = "RELAY"

[mcp_servers.relay.tools.play]
approval_mode = "approve"
since = 2026-01-01

# mine
[tui]
a = 1`,
    after: `a = 1
[mcp_servers.relay]
tool_timeout_sec = 60.0
startup_timeout_sec = 5
url = "${URL}"

[mcp_servers.relay.tools.play]
approval_mode = "approve"
since = 2026-01-01

[mcp_servers.relay.http_headers]
Authorization = "Bearer k"


# mine
[tui]
a = 1`,
  },
  ...[
    ['a: 1', 'a: 1\nextensions:\n'],
    ['# mine\nextensions: {}', '# mine\nextensions:\n'],
    ['b: 1\nextensions: ~ # mine', 'b: 1\nextensions:\n  # mine\n'],
  ].map(([before = '', start]) => ({
    what: `YAML: no section or an empty one, ${JSON.stringify(before)}`,
    addition: YAML_ADDITION,
    before,
    after: `${start}  relay:\n    type: streamable_http\n    uri: ${URL}\n    headers: {}\n`,
  })),
  {
    what: 'YAML: quotes, comments and long lines of others, settings of the person in the entry',
    addition: YAML_ADDITION,
    before: `# mine
GOOSE_MODEL: 'x' # with its quotes
extensions:
  # the tools
  developer: { type: builtin, enabled: true }
  relay:
    type: streamable_http
    enabled: false
    uri: http://old
    cmd: x

last: "a very long line that no writer may fold, however wide it thinks that a page should be at most"
`,
    after: `# mine
GOOSE_MODEL: 'x' # with its quotes
extensions:
  # the tools
  developer: { type: builtin, enabled: true }
  relay:
    type: streamable_http
    enabled: false
    uri: ${URL}
    cmd: x
    headers: {}

last: "a very long line that no writer may fold, however wide it thinks that a page should be at most"
`,
  },
];

for (const { what, addition, before, after } of MERGES) {
  test(`merged, ${what}`, () => {
    assert.equal(merge(before, addition), after);
    assert.equal(merge(after, addition), after);
  });
}

test('a byte order mark is left out', () => {
  const others = '{\n  "theme": 1\n}\n';
  const both = JSON_ALONE.replace('{', '{\n  "theme": 1,');
  assert.equal(merge(`\uFEFF${others}`, JSON_ADDITION), both);
  assert.equal(merge(`\uFEFF${both}`, JSON_ADDITION), both, 'the entry is there');
  assert.equal(withoutEntries(`\uFEFF${both}`, JSON_ADDITION, ['relay']), others);
});

const EXTRAS: Array<[text: string, place: string]> = [
  ['{\n  "a": 1,\n  // mine\n  "b": [2]\n}', 'line 3, column 3'],
  ['{"mcpServers": {} /* mine */}', 'line 1, column 19'],
  ['\uFEFF{\n  "mcpServers": {},\n}', 'line 3, column 1'],
];

for (const [text, place] of EXTRAS) {
  test(`where the client takes neither comments nor trailing commas, ${JSON.stringify(text)} is refused`, () => {
    assert.throws(() => merge(text, { ...JSON_ADDITION, strict: true }), {
      message: `is not plain JSON, which has no comments and no trailing commas (${place})`,
    });
  });
}

test('what only looks like a comment or a trailing comma is no reason to refuse', () => {
  const text = `{"a": "// b", "c": "/* ,} */", "d": [[], {}]}`;
  assert.match(merge(text, { ...JSON_ADDITION, strict: true }), /"relay"/);
});

test('an entry that is already right keeps its form', () => {
  const inline = `[mcp_servers]\nrelay = {enabled = true, url = '${URL}'}\n`;
  assert.equal(merge(inline, TOML_ADDITION), inline);
});

const REMOVALS: Array<[addition: Addition, before: string, after: string]> = [
  [JSON_ADDITION, JSON_ALONE, '{\n}\n'],
  [JSON_ADDITION, '{"a": 1, "mcpServers": {"relay": {}}}', '{"a": 1}'],
  [
    JSON_ADDITION,
    '{\n  "mcpServers": {\n    "other": {}, // keep\n    "relay": {}\n    // mine\n  }\n}\n',
    '{\n  "mcpServers": {\n    "other": {} // keep\n    // mine\n  }\n}\n',
  ],
  [JSON_ADDITION, '{"mcpServers": {\n  // mine\n  "relay": {},\n}}', '{"mcpServers": {\n  // mine\n}}'],
  [TOML_ADDITION, `a = 1\n\n${TOML_ALONE}\n# b\n[b]\n`, 'a = 1\n\n\n# b\n[b]\n'],
  [YAML_ADDITION, '# mine\na: 1\nextensions:\n  relay:\n    uri: x\n', '# mine\na: 1\n'],
  [YAML_ADDITION, 'extensions:\n  relay: { uri: x }\n  b: {} # b\n', 'extensions:\n  b: {} # b\n'],
];

for (const [addition, before, after] of REMOVALS) {
  test(`removed: ${JSON.stringify(before)}`, () =>
    assert.equal(withoutEntries(before, addition, ['relay']), after));
}

const GROUP = 'has a value for mcpServers that is not a group of servers';
const UNSAFE = 'in a form that relay cannot edit safely';
const DEEP = 100_000;
const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
/** TOML allows no table below an inline table, so the person is not to add one there. */
const remedy = 'Write each server as a table of its own, [mcp_servers.NAME], and try again.';

const REFUSALS: Array<[addition: Addition, before: string, reason: string, remedy?: string]> = [
  [JSON_ADDITION, '{\n  "a": 1,\n  b\n}', 'is not valid JSON (line 3, column 3)'],
  [JSON_ADDITION, '[]', 'does not contain a JSON object'],
  [JSON_ADDITION, '{"mcpServers": []}', GROUP],
  [JSON_ADDITION, '{"mcpServers": null}', GROUP],
  [
    JSON_ADDITION,
    '{"mcpServers": {"relay": "off"}}',
    'has a value for mcpServers.relay that is not a group of settings',
  ],
  [JSON_ADDITION, '{"mcpServers": 1, "mcpServers": {}}', `has mcpServers ${UNSAFE}`],
  [JSON_ADDITION, '{"mcpServers": {"relay": 1, "relay": {}}}', `has mcpServers ${UNSAFE}`],
  [JSON_ADDITION, '{"mcpServers": {"a": {}}, "mcpServers": {"b": {}}}', `has mcpServers ${UNSAFE}`],
  [JSON_ADDITION, nested(DEEP), 'is nested too deeply'],
  [JSON_ADDITION, `{"mcpServers": {"relay": ${nested(DEEP)}}}`, 'is nested too deeply'],
  [TOML_ADDITION, 'a = 1\nb = \n', 'is not valid TOML (line 2, column 5)'],
  [TOML_ADDITION, 'mcp_servers = { other = { url = "x" } }\n', `has mcp_servers ${UNSAFE}`, remedy],
  [TOML_ADDITION, 'mcp_servers.relay.url = "x"\n', `has mcp_servers ${UNSAFE}`, remedy],
  [TOML_ADDITION, '[mcp_servers]\nrelay = { url = "x" }\n', `has mcp_servers ${UNSAFE}`, remedy],
  [YAML_ADDITION, 'a: [\n', 'is not valid YAML (line 2, column 1)'],
  [YAML_ADDITION, '- a\n', 'does not contain a YAML mapping'],
  [YAML_ADDITION, 'a: *b\n', 'has aliases that relay cannot follow'],
];

for (const [addition, before, reason, toDo] of REFUSALS) {
  test(`refused: ${JSON.stringify(before.slice(0, 80))}`, () => {
    const isExpected = (error: unknown) =>
      error instanceof FileProblem && error.message === reason && error.remedy === toDo;
    assert.throws(() => merge(before, addition), isExpected);
  });
}

test('names such as __proto__ are treated like any other name', () => {
  const text = '{\n  "__proto__": {"mcpServers": {"relay": {"url": "evil"}}},\n  "constructor": 1\n}\n';
  assert.ok(merge(text, JSON_ADDITION).startsWith(text.slice(0, -3)));
  const toml = '["__proto__".mcp_servers.relay]\nurl = "evil"\n';
  assert.ok(merge(toml, TOML_ADDITION).startsWith(toml));
  const { mcpServers, mcp_servers } = {} as Record<string, unknown>;
  assert.deepEqual([mcpServers, mcp_servers], [undefined, undefined]);
});
