/** A reporter that lists at the end which tests were skipped, and why. */
export default async function* skipped(events) {
  const lines = [];
  for await (const { type, data } of events) {
    if (type === 'test:pass' && data.skip !== undefined) lines.push(`skipped: ${data.name} (${data.skip})\n`);
  }
  yield lines.sort().join('');
}
