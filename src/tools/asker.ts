/** Who asks for a write, in the words that are stored with it. */
import { visibleText } from '../base/visibleText.ts';
import { COMMAND_LINE } from '../domain/localApi.ts';
import type { Call } from '../provider/api.ts';
import { getClient } from '../store/tables/oauth.ts';
import type { Services } from './tool.ts';

const MAX_NAME = 60;

/**
 * The approved client by its name, a client of `relay stdio` by the name that it gives; otherwise `API key`, `command line`,
 * `owner page`.
 */
export function askerOf({ store }: Pick<Services, 'store'>, { by = '' }: Pick<Call, 'by'>): string {
  const [, kind, given] = /^(client|stdio) (.+)$/s.exec(by) ?? [];
  const name = kind === 'client' ? getClient(store, given ?? '')?.name : given;
  return (name && visibleText(name, MAX_NAME)) || (WORDS[kind ?? by] ?? 'relay');
}

const WORDS: Readonly<Record<string, string>> = {
  client: 'a client',
  stdio: 'relay stdio',
  page: 'owner page',
  'api-key': 'API key',
  [COMMAND_LINE]: 'command line',
};
