import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Peer, peerIn } from '../../src/server/access/peer.ts';

const HEAD =
  '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode';
const line = (ends: string, state: string, uid: number, inode: number) =>
  `   7: ${ends} ${state} 00000000:00000000 00:00000000 00000000  ${uid}        0 ${inode} 1 0000000000000000 20 4 30 10 -1`;

const V4 = '0100007F:C000 0100007F:1374';
const V4_BACK = '0100007F:1374 0100007F:C000';
const MAPPED = '0000000000000000FFFF00000100007F:C000 0000000000000000FFFF00000100007F:1374';
const V6 = '00000000000000000000000001000000:C000 00000000000000000000000001000000:1374';
const LISTENING = '0100007F:1374 00000000:0000';

const ESTABLISHED = '01';
const FIN_WAIT_2 = '05';
const TIME_WAIT = '06';
const CLOSE_WAIT = '08';
const LISTEN = '0A';

const OWN = 1000;
const listening = line(LISTENING, LISTEN, OWN, 41);
const ours = line(V4_BACK, ESTABLISHED, OWN, 42);

const TABLES: ReadonlyArray<[what: string, table: string[], peer: Peer | 'nothing']> = [
  ['the owner', [listening, ours, line(V4, ESTABLISHED, OWN, 43)], 'self'],
  ['root', [listening, ours, line(V4, ESTABLISHED, 0, 43)], 'self'],
  ['another user', [listening, ours, line(V4, ESTABLISHED, 1001, 43)], 'other'],
  ['an end that sends no more but is still held', [listening, ours, line(V4, FIN_WAIT_2, OWN, 43)], 'self'],
  ['an end that is closing, shown as root', [listening, ours, line(V4, FIN_WAIT_2, 0, 0)], 'other'],
  ['an end that is gone', [listening, line(V4, TIME_WAIT, 0, 0)], 'other'],
  ['an end that no program holds', [listening, ours, line(V4, ESTABLISHED, 0, 0)], 'other'],
  [
    'our own end, which has been told that the other is closed',
    [listening, line(V4_BACK, CLOSE_WAIT, OWN, 42)],
    'other',
  ],
  ['IPv6', [listening, line(V6, ESTABLISHED, OWN, 43)], 'self'],
  ['another user over IPv6', [listening, line(V6, ESTABLISHED, 1001, 43)], 'other'],
  ['IPv4 on an IPv6 socket', [listening, line(MAPPED, ESTABLISHED, 1001, 43)], 'other'],
  [
    'the owner and another user between the same ports',
    [line(V4, ESTABLISHED, OWN, 43), line(V6, ESTABLISHED, 1001, 44)],
    'other',
  ],
  ['our own end alone, as for a browser outside of this system', [listening, ours], 'unknown'],
  ['neither end', [listening], 'nothing'],
  ['an empty table', [], 'unknown'],
];

for (const [what, table, peer] of TABLES) {
  test(`the user of a connection is read from the kernel's table: ${what}`, () => {
    const text = `${[HEAD, ...table].join('\n')}\n`;
    assert.equal(peerIn(text, { remotePort: 49152, localPort: 4980, own: OWN }), peer);
  });
}
