/** API keys in the files of clients: a replaced key is useless there. Reads only. */
import { existsSync } from 'node:fs';
import { readClientFile, textOf } from './clientFile.ts';
import { CLIENTS, type Client, setupFor } from './clientTable.ts';
import type { System } from './configPlaces.ts';

/** The clients whose file holds `key`. A file that cannot be read counts as none. */
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
