/** Finds the client configuration files that still contain an API key after it was replaced. Changes nothing. */
import { existsSync } from 'node:fs';
import { readClientFile, textOf } from './clientFile.ts';
import { CLIENTS, type Client, setupFor } from './clientTable.ts';
import type { System } from './configPlaces.ts';

/** Finds the clients whose file holds `key`. Files that cannot be read are skipped. */
export async function clientsWith(
  key: string,
  system: System,
): Promise<Array<{ client: Client; file: string }>> {
  const found = await Promise.all(
    CLIENTS.map(async (client) => {
      const { file } = setupFor(client, system, existsSync).place;
      const text = await readClientFile(file).then(textOf, () => null);
      return text?.includes(key) ? [{ client, file }] : [];
    }),
  );
  return found.flat();
}
