/** The owner's page without a browser: who gets which answer, and which requests to Spotify an answer takes. */
import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { authorizeUrl, newClient } from '../oauth/clients.ts';
import { type Answer, send } from '../support/http.ts';
import { cardsOf, signIn } from '../support/ownerBrowser.ts';
import { asQuery, misspelled, uniqueTracks } from '../support/songs.ts';
import { type Relay, withRelay } from '../support/world.ts';
import { createJob, itemsOf, reach } from '../work/jobCalls.ts';

const JSON_TYPE = { 'content-type': 'application/json' };

const CALLS: ReadonlyArray<readonly [path: string, body: object]> = [
  ['account/connect', { switchAccount: false }],
  ['account/disconnect', {}],
  ['app/set', { clientId: 'another' }],
  ['browsers/forget', { id: 'x' }],
  ['changes/undo', { change: null, force: false, dryRun: false }],
  ['clients/revoke', { clientId: 'x' }],
  ['clients/setup', { client: 'cursor' }],
  ['covers/choose', { show: false }],
  ['jobs/cancel', { id: 'x' }],
  ['jobs/commit', { ids: ['x'], skipUnresolved: false }],
  ['jobs/resume', { id: 'x', review: null }],
  ['jobs/search', { position: 0, text: 'x' }],
  ['jobs/settle', { id: 'x', fixes: [] }],
  ['player/look', {}],
  ['playlists/read', { after: '' }],
  ['remembered/forget', { key: 'x' }],
  ['sign-out', {}],
];

function ask(
  { baseUrl }: Relay,
  path: string,
  body: object,
  headers: Record<string, string>,
): Promise<Answer> {
  return send(`${baseUrl}/owner/${path}`, {
    method: 'POST',
    headers: { ...JSON_TYPE, ...headers },
    body: JSON.stringify(body),
  });
}

const sendFile = ({ baseUrl }: Relay, proof: Record<string, string>, body: string) =>
  send(`${baseUrl}/owner/import/read`, {
    method: 'POST',
    headers: {
      ...proof,
      'content-type': 'application/octet-stream',
      'x-relay-import': encodeURIComponent(JSON.stringify({ fileName: 'A list ✓.txt' })),
    },
    body,
  });

const NO_LIST =
  'Write one song a line as "Artist - Title". To try anyway, import it in a terminal, with --format txt.';

const isBare = (headers: object) => Object.keys(headers).length === 0;

const cards = ({ baseUrl }: Relay, headers: Record<string, string>) =>
  send(`${baseUrl}/owner/cards?view=home`, { headers });

async function signedIn(relay: Relay): Promise<Record<string, string>> {
  return { 'x-relay-owner': await signIn(relay) };
}

test('without the proof nothing is shown and nothing is done, whatever else a browser sends', () =>
  withRelay({ client: false }, async (relay) => {
    const proof = await signedIn(relay);
    const shown = () => cardsOf(relay, proof);
    const before = await shown();
    const cookie = `relay_form=x; relay.owner=${proof['x-relay-owner']}; x-relay-owner=${proof['x-relay-owner']}`;
    const strangers: Array<readonly [headers: Record<string, string>, status: number]> = [
      [{}, 401],
      [{ cookie, origin: relay.baseUrl, 'sec-fetch-site': 'same-origin' }, 401],
      [{ 'x-relay-owner': 'x'.repeat(43) }, 401],
      // The secret of one origin is useless at another. A page on another port counts as cross-site, or as same-site.
      [{ ...proof, origin: relay.baseUrl.replace('127.0.0.1', 'localhost') }, 401],
      [{ ...proof, 'sec-fetch-site': 'same-site' }, 403],
      [{ ...proof, 'sec-fetch-site': 'cross-site' }, 403],
      [{ ...proof, origin: 'http://127.0.0.1:1' }, 403],
    ];
    for (const [headers, status] of strangers) {
      const read = await cards(relay, headers);
      assert.equal(read.status, status, JSON.stringify(headers));
      // All calls pass one check. So only the request without any headers tries each call; the others try some.
      for (const [path, body] of CALLS.filter((_, index) => isBare(headers) || index % 8 === 1)) {
        assert.equal(
          (await ask(relay, path, body, headers)).status,
          status,
          `${path} ${JSON.stringify(headers)}`,
        );
      }
      const file = { ...headers, 'content-type': 'application/octet-stream', 'x-relay-import': '{}' };
      const imported = await send(`${relay.baseUrl}/owner/import/read`, {
        method: 'POST',
        headers: file,
        body: 'A - B',
      });
      assert.equal(imported.status, status);
    }
    assert.deepEqual(await shown(), before);
    assert.deepEqual(relay.provider.requests, []);
  }));

