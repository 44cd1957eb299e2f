import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Ends, type Seen, seenInText } from '../../src/server/access/peer.ts';

const HEAD =
  '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode';
const line = (ends: string, state: string, uid: number, inode: number) =>
  `   7: ${ends} ${state} 00000000:00000000 00:00000000 00000000  ${uid}        0 ${inode} 1 0000000000000000 20 4 30 10 -1`;

const V4 = '0100007F:C000 0100007F:1374';
const V4_BACK = '0100007F:1374 0100007F:C000';
const V4_BIG_ENDIAN = '7F000001:C000 7F000001:1374';
const MAPPED = '0000000000000000FFFF00000100007F:C000 0000000000000000FFFF00000100007F:1374';
const V6 = '00000000000000000000000001000000:C000 00000000000000000000000001000000:1374';

const ends = (remoteAddress: string, localAddress = remoteAddress): Ends => ({
  remoteAddress,
  remotePort: 49152,
  localAddress,
  localPort: 4980,
});

const ESTABLISHED = '01';
const FIN_WAIT_2 = '05';
const TIME_WAIT = '06';
const CLOSE_WAIT = '08';
const LISTEN = '0A';

const TABLES: ReadonlyArray<[what: string, table: string[], ends: Ends, seen: Seen, order?: 'BE']> = [
  ['its own line', [line(V4, ESTABLISHED, 1000, 42)], ends('127.0.0.1'), { uid: 1000 }],
  ['our own end alone', [line(V4_BACK, ESTABLISHED, 0, 42)], ends('127.0.0.1'), { isOpen: true }],
  [
    'the right one of both',
    [line(V4_BACK, ESTABLISHED, 0, 42), line(V4, ESTABLISHED, 1000, 43)],
    ends('127.0.0.1'),
    { uid: 1000 },
  ],
  [
    'an end that is closing, which the kernel shows as root',
    [line(V4, FIN_WAIT_2, 0, 0)],
    ends('127.0.0.1'),
    { isClosed: true },
  ],
  [
    'an end that sends no more but is still held',
    [line(V4, FIN_WAIT_2, 1000, 42)],
    ends('127.0.0.1'),
    { uid: 1000 },
  ],
  ['an end that is gone', [line(V4, TIME_WAIT, 0, 0)], ends('127.0.0.1'), { isClosed: true }],
  ['an end that no program holds', [line(V4, ESTABLISHED, 0, 0)], ends('127.0.0.1'), { isClosed: true }],
  ['IPv6', [line(V6, ESTABLISHED, 1000, 42)], ends('::1'), { uid: 1000 }],
  [
    'IPv4 on an IPv6 socket of the client',
    [line(MAPPED, ESTABLISHED, 1000, 42)],
    ends('127.0.0.1'),
    { uid: 1000 },
  ],
  [
    'IPv4 on an IPv6 socket of the server',
    [line(V4, ESTABLISHED, 1000, 42)],
    ends('::ffff:127.0.0.1'),
    { uid: 1000 },
  ],
  [
    'a machine of the other byte order',
    [line(V4_BIG_ENDIAN, ESTABLISHED, 1000, 42)],
    ends('127.0.0.1'),
    { uid: 1000 },
    'BE',
  ],
  [
    'our own end, which has been told that the other is closed',
    [line(V4_BACK, CLOSE_WAIT, 0, 42)],
    ends('127.0.0.1'),
    { isClosed: true },
  ],
  [
    'the listening socket alone',
    [line('0100007F:1374 00000000:0000', LISTEN, 0, 42)],
    ends('127.0.0.1'),
    { isComplete: true },
  ],
  ['an empty table', [], ends('127.0.0.1'), {}],
];

for (const [what, table, of, seen, order = 'LE'] of TABLES) {
  test(`the user of a connection is read from the kernel's table: ${what}`, () => {
    assert.deepEqual(seenInText(`${[HEAD, ...table].join('\n')}\n`, of, order), seen);
  });
}
