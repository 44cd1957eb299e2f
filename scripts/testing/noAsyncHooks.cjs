// node:test follows every promise through hooks, to know which test an error that nobody caught came from. With the
// destroy hook among them that costs a quarter of the time of all tests, and pool.mjs names file and test without it.
const asyncHooks = require('node:async_hooks');

const { createHook } = asyncHooks;
asyncHooks.createHook = () => ({ enable: () => {}, disable: () => {} });
require('node:test');
asyncHooks.createHook = createHook;
