// `node --import` this file to run TypeScript of the checkout in the form that compile.mjs has made.
import * as module from 'node:module';
import { load, resolve } from './hooks.mjs';

// Hooks in the same thread are the quicker ones; Node 20 has none.
if (module.registerHooks) module.registerHooks({ load, resolve });
else module.register('./hooks.mjs', import.meta.url);