test('GET / is the same for everyone and names nobody', () =>
  withRelay({ client: false }, async (relay) => {
    const proof = await signedIn(relay);
    const [stranger, owner] = [await send(relay.baseUrl), await send(relay.baseUrl, { headers: proof })];
    assert.equal(stranger.text, owner.text);
    const { name, id } = (await relay.server.local.status()).account;
    for (const secret of [name, id, relay.server.ownerCode, relay.home, 'Account', 'Jobs'])
      assert.ok(secret && !stranger.text.includes(secret), String(secret));
  }));

test('the page tells another client about the API key only if the server accepts the key', async () => {
  const next = async (mode: string) => {
    let text = '';
    await withRelay({ client: false, connect: false, env: { MCP_AUTH_MODE: mode } }, async (relay) => {
      const answer = await ask(relay, 'clients/setup', { client: 'other' }, await signedIn(relay));
      text = JSON.parse(answer.text).setup.next;
    });
    return text;
  };
  const address = 'Add this address as a server with the transport HTTP (Streamable HTTP).';
  assert.equal(await next('oauth'), address);
  assert.equal(
    await next('bearer'),
    `${address} A program that cannot open a browser sends the header "Authorization: Bearer KEY", with the key that \`relay key\` prints.`,
  );
});

test('the page names the home to a client that starts relay as relay connect does, also for the demo', async () => {
  const argsOf = async (demo: boolean) => {
    let got: unknown;
    await withRelay({ client: false, connect: false, demo }, async (relay) => {
      const answer = await ask(relay, 'clients/setup', { client: 'claude-desktop' }, await signedIn(relay));
      const [entry] = Object.values(JSON.parse(JSON.parse(answer.text).setup.snippet).mcpServers);
      const { args } = entry as { args: string[] };
      got = args.slice(args.indexOf('--home')).map((word) => word.replace(relay.home, 'HOME'));
    });
    return got;
  };
  assert.deepEqual(
    [await argsOf(false), await argsOf(true)],
    [
      ['--home', 'HOME', 'stdio', '--access', 'everything'],
      ['--home', 'HOME', 'stdio', '--demo', '--access', 'everything'],
    ],
  );
});

test('client files are looked for in the home of the user, never in the working directory', async () => {
  const name = process.platform === 'win32' ? 'USERPROFILE' : 'HOME';
  for (const home of ['me/here', '']) {
    await withRelay({ client: false, connect: false, clientEnv: { [name]: home } }, async (relay) => {
      const { text } = await ask(relay, 'clients/setup', { client: 'codex' }, await signedIn(relay));
      const { file } = JSON.parse(text).setup as { file: string };
      assert.ok(file.includes(join('.codex', 'config.toml')) && !file.includes('me/here'), file);
      assert.equal(existsSync('me'), false);
    });
  }
});

test('a card is sent once, then only that it has not changed; neither asks Spotify', () =>
  withRelay(async (relay) => {
    const proof = await signedIn(relay);
    await relay.call('get_my_playlists');
    await relay.call('get_playback_state');
    const id = await createJob(relay, 'save_tracks', [{ title: 'No Such Song', artist: 'Nobody' }]);
    await reach(relay, id, 'ready');
    relay.provider.clearRequests();
    await relay.server.local.saveState();
    const read = async (headers: Record<string, string>) =>
      JSON.parse((await cards(relay, headers)).text).cards as Array<{
        hash: string;
        id: string;
        html?: string;
      }>;
    const first = await read(proof);
    assert.ok(first.every(({ html }) => html !== undefined));
    assert.ok(first.find((card) => card.id === 'needs')?.html?.includes(`job-${id}`));
    const again = await read({ ...proof, 'x-relay-has': first.map(({ hash }) => hash).join(' ') });
    assert.ok(again.every(({ html }) => html === undefined));
    assert.deepEqual(relay.provider.requests, []);
  }));

