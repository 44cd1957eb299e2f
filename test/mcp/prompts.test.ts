/** The prompts, as clients of both protocol revisions see them. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Client as OlderClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OlderTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { TOOLS } from '../../src/tools/index.ts';
import { assertNone } from '../support/entries.ts';
import { API_KEY, mcpClient, withRelay } from '../support/world.ts';

type Arguments = Record<string, string>;

const ALL: Array<[name: string, args: Arguments]> = [
  ['make_playlist', { about: 'a rainy evening, called Rain, 20 songs' }],
  ['tidy_playlist', { playlist: 'Morning Ferry, slow songs last' }],
  ['import_list', { list: 'To Morning Ferry:\nOne - A\nTwo - B' }],
  ['what_is_wrong', { problem: 'it is silent' }],
];

const names = (entries: ReadonlyArray<{ name: string }>) => entries.map(({ name }) => name);
const textOf = (answer: { messages: Array<{ content: unknown }> }) =>
  answer.messages.map(({ content }) => (content as { text: string }).text).join();

test('four prompts are listed, with what they ask for', () =>
  withRelay({ connect: false }, async ({ client }) => {
    const { prompts } = await client.listPrompts();
    assert.deepEqual(
      prompts.map(({ name, title, arguments: args = [] }) => [
        name,
        title,
        args.map((one) => `${one.name}${one.required ? '' : '?'}`).join(' '),
      ]),
      [
        ['make_playlist', 'Make a playlist', 'about?'],
        ['tidy_playlist', 'Tidy a playlist', 'playlist?'],
        ['import_list', 'Import a list', 'list?'],
        ['what_is_wrong', 'What is wrong', 'problem?'],
      ],
    );
  }));

for (const [name, args] of ALL) {
  test(`${name} has what was typed, and numbered steps that name only existing tools`, () =>
    withRelay({ connect: false }, async ({ client }) => {
      const answer = await client.getPrompt({ name, arguments: args });
      assert.equal(answer.messages.length, 1);
      assert.equal(answer.messages[0]?.role, 'user');
      const text = textOf(answer);
      for (const value of Object.values(args)) assert.ok(text.includes(value), value);
      assert.doesNotMatch(text, /first word/);
      const steps = text.split('\n').filter((line) => /^\d+\. /.test(line));
      assert.deepEqual(
        steps.map((step) => Number.parseInt(step, 10)),
        steps.map((_, index) => index + 1),
      );
      const fields = ['dry_run', 'next_offset', 'unresolved_only'];
      const named = text.match(/\b[a-z]+(?:_[a-z]+)+\b/g) ?? [];
      const known = names(TOOLS);
      assertNone(named, (word) => !known.includes(word) && !fields.includes(word));
      assert.ok(text.length < 1_800, `${text.length} characters`);
    }));
}

test('a prompt whose argument is missing tells the model to ask for it', () =>
  withRelay({ connect: false }, async ({ client }) => {
    const begins: Array<[name: string, argument: string, text: RegExp]> = [
      [
        'make_playlist',
        'about',
        /^Make a new Spotify playlist for me: ask me what it should be about\.\n\n1\. /,
      ],
      ['tidy_playlist', 'playlist', /^Tidy my Spotify playlist: ask me which one\.\n\n1\. /],
      ['import_list', 'list', /\nAsk me for the list\.\n\n1\. /],
      ['what_is_wrong', 'problem', /^Something does not work with Spotify: find out what\.\n\n1\. /],
    ];
    for (const [name, argument, begin] of begins) {
      const text = textOf(await client.getPrompt({ name }));
      assert.match(text, begin);
      assert.equal(textOf(await client.getPrompt({ name, arguments: { [argument]: ' ' } })), text);
    }
  }));

test('a single word comes with the warning that it may be the first of several', () =>
  withRelay({ connect: false }, async ({ client }) => {
    const about = async (words: string) =>
      textOf(await client.getPrompt({ name: 'make_playlist', arguments: { about: words } }));
    const cut = await about('songs');
    assert.match(
      cut,
      /^Make a new Spotify playlist for me: songs\nSome programs pass on only the first word of what I typed\. If my message shows more words after the name of this command, use all of them\. .*ask me before you do anything\.\n\n1\. /,
    );
    assert.match(await about("'Round midnight"), /for me: 'Round midnight\n\n1\. /);
  }));

test('a prompt is left out if a tool that it needs is not offered', () =>
  withRelay({ connect: false }, async ({ server }) => {
    const listedWith = async (headers: Record<string, string>) => {
      const client = await mcpClient(server.mcpUrl, API_KEY, headers);
      const listed = names((await client.listPrompts()).prompts);
      return { client, listed };
    };
    const reading = await listedWith({ 'X-MCP-Access': 'read' });
    assert.deepEqual(reading.listed, ['what_is_wrong']);
    await assert.rejects(reading.client.getPrompt({ name: 'make_playlist', arguments: { about: 'x' } }), {
      code: -32602,
    });
    await reading.client.close();
  }));

test('an older client lists and gets prompts', () =>
  withRelay({ connect: false, client: false }, async ({ server }) => {
    const client = new OlderClient({ name: 'older', version: '1.0.0' });
    const requestInit = { headers: { authorization: `Bearer ${API_KEY}` } };
    const transport = new OlderTransport(new URL(server.mcpUrl), { requestInit });
    await client.connect(transport as Parameters<OlderClient['connect']>[0]);
    assert.deepEqual(names((await client.listPrompts()).prompts), names(ALL.map(([name]) => ({ name }))));
    const answer = await client.getPrompt({ name: 'tidy_playlist', arguments: { playlist: 'In Rain' } });
    assert.match(textOf(answer), /^Tidy my Spotify playlist: In Rain\n\n1\. Unless I gave a link/);
    await client.close();
  }));
