import assert from 'node:assert/strict';
import { test } from 'node:test';
import { releaseNotes, tagProblems } from '../../scripts/release/tag.ts';

const CHANGELOG = `# Changelog

## Unreleased

- Something new.

## 1.2.3 - 2026-01-02

- One thing.

### Fixed

- Another.

## 1.2.2
`;
const good = {
  tag: 'v1.2.3',
  version: '1.2.3',
  builder: 'somebody/relay',
  published: 'somebody/relay',
  changelog: CHANGELOG,
};

test('a tag becomes a release if version, changelog and repository agree', () => {
  assert.deepEqual(tagProblems(good), []);
  assert.equal(releaseNotes(CHANGELOG, '1.2.3'), '- One thing.\n\n### Fixed\n\n- Another.');
});

test('every disagreement is reported', () => {
  const wrong = { ...good, tag: 'v1.2.4', version: '1.2.2', builder: 'another/relay', published: null };
  assert.deepEqual(tagProblems(wrong), [
    'The tag is v1.2.4, and package.json has version 1.2.2.',
    'The release would be at another/relay, and src/domain/project.ts says that there is none.',
    '.github/CHANGELOG.md has no section "## 1.2.2" with text in it.',
  ]);
  assert.equal(releaseNotes(CHANGELOG, '1.2'), null);
});
