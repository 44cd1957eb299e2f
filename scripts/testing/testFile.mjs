// Replaces node:test for tests: tests and hooks at the top of a file belong to that file only, although one process runs
// many files.
import * as nodeTest from 'node:test';

export * from 'node:test';

let current;

/** The pattern of `--test-name-pattern`. Node itself would apply it to the names of the files. */
const pattern = process.argv[2] === undefined ? null : new RegExp(process.argv[2]);

export function test(...args) {
  if (pattern && !pattern.test(args[0])) return Promise.resolve();
  const ended = current.context.test(...args);
  current.tests.push(ended);
  return ended;
}
const withOption = (option) => (name, options, work) =>
  typeof options === 'function' || options === undefined
    ? test(name, { [option]: true }, options)
    : test(name, { ...options, [option]: true }, work);
test.skip = withOption('skip');
test.todo = withOption('todo');
test.only = withOption('only');

export { test as it };
export default test;

export const before = (...args) => current.context.before(...args);
export const after = (...args) => current.context.after(...args);
export const beforeEach = (...args) => current.context.beforeEach(...args);
export const afterEach = (...args) => current.context.afterEach(...args);

/** Runs a file as one test, whose subtests are those that `load` defines. */
export function runFile(name, load) {
  return nodeTest.test(name, async (context) => {
    current = { context, tests: [] };
    await load();
    await Promise.all(current.tests);
  });
}
