/** Types for the part of WebAssembly that relay uses. Node's own types have none. */

export type CompiledWasm = { readonly compiledWasm: never };

export interface WasmInstance {
  exports: Record<string, unknown>;
}

interface Wasm {
  compile(bytes: ArrayBuffer): Promise<CompiledWasm>;
  instantiate(module: CompiledWasm, imports: object): Promise<WasmInstance>;
  Instance: new (module: CompiledWasm, imports: object) => WasmInstance;
  Memory: new () => { buffer: ArrayBuffer };
}

export const wasm = (globalThis as unknown as { WebAssembly: Wasm }).WebAssembly;
