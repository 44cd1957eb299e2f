/**
 * Five everyday tasks, each in its own conversation, first through MCP, then through the skill. With MCP the model pays for the
 * list of tools; with the skill for its text, its commands and their output. Each task has to succeed.
 */
import { shellWord } from '../../src/base/childProcess.ts';
import { SKILL_DESCRIPTION, skillText } from '../../src/cli/connect/skillText.ts';
import { SKILL_NAME } from '../../src/connect/skillPlaces.ts';
import { relay as cli } from '../../test/support/cli.ts';
import { ENCRYPTION_KEY, type Relay } from '../../test/support/world.ts';
import type { Answer } from './model.ts';
import { expect, ownPlaylist, songsOf } from './tasks.ts';
import { tokensOf } from './tokens.ts';
import { toolListSizes } from './toolList.ts';

export interface Costs {
  mcp: number;
  skill: number;
}

/** A call, through MCP or the skill. */
type Call = (tool: string, args?: Record<string, unknown>) => Promise<Answer>;

interface Task {
  request: string;
  play(call: Call, relay: Relay): Promise<void>;
  /** Throws unless the account is as the person asked. */
  verify(relay: Relay, answers: readonly Answer[]): void;
}

const TASKS: readonly Task[] = [
  {
    request: 'what is playing',
    play: async (call) => void (await call('get_currently_playing')),
    verify(_, [answer]) {
      expect(answer?.playing === true && typeof (answer.item as Answer).name === 'string', answer);
    },
  },
  {
    request: 'rename a playlist',
    async play(call) {
      const { matches } = await call('find_playlist_by_name', { name: 'Running, Badly' });
      const playlist_id = (matches as Answer[])[0]?.id;
      await call('update_playlist_details', { playlist_id, name: 'Running, Well' });
    },
    verify: (relay) => void ownPlaylist(relay, 'Running, Well'),
  },
  {
    request: 'make a playlist of these 30 songs',
    async play(call, relay) {
      const tracks = songsOf(relay, 30).map(({ song }) => song);
      await call('create_playlist_from_tracks', { name: 'Thirty', tracks });
    },
    verify(relay) {
      const wanted = songsOf(relay, 30).map(({ track }) => track.uri);
      const found = ownPlaylist(relay, 'Thirty').rows.map(({ uri }) => uri);
      expect(JSON.stringify(found) === JSON.stringify(wanted), found);
    },
  },
  {
    request: 'what did I listen to most',
    play: async (call) => void (await call('get_top_tracks')),
    verify: (_, [answer]) => expect((answer?.items as unknown[] | undefined)?.length === 20, answer),
  },
  {
    request: 'turn it down on the kitchen speaker',
    async play(call) {
      const { devices } = await call('get_devices');
      const speaker = (devices as Answer[]).find(({ name }) => name === 'Kitchen Speaker');
      await call('set_volume', { volume_percent: 20, device_id: speaker?.id });
    },
    verify({ provider }) {
      const speaker = provider.accounts[0]?.devices.find(({ name }) => name === 'Kitchen Speaker');
      expect(speaker?.volumePercent === 20, speaker);
    },
  },
];

/** Counts the tokens of the part of the skill that a model always sees. */
export function idleTokens(): number {
  return tokensOf(`${SKILL_NAME}: ${SKILL_DESCRIPTION}`);
}

/**
 * @param fresh runs its work with a fresh demo account, since each task is played twice
 */
export async function playSkillTasks(
  fresh: (work: (relay: Relay) => Promise<void>) => Promise<void>,
): Promise<Record<string, Costs>> {
  const costs: Record<string, Costs> = {};
  for (const { request } of TASKS) costs[request] = { mcp: 0, skill: 0 };
  for (const way of ['mcp', 'skill'] as const) {
    await fresh(async (relay) => {
      await relay.call('play');
      for (const { request, play, verify } of TASKS) {
        const answers: Answer[] = [];
        let tokens = way === 'mcp' ? toolListSizes().asked : idleTokens() + tokensOf(bodyOf());
        const through = way === 'mcp' ? throughMcp : throughSkill;
        await play(async (tool, args = {}) => {
          const { paid, answer } = await through(relay, tool, args);
          tokens += paid;
          answers.push(answer);
          return answer;
        }, relay);
        verify(relay, answers);
        (costs[request] as Costs)[way] = tokens;
      }
    });
  }
  return costs;
}

/** Returns the skill's text without the part that a model always sees. */
function bodyOf(): string {
  return skillText({ home: undefined, platform: 'linux' }).replace(/^---\n[\s\S]*?\n---\n/, '');
}

interface Paid {
  paid: number;
  answer: Answer;
}

async function throughMcp(relay: Relay, name: string, args: Record<string, unknown>): Promise<Paid> {
  const { content, structuredContent } = await relay.client.callTool({ name, arguments: args });
  const text = (content as Array<{ text?: string }>).map((part) => part.text ?? '').join('\n');
  return {
    paid: tokensOf(name) + tokensOf(args) + tokensOf(text),
    answer: good(structuredContent as Answer),
  };
}

async function throughSkill(relay: Relay, tool: string, args: Record<string, unknown>): Promise<Paid> {
  const words = Object.entries(args).map(
    ([name, value]) => `${name}=${typeof value === 'object' ? JSON.stringify(value) : String(value)}`,
  );
  const command = ['relay', 'call', tool, ...words.map(shellWord)].join(' ');
  const env = { RELAY_HOME: relay.home, RELAY_ENCRYPTION_KEY: ENCRYPTION_KEY };
  const { code, out, err } = await cli(['call', tool, ...words], { env });
  expect(code === 0, err);
  return { paid: tokensOf(command) + tokensOf(out), answer: good(JSON.parse(out) as Answer) };
}

function good(answer: Answer): Answer {
  expect(answer.error === undefined, answer.error);
  return answer;
}
