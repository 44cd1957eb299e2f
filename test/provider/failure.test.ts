import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ProviderRequest } from '../../src/provider/api.ts';
import { failureOf, readFailureBody } from '../../src/provider/http/failure.ts';

const request = (
  template: string,
  scope: ProviderRequest['scope'],
  method: ProviderRequest['method'] = 'GET',
) => ({
  method,
  path: template,
  template,
  scope,
});
const playlist = request('/playlists/{id}/items', 'playlists.read');
const write = request('/playlists/{id}/items', 'playlists.write', 'POST');
const player = request('/me/player/play', 'player', 'PUT');
const track = request('/tracks/{id}', 'tracks');

type Failure = [status: number, text: string];
const api = (status: number, message: string, reason?: string): Failure => [
  status,
  JSON.stringify({ error: { status, message, ...(reason ? { reason } : {}) } }),
];
const command = (status: number, message: string, reason?: string) =>
  api(status, `Player command failed: ${message}`, reason);

const rows: Array<[what: string, request: ProviderRequest, failure: Failure, code: string]> = [
  ['a foreign playlist', playlist, api(403, 'Forbidden'), 'FORBIDDEN'],
  ['a removed endpoint', track, api(403, 'Forbidden'), 'FORBIDDEN'],
  ['a missing scope', playlist, api(403, 'Insufficient client scope'), 'SCOPE_MISSING'],
  [
    'an app owner without Premium, in plain text',
    track,
    [
      403,
      'Active premium subscription required for the owner of the app. When the subscription status changes, it can take a few hours.',
    ],
    'APP_OWNER_PREMIUM_REQUIRED',
  ],
  [
    'an unregistered user, in plain text',
    track,
    [403, 'Check settings on developer.spotify.com/dashboard, the user may not be registered.'],
    'USER_NOT_REGISTERED',
  ],
  ['the older text', track, [403, 'User not registered in the Developer Dashboard'], 'USER_NOT_REGISTERED'],
  ['a free account', player, command(403, 'Premium required', 'PREMIUM_REQUIRED'), 'PREMIUM_REQUIRED'],
  ['a free account, no reason', player, command(403, 'Premium required'), 'PREMIUM_REQUIRED'],
  ['a restriction', player, command(403, 'Restriction violated', 'UNKNOWN'), 'RESTRICTION_VIOLATED'],
  ['an old reason', player, api(403, 'x', 'ALREADY_PAUSED'), 'RESTRICTION_VIOLATED'],
  ['a restricted device', player, command(403, 'Restricted device'), 'DEVICE_RESTRICTED'],
  [
    'a fixed volume',
    player,
    command(403, 'Cannot control device volume', 'VOLUME_CONTROL_DISALLOW'),
    'VOLUME_NOT_SUPPORTED',
  ],
  ['no device', player, command(404, 'No active device found', 'NO_ACTIVE_DEVICE'), 'NO_ACTIVE_DEVICE'],
  ['no device, no reason', player, command(404, 'No active device found'), 'NO_ACTIVE_DEVICE'],
  ['an unknown device', player, api(404, 'Device not found'), 'DEVICE_NOT_FOUND'],
  ['an unknown track', track, api(404, 'Resource not found'), 'NOT_FOUND'],
  ['a malformed ID', track, api(400, 'Invalid base62 id'), 'INVALID_ARGUMENT'],
  ['a body that is too large', write, api(413, 'Payload too large'), 'INVALID_ARGUMENT'],
  ["a proxy's page", track, [400, '<html>nginx</html>'], 'PROVIDER_INVALID_RESPONSE'],
  ["a proxy's words", track, [400, 'Bad request'], 'PROVIDER_INVALID_RESPONSE'],
  ["a proxy's 403", playlist, [403, '<html>Blocked: premium required</html>'], 'PROVIDER_INVALID_RESPONSE'],
  ["a proxy's 404", track, [404, '\n<!doctype html>'], 'PROVIDER_INVALID_RESPONSE'],
  ["a proxy's 413", write, [413, '<html>'], 'PROVIDER_INVALID_RESPONSE'],
  ['a block by law', track, api(451, 'Blocked'), 'PROVIDER_INVALID_RESPONSE'],
  ['a joke', write, [418, ''], 'PROVIDER_INVALID_RESPONSE'],
  ['an answer without news', track, [304, ''], 'PROVIDER_INVALID_RESPONSE'],
  ['a gateway error', track, [502, 'Bad gateway.'], 'PROVIDER_UNAVAILABLE'],
  ['a gateway time-out', track, [504, ''], 'PROVIDER_TIMEOUT'],
  ['a server error on a write', write, api(500, 'Server error.'), 'PROVIDER_UNAVAILABLE'],
];

