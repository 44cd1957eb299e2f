/** Stands in a bundle for what the SDK's server has of its own for Node (`../bundle.ts`). */
export const { process } = globalThis;
export class DefaultJsonSchemaValidator {}
