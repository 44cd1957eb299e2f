import assert from 'node:assert/strict';
import { test } from 'node:test';
import { namesOf, PLACEHOLDER_OWNER } from '../../scripts/release/names.ts';

test('all names come from the owner', () => {
  assert.deepEqual(namesOf('Somebody'), {
    home: 'https://github.com/Somebody/relay',
    repository: 'Somebody/relay',
    npm: '@somebody/relay',
    purl: 'pkg:npm/%40somebody/relay',
    winget: 'Somebody.relay',
    mcp: 'io.github.Somebody/relay',
  });
});

test('without an owner, no link leads to a page that somebody else could own, and no name is that of another package', () => {
  assert.deepEqual(namesOf(null), {
    home: 'https://relay.invalid',
    repository: null,
    npm: `@${PLACEHOLDER_OWNER}/relay`,
    purl: `pkg:npm/%40${PLACEHOLDER_OWNER}/relay`,
    winget: `${PLACEHOLDER_OWNER}.relay`,
    mcp: 'invalid.relay/relay',
  });
});
