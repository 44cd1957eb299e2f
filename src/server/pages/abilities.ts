/** What a client can do with the tools that it would be offered, in the words of the approval page. Pure. */
import { capital } from '../../base/lists.ts';
import { groupsOf, type ToolChoice, type ToolGroup } from '../../domain/toolsets.ts';

/** Phrases, each with the groups that have tools for it. */
type Phrases = ReadonlyArray<readonly [phrase: string, groups: readonly ToolGroup[]]>;

const CHANGING: Phrases = [
  ['create, change and empty your playlists', ['playlists', 'jobs', 'extras', 'library_sql']],
  ['delete playlists', ['extras']],
  ['make playlists follow rules', ['library_sql']],
  ['change saved songs', ['library', 'jobs', 'extras']],
  ['control playback', ['playback', 'extras']],
];

/** What changes nothing of the account is named only if there is nothing else to name. */
const CHANGING_MEMORY: Phrases = [['search Spotify and remember which songs you mean', ['catalog']]];

const LISTENING: readonly ToolGroup[] = ['history', 'playback', 'extras', 'library_sql'];

/** Named beside what can be changed: anyone who changes something of the account can also read it. */
const SEEING: Phrases = [['see what you listen to', LISTENING]];

const READING: Phrases = [
  ['your playlists', ['playlists', 'library_sql']],
  ['saved songs', ['library', 'library_sql']],
  ['what you listen to', LISTENING],
];

const READING_OTHERS: Phrases = [
  ["Spotify's catalog", ['catalog', 'extras']],
  ["relay's jobs", ['jobs']],
  ["relay's own state", ['diagnostics']],
];

/** True if a tool of the choice changes something, be it only what relay remembers. */
export function canChange(choice: ToolChoice): boolean {
  return !choice.readOnly && changesOf(choice).length > 0;
}

/** Returns the abilities as one line of text. */
export function abilitiesOf(choice: ToolChoice): string {
  if (canChange(choice)) return capital([...changesOf(choice), ...named(SEEING, choice)].join(', '));
  const read = firstNamed([READING, READING_OTHERS], choice);
  return `Only read: ${read.join(', ').replace(/, (?=[^,]*$)/, ' and ')}`;
}

function changesOf(choice: ToolChoice): string[] {
  return firstNamed([CHANGING, CHANGING_MEMORY], choice);
}

/** The phrases of the first list that has any for the choice. */
function firstNamed(lists: readonly Phrases[], choice: ToolChoice): string[] {
  return lists.map((list) => named(list, choice)).find(({ length }) => length > 0) ?? [];
}

function named(phrases: Phrases, { toolsets }: ToolChoice): string[] {
  const offered = groupsOf(toolsets);
  return phrases.flatMap(([phrase, groups]) =>
    groups.some((group) => offered.includes(group)) ? [phrase] : [],
  );
}
