/** Hostile names in every place of every card: they stay text, and nothing in them hides or reverses what is beside them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ItemRecord } from '../../src/domain/job.ts';
import type { Track } from '../../src/domain/shapes.ts';
import type { PageJob, PageState } from '../../src/server/owner/pageState.ts';
import type { Imported, PlaylistPart, Tab } from '../../src/server/owner/tab.ts';
import { cardsOf } from '../../src/server/pages/cards/cards.ts';

const H = `<img src=x onerror="alert(1)">"'&amp;</script>\u202e\u2066`;
const AT = '2026-01-02T03:04:05.000Z';
const PLACE = { name: H, url: 'https://open.spotify.com/playlist/x', cover: `https://i.scdn.co/${H}` };
const TRACK = {
  ...{ id: H, uri: H, name: H, duration_ms: 1, artists: [{ name: H }], album: { name: H } },
} as unknown as Track;
const ITEM = {
  ...{ position: 0, status: 'ambiguous', input: { title: H, artist: H }, uri: null, track: null },
  candidates: [{ track: TRACK, score: 0.3, reasons: [H] }],
} as unknown as ItemRecord;
const PREVIEW = {
  ...{ total: 1, added_count: 2, removed_count: 2, left_out: 1 },
  added: [{ uri: H, name: H, artist: H }],
  removed: [{ uri: H }],
};
const CHANGE = {
  ...{
    change_id: H,
    kind: 'add',
    state: 'done',
    playlist_id: H,
    asked_by: H,
    requested: 1,
    written: 1,
    at: AT,
  },
  ...{
    can_undo: true,
    place: PLACE,
    words: 'added 1000 songs to "\u0001"',
    beingUndone: false,
    songs: { first: [H], all: 2 },
  },
} as const;
const ENTRY = {
  part: 'database',
  state: 'bad',
  summary: `${H} \`relay ${H}\``,
  remedy: { text: H },
} as const;

const job = (facts: Partial<PageJob>) =>
  ({
    ...{ job_id: H, type: 'create_playlist', status: 'ready', phase: 'resolve', place: PLACE, name: H },
    ...{ payload: { strict: true, dry_run: false, skip_existing: false, skip_duplicates: true } },
    ...{ total_items: 3, pending: 1, resolved: 1, ambiguous: 1, unmatched: 0, failed: 0, skipped: 0 },
    ...{ skipped_existing: 0, written: 0, run_after: null, reason: H, review_required: false, unresolved: 1 },
    ...{ error: { code: H, message: H, remedy: H }, result: { missing: [H], extra: [H] } },
    ...{ playlist_id: H, created_at: AT, updated_at: AT, started_at: AT, completed_at: AT },
    ...facts,
  }) as PageJob;

const IMPORTED = {
  ...{
    key: 1,
    fileName: H,
    bytes: new Uint8Array(),
    list: { name: H },
    artistSide: null,
    target: 'playlist',
  },
  lists: [
    { name: H, songs: 1 },
    { name: H, songs: 2 },
  ],
  preview: {
    ...{ format: 'txt', encoding: H, name: H, lists: [], songs: 1, episodes: 0, columns: {}, doubt: H },
    artist_side: { side: 'left', because: H, certain: false },
    examples: [{ line: 1, title: H, artist: H }],
    not_songs: { total: 2, reasons: {}, lines: [{ line: 1, text: H, why: H }] },
    ...{ with_uri: 0, with_isrc: 0, remembered: 0, repeated: 0, searches: { at_least: 1, at_most: 2 } },
    ...{ searches_24h: 0, jobs: 1 },
  },
  jobs: [],
} as Imported;

const TAB: Tab = {
  ...{ find: H, more: {}, playlist: null, listed: null, imported: null, history: { id: 1, name: H } },
  ...{ settling: null, undo: { change: H, force: false, lines: [H, H] } },
  setup: { id: H, file: H, snippet: H, command: H, next: `${H}\`${H}\`` },
};

const STATE = {
  ...{
    tab: TAB,
    view: 'home',
    now: Date.parse(AT),
    program: 'relay',
    style: () => H,
    mcpUrl: H,
  },
  loginProblem: H,
  app: { isSet: true, isFixed: false, redirectUri: H },
  setups: [{ id: H, name: H }],
  clients: [{ clientId: H, name: H, lastUsedAt: AT, approvals: [{ approvedAt: AT, readOnly: true }] }],
  mcpUsed: false,
  waitingClients: [{ clientId: H, name: H, address: `/${H}`, at: 1 }],
  remembered: {
    items: [{ key: H, words: H, track: H, by: H, namesDiffer: true, at: AT }],
    left: 1,
  },
  browsers: [{ id: H, label: H, origin: H, lastUsedAt: AT, isThis: false }],
  jobs: {
    waiting: [job({}), job({ status: 'failed', review_required: true })],
    moving: [job({ status: 'waiting', run_after: AT }), job({ status: 'resolving' })],
    ...{ waitingLeft: 2, movingLeft: 2 },
  },
  importJobs: [],
  events: {
    items: [
      { id: H, at: AT, job: null, change: CHANGE },
      { id: H, at: AT, job: job({ status: 'cancelled' }), change: null },
    ],
    more: true,
  },
  ...{ playlists: [{ id: H, name: H, total: 1, changedAt: AT, isKept: false }] },
  found: [{ id: H, name: H, total: 1, changedAt: AT, isKept: false }],
  placeOf: () => PLACE,
  requests: { [H]: 1 },
  errors: [{ code: H, method: H, path: H, message: H, lastSeenAt: 1, occurrences: 2 }],
  covers: true,
  playing: {
    at: Date.parse(AT),
    isDue: true,
    state: { is_playing: true, progress_ms: 1, item: { ...TRACK, duration_ms: 9_000 }, device: { name: H } },
  },
  library: {
    ...{ saved: 1, as_of: AT, state: 'waiting', until: AT, reason: H, progress: { done: 1, total: 2 } },
    coverage: { saved: 'partial', playlists: { read: 1, total: 2, unreadable: 1 } },
  },
  kept: [
    { id: H, playlist_id: H, name: H, sql: H, every: 'day', status: 'review', reason: H, preview: PREVIEW },
    {
      id: H,
      playlist_id: H,
      name: H,
      sql: H,
      rule: H,
      every: 'day',
      status: 'paused',
      last_run_at: AT,
      last_result: H,
    },
  ].map((keep) => ({ last_run_at: null, next_run_at: AT, ...keep })),
  ...{ settling: null, history: { name: H, progress: null, problem: H }, unnamed: [H], shown: () => 2 },
  report: {
    ...{ version: H, entries: [ENTRY, { ...ENTRY, part: 'jobs', state: 'warning' }] },
    account: { connected: true, name: H, missingScopes: [H], loginExpiresAt: AT, daysLeft: 1 },
    rateLimits: { requests24h: 1, blocked: [{ scope: H, blockedUntil: AT, reason: H }] },
  },
} as unknown as PageState;

const VERSION = { version: 2, seen_at: AT, total: 1, added: 1, removed: 1 };
const PARTS = [
  { kind: 'songs', rows: [{ title: H, artists: [H], duration_ms: 1 }] },
  { kind: 'duplicates', exact: [H], others: [H], refusal: H },
  {
    kind: 'versions',
    of: { playlist_id: H, name: H, present: true, items: [VERSION] },
    shown: {
      version: 2,
      content: { items: [{ position: 0, name: H, artist: H }] },
      preview: {
        ...{ added_count: 1, removed_count: 0, moved_count: 0, plan: H },
        unsupported: [{ name: H, position: 0, reason: 'local' }],
      },
    },
  },
  { kind: 'keep', asked: { rule: 'fresh', every: 'day' }, preview: { preview: PREVIEW } },
  { kind: 'export' },
] as unknown as PlaylistPart[];

const settling = (facts: object) => ({
  tab: { ...TAB, settling: { job: H } as Tab['settling'] },
  settling: { job: job({}), item: ITEM, done: 1, found: null, near: null, ...facts },
});
const importing = (facts: object, jobs: PageJob[] = []) => ({
  tab: { ...TAB, imported: { ...IMPORTED, ...facts, jobs: jobs.map(() => H) } },
  importJobs: jobs,
});

const VARIANTS: ReadonlyArray<Partial<PageState> | object> = [
  {},
  { view: 'diagnostics' },
  {
    report: {
      ...STATE.report,
      account: { ...STATE.report.account, connected: false, reauthorizationRequired: true },
    },
  },
  {
    report: { ...STATE.report, account: { ...STATE.report.account, connected: false } },
    app: { ...STATE.app, isSet: false },
  },
  ...PARTS.map((part) => ({ tab: { ...TAB, playlist: { id: H, name: H, part } } })),
  settling({}),
  settling({ found: { position: 0, text: H, tracks: [TRACK] } }),
  settling({ near: [ITEM] }),
  settling({ item: null }),
  importing({}),
  importing({ list: 'each', target: 'new' }),
  importing({ lists: [], target: 'new' }),
  ...(['ready', 'completed', 'cancelled', 'failed', 'waiting'] as const).map((status) =>
    importing({}, [job({ status })]),
  ),
  importing({}, [job({ unresolved: 0 }), job({ status: 'completed' })]),
];

test('hostile names in every place of every card stay text', () => {
  let drawn = 0;
  const wrong: string[] = [];
  for (const [index, variant] of VARIANTS.entries()) {
    for (const { id, html } of cardsOf({ ...STATE, ...variant } as PageState)) {
      const at = `${id} of variant ${index}`;
      assert.doesNotMatch(html.safe, /<img src=x|onerror="|<\/script|&amp;lt;/, at);
      // In attributes, which nobody sees, the characters may stay.
      const text = html.safe.replace(/"[^"]*"/g, '');
      for (const [found] of text.matchAll(/.{60}[\u202a-\u202e\u2066-\u2069]/g))
        wrong.push(`${at}: ${found}`);
      drawn += html.safe.split('&lt;img src=x').length - 1;
    }
  }
  assert.deepEqual(wrong, []);
  assert.ok(drawn > 1_000, `${drawn} hostile names were drawn`);
});
