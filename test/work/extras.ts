/** A client that lists changes and undoes them. */

import assert from 'node:assert/strict';
import { at } from '../support/entries.ts';
import { API_KEY, mcpClient, type Relay } from '../support/world.ts';
import { change, type Settled } from './settled.ts';

/** A client of a relay whose key may do everything. */
export const extrasClient = (url: string) => mcpClient(url, API_KEY);

/** Lists the changes and undoes them. */
export interface Extras {
  call: Relay['call'];
  /** IDs of changes, newest first. */
  changes(): Promise<string[]>;
  /** Undoes a change and waits until the undo has ended. */
  undo(changeId: string): Promise<Settled>;
}

export async function withExtras(relay: Relay, work: (extras: Extras) => Promise<void>): Promise<void> {
  const client = await extrasClient(relay.server.mcpUrl);
  const call: Relay['call'] = async (name, args = {}) => {
    const { structuredContent, isError, content } = await client.callTool({ name, arguments: args });
    assert.ok(structuredContent, `${name}: ${isError ? JSON.stringify(content) : 'no answer'}`);
    return structuredContent as Record<string, unknown>;
  };
  try {
    await work({
      call,
      async changes() {
        const { items } = await call('list_changes');
        return (items as Array<{ change_id: string }>).map(({ change_id }) => change_id);
      },
      undo: (change_id) => change({ ...relay, call }, 'undo_change', { change_id }),
    });
  } finally {
    await client.close().catch(() => {});
  }
}

/** Undoes the newest change and waits until the undo has ended. */
export async function undoLast(relay: Relay): Promise<Settled> {
  let settled: Settled | undefined;
  await withExtras(relay, async ({ changes, undo }) => {
    settled = await undo(at(await changes(), 0));
  });
  return settled ?? assert.fail();
}