test('all files of the page together have at most 80 KB, and browsers keep them for good', () =>
  withRelay({ client: false }, async (relay) => {
    const page = await send(relay.baseUrl);
    const files = [...page.text.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(([, path]) => path ?? '');
    assert.equal(files.length, 3);
    let bytes = Buffer.byteLength(page.text) + (await cards(relay, await signedIn(relay))).text.length;
    for (const path of files) {
      const file = await send(`${relay.baseUrl}${path}`);
      assert.equal(file.headers['cache-control'], 'public, max-age=31536000, immutable', path);
      // Another program on this port could have made the browser keep any other address.
      const guessed = await send(`${relay.baseUrl}${path.replace(/\?.*/, '?guessed')}`);
      assert.deepEqual([guessed.text, guessed.headers['cache-control']], [file.text, 'no-store']);
      bytes += Buffer.byteLength(file.text);
    }
    assert.ok(bytes <= 80_000, `${bytes} bytes`);
  }));

test('an unknown path is a page to a person and an error to a program', () =>
  withRelay({ client: false, connect: false }, async ({ baseUrl }) => {
    const person = {
      accept: 'text/html,*/*;q=0.8',
      'sec-fetch-mode': 'navigate',
      'sec-fetch-dest': 'document',
    };
    const page = await send(`${baseUrl}/nowhere`, { headers: person });
    assert.deepEqual([page.status, page.headers['content-type']], [404, 'text/html; charset=utf-8']);
    assert.match(page.text, /<h1>There is nothing here<\/h1>/);
    const error = await send(`${baseUrl}/nowhere`, { headers: { accept: 'text/html' } });
    assert.deepEqual([error.status, JSON.parse(error.text).error.code], [404, 'ROUTE_NOT_FOUND']);
  }));

test('a file is previewed, then becomes a job; signing out affects only this browser', () =>
  withRelay({ client: false }, async (relay) => {
    const [proof, other] = [await signedIn(relay), await signedIn(relay)];
    const [track] = relay.provider.catalogue.tracks;
    assert.ok(track);
    assert.equal((await sendFile(relay, proof, `${track.uri}\n`)).status, 200);
    assert.match(`${(await cardsOf(relay, proof)).import}`, /1 song read\. No search is needed/);
    // Another page knows nothing of it.
    assert.match(`${(await cardsOf(relay, other)).import}`, /Drop a list here/);
    const started = await ask(relay, 'import/start', { name: 'From ✓ a file', skipDuplicates: true }, proof);
    assert.equal(started.status, 200, started.text);
    assert.match(`${(await cardsOf(relay, proof)).import}`, /Create <bdi>From ✓ a file<\/bdi>/);

    assert.equal((await ask(relay, 'sign-out', {}, proof)).status, 200);
    assert.deepEqual([(await cards(relay, proof)).status, (await cards(relay, other)).status], [401, 200]);
  }));

test('a choice on the page never overwrites what was decided elsewhere', () =>
  withRelay({}, async (relay) => {
    const proof = await signedIn(relay);
    const [first, second] = uniqueTracks(relay, 2);
    assert.ok(first && second);
    const id = await createJob(relay, 'save_tracks', [first, second].map(misspelled));
    await reach(relay, id, 'ready');
    await relay.call('resume_job', { job_id: id, fixes: [{ position: 0, track_id: first.id }] });
    const fixes = [0, 1].map((position) => ({ position, skip: true }));
    const settled = await ask(relay, 'jobs/settle', { id, fixes }, proof);
    assert.equal(JSON.parse(settled.text).late, 1);
    const statuses = (await itemsOf(relay, id)).map(({ status }) => status);
    assert.deepEqual(statuses, ['matched', 'skipped']);
  }));

test('a file that is not a list says what can be done about it on the page', () =>
  withRelay({ client: false }, async (relay) => {
    const prose =
      'Dear Ovo,\nthank you for the kettle - it works.\nIt is blue\nand round\nand sings\nat night\n';
    const answer = await sendFile(relay, await signedIn(relay), prose);
    assert.deepEqual([answer.status, JSON.parse(answer.text).error.remedy], [400, NO_LIST]);
  }));

const SPOTIFY = { PROVIDER_API_URL: 'https://api.spotify.com/v1' };

/** What the page offers about covers, and the sources of images in its policy. */
async function coversOf(relay: Relay, proof: Record<string, string>): Promise<unknown[]> {
  const policy = String((await send(relay.baseUrl)).headers['content-security-policy']);
  const offers = /(?:Hide|Show) covers/.exec(`${(await cardsOf(relay, proof)).top}`)?.[0];
  return [offers, /img-src ([^;]*);/.exec(policy)?.[1]];
}

test('covers come from Spotify’s image hosts, and are hidden and shown on the page from then on', () =>
  withRelay({ connect: false, client: false, env: SPOTIFY }, async (relay) => {
    const [shown, hidden] = [
      ['Hide covers', "'self' https://*.scdn.co https://*.spotifycdn.com"],
      ['Show covers', "'self'"],
    ];
    const proof = await signedIn(relay);
    assert.deepEqual(await coversOf(relay, proof), shown);
    assert.equal((await ask(relay, 'covers/choose', { show: false }, proof)).status, 200);
    assert.deepEqual(await coversOf(relay, proof), hidden);
    await relay.restart();
    const again = await signedIn(relay);
    assert.deepEqual(await coversOf(relay, again), hidden);
    await ask(relay, 'covers/choose', { show: true }, again);
    // The server does not read the file again for the page.
    writeFileSync(join(relay.home, 'config.json'), '{');
    assert.deepEqual(await coversOf(relay, again), shown);
  }));

test('where RELAY_COVERS decides about covers, the page says so and changes nothing', () =>
  withRelay({ connect: false, client: false, env: { ...SPOTIFY, RELAY_COVERS: 'false' } }, async (relay) => {
    const proof = await signedIn(relay);
    const answer = await ask(relay, 'covers/choose', { show: true }, proof);
    const { error } = JSON.parse(answer.text);
    assert.deepEqual(
      [answer.status, error.message],
      [409, 'The environment variable RELAY_COVERS decides this.'],
    );
    assert.match(error.remedy, /unset the variable and restart relay/);
    assert.deepEqual(await coversOf(relay, proof), ['Show covers', "'self'"]);
  }));

test('remembered matches say which track, who settled it and when; one that is forgotten is searched again', () =>
  withRelay(async (relay) => {
    const proof = await signedIn(relay);
    const card = async () => (await cardsOf(relay, proof, 'diagnostics')).remembered ?? '';
    assert.equal(await card(), '');
    const [mine, chosen, ...learned] = uniqueTracks(relay, 22);
    assert.ok(mine && chosen);
    const code = relay.provider.catalogue.tracks.find(({ isrc }) => isrc)?.isrc;
    const text = `title,artist,isrc\n,,${code}\n,,ZZZZZ9900002\n`;
    await reach(relay, String((await relay.call('import_list', { text, saved: true })).job_id), 'ready');
    const names = { title: 'A name of my own', artist: 'Nobody at all' };
    await relay.call('remember_track', { track_id: mine.uri, ...names, confirm: true });
    const id = await createJob(relay, 'save_tracks', [misspelled(chosen), ...learned.map(asQuery)]);
    await reach(relay, id, 'ready');
    await ask(relay, 'jobs/settle', { id, fixes: [{ position: 0, uri: chosen.uri }] }, proof);

    const drawn = await card();
    const rows = drawn.split('<li').map((row) => row.replace(/<[^>]*>/g, ''));
    assert.match(rows[1] ?? '', new RegExp(`${chosen.name} by .* settled by you, on the page, \\d{4}-`));
    assert.match(rows[2] ?? '', /A name of my own by Nobody at all names differ.* settled by API key, /);
    assert.match(rows[3] ?? '', / settled by relay, automatically, /);
    assert.match(rows.at(-1) ?? '', /Show more \(3\)/);
    await ask(relay, 'view/more', { list: 'remembered' }, proof);
    assert.match(await card(), new RegExp(`<bdi>ISRC ${code}</bdi>`));

    const given = /data-given="([^"]*)" aria-label="Forget: A name of my own/.exec(drawn)?.[1] ?? '';
    const forget = JSON.parse(given.replaceAll('&quot;', '"'));
    assert.equal((await relay.call('find_track_exact', names)).source, 'alias');
    assert.equal((await ask(relay, 'remembered/forget', forget, proof)).status, 200);
    assert.doesNotMatch(await card(), /A name of my own/);
    assert.equal((await relay.call('find_track_exact', names)).status, 'unmatched');
  }));

