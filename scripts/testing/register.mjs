// `node --import` this file to run TypeScript of the checkout as compiled by compile.mjs.
import * as module from 'node:module';
import { load, resolve } from './hooks.mjs';

// Hooks in the same thread are faster, but Node 20 has none.
if (module.registerHooks) module.registerHooks({ load, resolve });
else module.register('./hooks.mjs', import.meta.url);
