/** The executable reads plain forms of `relay stdio` without its parser. They must mean the same as with it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readStdioArgs } from '../../src/cli/stdio/stdioArgs.ts';

test('the forms that clients are given are read', () => {
  const read: Array<[line: string, meaning: object]> = [
    ['stdio', { globals: {}, tools: {} }],
    ['--home /srv/relay stdio --demo', { globals: { home: '/srv/relay', demo: true }, tools: {} }],
    ['--demo stdio', { globals: { demo: true }, tools: {} }],
    ['stdio --home /srv/relay --json', { globals: { home: '/srv/relay', json: true }, tools: {} }],
    [
      'stdio --toolsets jobs,library --read-only',
      { globals: {}, tools: { toolsets: 'jobs,library', readOnly: true } },
    ],
  ];
  for (const [line, meaning] of read) assert.deepEqual(readStdioArgs(line.split(' ')), meaning, line);
});

test('anything else is left to the whole program', () => {
  const lines = [
    '',
    'status',
    'help stdio',
    'stdio --help',
    'stdio -h',
    'stdio more',
    'stdio stdio',
    'stdio --home',
    'stdio --home --demo',
    'stdio --home=/srv/relay',
    'stdio --toolsets none',
    'stdio --toolsets',
    '--toolsets jobs stdio',
    '--read-only stdio',
    'stdio --',
    'call search_tracks query=stdio',
  ];
  for (const line of lines) assert.equal(readStdioArgs(line.split(' ')), null, line);
});