test('every page of the demo names commands for the demo', () =>
  withRelay({ demo: true, connect: false, client: false }, async ({ baseUrl }) => {
    const client = await newClient(baseUrl);
    const foreign = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' };
    const pages = await Promise.all([
      send(baseUrl),
      send(`${baseUrl}/auth/provider/login`, { headers: foreign }),
      send(`${baseUrl}/auth/provider/callback?state=x&code=y`),
      send(authorizeUrl(baseUrl, { client_id: client.client_id })),
    ]);
    for (const { text } of pages) {
      assert.match(text, /<code>relay --demo \w/);
      assert.doesNotMatch(text, /<code>relay [^-]/);
    }
    // The script begins its own commands with this.
    assert.match(pages[0]?.text ?? '', /data-relay="relay --demo"/);
    assert.match((await send(`${baseUrl}/mcp`, { method: 'POST' })).text, /'relay --demo key'/);
  }));

test('every request for a service worker script gets one that ends the worker, but only under our own host names', () =>
  withRelay({ client: false, connect: false }, async ({ baseUrl }) => {
    const headers = { 'service-worker': 'script' };
    const asked = await send(`${baseUrl}/any/path.js`, { headers });
    assert.deepEqual(
      [asked.status, asked.headers['content-type'], asked.headers['clear-site-data']],
      [200, 'text/javascript; charset=utf-8', '"cache"'],
    );
    assert.equal((await send(`${baseUrl}/any/path.js`)).status, 404);
    assert.equal((await send(`${baseUrl}/`, { headers: { ...headers, host: 'evil.example' } })).status, 403);
  }));
