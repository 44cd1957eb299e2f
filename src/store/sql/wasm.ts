/** WebAssembly, as far as it is used here: Node's types leave it out. */

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
