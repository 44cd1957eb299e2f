// Combines the events of all files into one stream, as `node --test` does, counts them, and prints them with the reporter.
import { Readable } from 'node:stream';
import * as reporters from 'node:test/reporters';
import { inspect } from 'node:util';
import { isOutcome } from './pool.mjs';

export function createResults(reporter) {
  const events = new Readable({ objectMode: true, read() {} });
  const printed = print(events, reporter);
  const start = performance.now();
  const counts = { tests: 0, suites: 0, pass: 0, fail: 0, cancelled: 0, skipped: 0, todo: 0 };
  const times = [];
  const failed = [];
  const passedAlone = [];
  const seeds = new Map();
  const errors = [];
  let files = 0;
  const push = (type, data) => events.push({ type, data });

  function add({ file, ms, cpuMs, events: own, failure }) {
    files += 1;
    times.push({ file, ms, cpuMs });
    seeds.set(file, seedsIn(own));
    const isOfFile = ({ type, data }) => isOutcome(type) && data.nesting === 0;
    const outcome = own.find(isOfFile);
    if (!own.some(({ type, data }) => type === 'test:start' && data.nesting === 0)) {
      push('test:start', { nesting: 0, name: file });
    }
    let failures = 0;
    for (const { type, data } of own) {
      if (isOfFile({ type, data })) continue;
      if (isOutcome(type)) {
        const isFailure = count(type, data);
        failures += isFailure;
        if (isFailure) errors.push(`${file}: ${data.name}\n${beginning(data.details.error?.text)}`);
      }
      push(type, { ...data, ...(data.details ? { details: withError(data.details) } : {}) });
    }
    // A file counts only if it failed outside its tests, for example because it cannot be loaded.
    const error = outcome?.data.details.error;
    const beside = [failure, error?.failureType !== 'subtestsFailed' && error?.text]
      .filter(Boolean)
      .join('\n');
    if (beside !== '') {
      counts.tests += 1;
      counts.fail += 1;
    }
    if (beside !== '') errors.push(`${file}\n${beginning(beside)}`);
    const hasFailed = beside !== '' || failures > 0;
    if (hasFailed) failed.push(file);
    const told = {
      message: beside || 'Some of its tests failed.',
      text: beside || 'Some of its tests failed.',
    };
    push(hasFailed ? 'test:fail' : 'test:pass', {
      nesting: 0,
      name: file,
      testNumber: files,
      details: withError({ duration_ms: ms, ...(hasFailed ? { error: told } : {}) }),
    });
  }

  /** Adds the second run of a file that has failed. If it passes, the first failure is told but is no error. */
  function addAgain(outcome) {
    const { file } = outcome;
    failed.splice(failed.indexOf(file), 1);
    add(outcome);
    if (!failed.includes(file)) passedAlone.push(file);
  }

  /** Counts an event, and returns the number of failures in it. */
  function count(type, { skip, todo, details }) {
    const isFailure = type === 'test:fail' && todo === undefined;
    if (details.type === 'suite') {
      counts.suites += 1;
      return Number(isFailure);
    }
    counts.tests += 1;
    if (skip !== undefined) counts.skipped += 1;
    else if (todo !== undefined) counts.todo += 1;
    else if (!isFailure) counts.pass += 1;
    else if (details.error?.failureType === 'cancelledByParent') counts.cancelled += 1;
    else counts.fail += 1;
    return Number(isFailure);
  }

  async function end() {
    const say = (message) => push('test:diagnostic', { nesting: 0, message });
    push('test:plan', { nesting: 0, count: files });
    for (const [name, value] of Object.entries(counts)) say(`${name} ${value}`);
    say(`duration_ms ${performance.now() - start}`);
    times.sort((a, b) => b.ms - a.ms);
    const seconds = (ms) => `${(ms / 1000).toFixed(1).padStart(6)} s`;
    say('the slowest files, and their processor time:');
    for (const { file, ms, cpuMs } of times.slice(0, 10)) say(`${seconds(ms)} ${seconds(cpuMs)}  ${file}`);
    // Repeated at the end, since a log that is cut keeps its last lines.
    for (const line of errors.slice(0, 10).flatMap((error) => error.split('\n'))) say(line);
    if (passedAlone.length > 0) say(`failed beside others, but passed alone: ${passedAlone.join(' ')}`);
    if (failed.length > 0) say(`failed: ${failed.join(' ')}`);
    events.push(null);
    await printed;
    return { failed, times };
  }

  return { add, addAgain, end, failed: () => [...failed], seedsOf: (file) => seeds.get(file) ?? {} };
}

/** Returns the seeds that tests have printed, as environment variables with which they draw the same again. */
function seedsIn(events) {
  const told = events.flatMap(({ type, data }) => (type === 'test:diagnostic' ? [data.message] : []));
  const found = told.flatMap((message) => [...message.matchAll(/\b([A-Z_]*SEED)=(\d+)/g)]);
  return Object.fromEntries(found.map(([, name, value]) => [name, value]));
}

/** Returns the first lines of an error's text, each cut to a length that a terminal shows. */
function beginning(text = '') {
  return text
    .split('\n')
    .slice(0, 16)
    .map((line) => `  ${line.slice(0, 200)}`)
    .join('\n');
}

/** Returns the details with an error that prints as the text from the worker. */
function withError({ error, ...details }) {
  if (!error) return details;
  const cause = Object.assign(new Error(error.message), { [inspect.custom]: () => error.text });
  cause.stack = error.text;
  const wrapped = Object.assign(new Error(error.message, { cause }), { code: 'ERR_TEST_FAILURE' });
  wrapped.stack = error.text;
  return {
    ...details,
    error: Object.assign(wrapped, { failureType: error.failureType ?? 'testCodeFailure' }),
  };
}

async function print(events, name) {
  const reporter = new Map(Object.entries(reporters)).get(name) ?? (await import(name)).default;
  const isGenerator = /GeneratorFunction$/.test(reporter.constructor.name);
  const output = isGenerator ? Readable.from(reporter(events)) : events.pipe(construct(reporter));
  for await (const text of output) process.stdout.write(text);
}

function construct(Reporter) {
  try {
    return new Reporter();
  } catch {
    return Reporter;
  }
}
