/** The build of sql.js that carries its WebAssembly inside the script; @types/sql.js describes the same API. */
declare module 'sql.js/dist/sql-wasm-inline.js' {
  export { default } from 'sql.js';
}
