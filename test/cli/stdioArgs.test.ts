/** The executable reads plain `relay stdio` command lines without its parser. The parser must read them in the same way. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readStdioArgs } from '../../src/cli/stdio/stdioArgs.ts';

test('the executable itself reads the command lines that relay gives to clients', () => {
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

test('any other command line is left to the parser', () => {
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
