// node:test follows every promise through hooks, to know which test an uncaught error came from. One of these hooks, the
// destroy hook, takes a quarter of the time of all tests. pool.mjs names the file and the test without the hooks.
const asyncHooks = require('node:async_hooks');

const { createHook } = asyncHooks;
asyncHooks.createHook = () => ({ enable: () => {}, disable: () => {} });
require('node:test');
asyncHooks.createHook = createHook;
