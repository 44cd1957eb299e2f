// The reporter inside a worker: sends every event of node:test to the parent process.
import { inspect } from 'node:util';
import { tell } from './tell.mjs';

const RELAYED = ['test:start', 'test:pass', 'test:fail', 'test:plan', 'test:diagnostic', 'test:dequeue'];

export default async function* reporter(source) {
  for await (const { type, data } of source) {
    if (RELAYED.includes(type)) tell({ event: { type, data: plain(data) } });
  }
  yield '';
}

/** Returns an event as plain data. Errors become the text that Node would print. */
function plain({ file, line, column, ...rest }) {
  // For tests at the top of a file, the location would be in testFile.mjs.
  const data = file?.endsWith('testFile.mjs') ? rest : { file, line, column, ...rest };
  const error = data.details?.error;
  if (!error) return { ...data, details: data.details && { ...data.details } };
  const cause = error.code === 'ERR_TEST_FAILURE' && error.cause ? error.cause : error;
  const { failureType } = error;
  const message = cause instanceof Error ? cause.message : String(cause);
  return { ...data, details: { ...data.details, error: { failureType, message, text: inspect(cause) } } };
}