for (const [what, of, [status, text], code] of rows) {
  test(`${what} (${status}) is ${code} with a remedy`, () => {
    const error = failureOf(of, status, readFailureBody(text));
    assert.equal(error.code, code);
    assert.ok((error.remedy ?? '').length > 15, `remedy: ${error.remedy}`);
    assert.equal(error.details?.status, status);
    assert.doesNotMatch(error.message, /</);
    if (code === 'PROVIDER_INVALID_RESPONSE') assert.match(error.message, new RegExp(`\\(${status}\\)`));
  });
}

test('what Spotify refuses for no known reason is answered with what the status shows', () => {
  assert.equal(
    failureOf(track, 403, readFailureBody(api(403, 'Forbidden')[1])).remedy,
    'Run `relay status` to see which account is connected, and permissions that it lacks.',
  );
});

test('a failed write says that it may have taken effect, a failed read does not', () => {
  assert.match(failureOf(write, 502, readFailureBody('')).remedy ?? '', /may or may not/);
  assert.doesNotMatch(failureOf(track, 502, readFailureBody('')).remedy ?? '', /may or may not/);
});

test('error bodies are read in every form', () => {
  assert.deepEqual(readFailureBody(api(429, 'Too many requests', 'QUOTA_EXCEEDED')[1]), {
    message: 'Too many requests',
    reason: 'QUOTA_EXCEEDED',
    form: 'api',
  });
  assert.deepEqual(readFailureBody('{"error":"invalid_grant","error_description":"Refresh token expired"}'), {
    message: 'Refresh token expired',
    reason: 'invalid_grant',
    form: 'other',
  });
  assert.deepEqual(readFailureBody('400: Authorization: Bearer a-token', ['a-token', '']), {
    message: '400: Authorization: Bearer …',
    reason: null,
    form: 'other',
  });
  // Only a code is a reason: words may quote what was sent.
  assert.deepEqual(readFailureBody('{"error":"No such query: secret words"}'), {
    message: 'No such query: secret words',
    reason: null,
    form: 'other',
  });
  assert.deepEqual(readFailureBody(api(403, 'No', 'No rights for secret words')[1]), {
    message: 'No',
    reason: null,
    form: 'api',
  });
  assert.deepEqual(readFailureBody(' plain words '), {
    message: 'plain words',
    reason: null,
    form: 'other',
  });
  assert.deepEqual(readFailureBody(''), { message: '', reason: null, form: 'other' });
  assert.deepEqual(readFailureBody(' <html>token'), { message: '', reason: null, form: 'page' });
  assert.deepEqual(readFailureBody('null'), { message: '', reason: null, form: 'other' });
});

test('what the provider says of a failure is one short, visible line, in whatever form it comes', () => {
  const nasty = `\u001b]52;c;x\u0007Nothing\u202egnihton\u{e0041}\r\nauthorization: x ${'y'.repeat(70_000)}`;
  const forms = [
    JSON.stringify({ error: { status: 400, message: nasty, reason: nasty } }),
    JSON.stringify({ error: nasty, error_description: nasty }),
    JSON.stringify({ error: nasty }),
    JSON.stringify({ error_description: nasty }),
    nasty,
  ];
  for (const form of forms) {
    const { message, reason } = readFailureBody(form);
    for (const text of [message, reason ?? '']) {
      assert.ok(text.length <= 300, `${text.length}`);
      assert.doesNotMatch(text, /[\p{Cc}\p{Cf}]/u);
    }
    assert.match(message, /^\]52;c;xNothing/);
  }
});
