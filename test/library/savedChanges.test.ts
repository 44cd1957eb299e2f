import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Track } from '../../src/domain/shapes.ts';
import { findSavedChanges, type SavedPage } from '../../src/library/savedChanges.ts';
import { at, pluck } from '../support/entries.ts';
import { seeded } from '../support/seeded.ts';

interface Row {
  uri: string;
  added_at: string;
}

function pageOf(list: readonly Row[], limit: number, offset: number): SavedPage {
  const rows = list
    .slice(offset, offset + limit)
    .map(({ uri, added_at }) => ({ added_at, media: { uri } as Track }));
  return { total: list.length, rows };
}

test('any mix of new, removed and moved tracks is found, whether all of the list was known or only its beginning', async () => {
  for (let seed = 0; seed < 300; seed++) {
    const random = seeded(seed * 104_729);
    const below = (count: number) => Math.floor(random() * count);
    const size = below(random() < 0.2 ? 2_000 : 400);
    const list: Row[] = Array.from({ length: size }, (_, index) => ({
      uri: `u${index}`,
      added_at: `t${index}`,
    }));
    // Spotify may show two tracks under the same ID, saved in the same second.
    const hasTwins = size > 10 && random() < 0.3;
    if (hasTwins) for (let twin = 0; twin < 3; twin++) list[below(size)] = { ...at(list, below(size)) };
    const isWhole = random() < 0.7;
    const known = isWhole ? [...list] : list.slice(0, below(size + 1));
    for (let change = below(8); change > 0; change--) {
      const kind = random();
      if (kind < 0.4 && list.length > 0) list.splice(below(list.length), 1 + below(random() < 0.3 ? 60 : 2));
      else if (kind < 0.5 && list.length > 0) {
        const [again] = list.splice(below(list.length), 1);
        list.unshift({ uri: again?.uri ?? '', added_at: `a${seed}-${change}` });
      } else
        list.unshift(
          ...Array.from({ length: 1 + below(random() < 0.2 ? 120 : 3) }, (_, index) => ({
            uri: `n${change}-${index}`,
            added_at: `n${change}`,
          })),
        );
    }
    let requests = 0;
    const found = await findSavedChanges(known, isWhole, async (offset, limit) => {
      requests += 1;
      return pageOf(list, random() < 0.05 ? Math.max(1, limit >> 1) : limit, offset);
    });
    assert.ok(found !== 'moving', `seed ${seed}`);
    // If no known row is where the known part should end, the whole list has to be read again.
    if (found === 'unlike') {
      assert.ok(!isWhole || hasTwins, `seed ${seed}`);
      continue;
    }
    const rows = found.rows.map(({ uri }) => uri);
    assert.deepEqual(rows, pluck(list.slice(0, rows.length), 'uri'), `seed ${seed}`);
    if (isWhole) assert.equal(rows.length, list.length, `seed ${seed}`);
    assert.equal(found.total, list.length);
    assert.ok(requests <= 4 + list.length / 8, `seed ${seed}: ${requests} requests for ${list.length} rows`);
  }
});

test('one removal among 5,000 saved tracks is found with at most eight requests, and an unchanged list needs one request', async () => {
  const list = Array.from({ length: 5_000 }, (_, index) => ({ uri: `u${index}`, added_at: `t${index}` }));
  let most = 0;
  for (let gone = 0; gone < list.length; gone += 370) {
    const now = list.filter((_, index) => index !== gone);
    let requests = 0;
    const found = await findSavedChanges(list, true, async (offset, limit) => {
      requests += 1;
      return pageOf(now, limit, offset);
    });
    assert.ok(typeof found === 'object');
    assert.deepEqual(found.rows.length, 4_999);
    most = Math.max(most, requests);
  }
  assert.equal(most, 8);
  let requests = 0;
  await findSavedChanges(list, true, async (offset, limit) => {
    requests += 1;
    return pageOf(list, limit, offset);
  });
  assert.equal(requests, 1);
});

test('a list that changes while it is read is reported as moving', async () => {
  const list = Array.from({ length: 500 }, (_, index) => ({ uri: `u${index}`, added_at: `t${index}` }));
  let now = list.slice(1, 400);
  const found = await findSavedChanges(list, true, async (offset, limit) => {
    const page = pageOf(now, limit, offset);
    now = now.slice(0, -1);
    return page;
  });
  assert.equal(found, 'moving');
});
