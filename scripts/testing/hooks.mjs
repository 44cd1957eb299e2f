// Module hooks: a TypeScript file of the checkout keeps its own URL and is loaded in its compiled form. The tests get
// node:test by way of testFile.mjs.
import { readFileSync } from 'node:fs';
import { sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { compiledPath, root } from './compiled.mjs';

const checkout = pathToFileURL(root + sep).href;
const tests = pathToFileURL(`${root}${sep}test${sep}`).href;
const testFile = new URL('./testFile.mjs', import.meta.url).href;

export function resolve(specifier, context, next) {
  if (specifier === 'node:test' && context.parentURL?.startsWith(tests)) {
    return { url: testFile, format: 'module', shortCircuit: true };
  }
  if (!specifier.endsWith('.ts') || !context.parentURL?.startsWith(checkout)) return next(specifier, context);
  // Does not check that the file exists: a test may have switched to a user who may not read there.
  return { url: new URL(specifier, context.parentURL).href, format: 'module', shortCircuit: true };
}

export function load(url, context, next) {
  if (!url.startsWith(checkout) || url.includes('/node_modules/')) return next(url, context);
  if (url.endsWith('.ts')) return asModule(readFileSync(compiledPath(fileURLToPath(url)), 'utf8'));
  // `require` gets the plain JSON; hooks of newer versions of Node also see `require` calls.
  const isImport = !context.conditions?.includes('require');
  if (url.endsWith('.json') && isImport) return asModule(exportsOf(readFileSync(fileURLToPath(url), 'utf8')));
  return next(url, context);
}

const asModule = (source) => ({ format: 'module', source, shortCircuit: true });

/** Returns a module that exports a JSON document and its members by name, as bundlers do. */
function exportsOf(json) {
  const members = Object.keys(JSON.parse(json)).filter((name) => /^[a-z]\w*$/i.test(name));
  const named = members.map((name) => `const _${name} = all.${name}; export { _${name} as ${name} };`);
  return [`const all = ${json};`, 'export default all;', ...named].join('\n');
}
