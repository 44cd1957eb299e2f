import assert from 'node:assert/strict';
import test from 'node:test';
import { FileProblem } from '../../src/connect/fileText.ts';
import { merge } from '../../src/connect/merge.ts';
import { JSON_ADDITION, JSON_KEY_ADDITION } from './additions.ts';

const ALONE = `{
  "mcpServers": {
    "relay": {
      "url": "http://127.0.0.1:4980/mcp"
    }
  }
}
`;

const MERGES: Array<[what: string, before: string, after: string]> = [
  ['an empty file', '', ALONE],
  ['blank lines', '\n\n', ALONE],
  ['a byte order mark alone', '\uFEFF', `\uFEFF${ALONE}`],
  ['an empty object', '{}', ALONE.trimEnd()],
  ['a comment and nothing else', '// later\n', `// later\n${ALONE}`],
  [
    'other servers, comments, tabs and commas at the end',
    `{
\t// servers of mine
\t"mcpServers": {
\t\t"other": {"url":"https://x"}, // keep
\t\t/* off:
\t\t"relay": {} */
\t},
}
`,
    `{
\t// servers of mine
\t"mcpServers": {
\t\t"other": {"url":"https://x"}, // keep
\t\t/* off:
\t\t"relay": {} */
\t\t"relay": {
\t\t\t"url": "http://127.0.0.1:4980/mcp"
\t\t},
\t},
}
`,
  ],
  [
    'a last member with a comment behind it',
    '{\n    "mcpServers": {\n        "other": {} // keep\n    }\n}',
    '{\n    "mcpServers": {\n        "other": {}, // keep\n        "relay": {\n            "url": "http://127.0.0.1:4980/mcp"\n        }\n    }\n}',
  ],
  [
    'line ends of Windows and a byte order mark',
    '\uFEFF{\r\n  "theme": "é",\r\n  "mcpServers": {}\r\n}\r\n',
    '\uFEFF{\r\n  "theme": "é",\r\n  "mcpServers": {\r\n    "relay": {\r\n      "url": "http://127.0.0.1:4980/mcp"\r\n    }\r\n  }\r\n}\r\n',
  ],
  [
    'a file on one line',
    '{"mcpServers":{"other":{"command":"x"}},"n":1e2}',
    '{"mcpServers":{"other":{"command":"x"}, "relay": {"url":"http://127.0.0.1:4980/mcp"}},"n":1e2}',
  ],
  [
    'no section yet',
    '{\n  "editor": "vim"\n}\n',
    '{\n  "editor": "vim",\n  "mcpServers": {\n    "relay": {\n      "url": "http://127.0.0.1:4980/mcp"\n    }\n  }\n}\n',
  ],
  [
    'an entry that starts mcp-remote, with settings of the person',
    `{
  "mcpServers": {
    "relay": {
      // by hand
      "command": "npx", // once
      "args": ["-y", "mcp-remote", "http://old/mcp"],
      "disabled": false,
      // patience
      "timeout": 60
    },
    "other": {}
  }
}
`,
    `{
  "mcpServers": {
    "relay": {
      // by hand
      // once
      "disabled": false,
      // patience
      "timeout": 60,
      "url": "http://127.0.0.1:4980/mcp"
    },
    "other": {}
  }
}
`,
  ],
  [
    'an entry with the key, which approval in the browser replaces',
    '{ "mcpServers": { "relay": { "url": "http://127.0.0.1:4980/mcp", "headers": { "authorization": "Bearer k" } } } }',
    '{ "mcpServers": { "relay": { "url": "http://127.0.0.1:4980/mcp" } } }',
  ],
];

for (const [what, before, after] of MERGES) {
  test(`merging keeps ${what}`, () => {
    assert.equal(merge(before, JSON_ADDITION), after);
    assert.equal(merge(after, JSON_ADDITION), after);
  });
}

test('the key is added next to the user’s own headers', () => {
  assert.equal(
    merge(
      '{\n  "mcpServers": {\n    "relay": { "url": "http://old", "headers": { "authorization": "x", "X-A": "b" } }\n  }\n}\n',
      JSON_KEY_ADDITION,
    ),
    '{\n  "mcpServers": {\n    "relay": { "url": "http://127.0.0.1:4980/mcp", "headers": { "X-A": "b", "Authorization": "Bearer k" } }\n  }\n}\n',
  );
});

const REFUSALS: Array<[before: string, reason: string]> = [
  ['{\n  "a": 1,\n  b\n}', 'is not valid JSON (line 3, column 3)'],
  ['{"a":', 'is not valid JSON (line 1, column 6)'],
  ['[]', 'does not contain a JSON object'],
  ['null', 'does not contain a JSON object'],
  ['{"mcpServers": []}', 'has a value for mcpServers that is not a group of servers'],
  ['{"mcpServers": null}', 'has a value for mcpServers that is not a group of servers'],
  ['{"mcpServers": {"relay": "off"}}', 'has a value for mcpServers.relay that is not a group of settings'],
  ['{"mcpServers": 1, "mcpServers": {}}', 'has more than one mcpServers'],
  ['{"mcpServers": {"relay": 1, "relay": {}}}', 'has more than one mcpServers.relay'],
  [
    '{"mcpServers": {"a": {}}, "mcpServers": {"b": {}}}',
    'has mcpServers in a form that relay cannot edit safely',
  ],
];

for (const [before, reason] of REFUSALS) {
  test(`refused: ${JSON.stringify(before)}`, () => {
    assert.throws(() => merge(before, JSON_ADDITION), new FileProblem(reason));
  });
}
