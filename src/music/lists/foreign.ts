/** Files that are no list of songs, though some of their lines look like songs: refused by what they are; chats are read with a doubt. */
import { type Field, planColumns } from './columns.ts';
import { refused } from './list.ts';

interface Foreign {
  what: string;
  remedy: string;
  isIt(text: string): boolean;
}

const AS_TEXT = 'Copy the lines with the songs into a text file.';
/** Headers of mails, as programs save and show them: the sender in several languages, and what only mails have. */
const FROM = /^(?:from|von|de|da|van|från|fra|od|от|差出人|发件人)\s?:/imu;
const OF_MAIL =
  /^(?:subject|betreff|objet|asunto|assunto|oggetto|onderwerp|ämne|emne|temat|тема|件名|主题|received|message-id|mime-version|delivered-to|to|cc|date|sent|gesendet)\s?:/imu;
/** A day, or a day with a time as its end: a title beside the ID makes it a song. */
const ADDED =
  /^(?=.*(?:19|20)\d\d).*\d:\d\d(?::\d\d)?(?:\.\d+)?(?:\s?[AaPp]\.?[Mm]\.?)?\s?(?:Z|[A-Z]{3,4}|[+-]\d\d:?\d\d)?$|^[\d./-]{8,10}$/u;

/** Lines of programs and their logs, and "Artist: …" with "Title: …" below. */
const NO_SONGS =
  /^(?:[ \t]*[)}\]]+[;,]?$|[ \t]*(?:\/\/|(?:import|from|export|const|let|var|def|class|function|return|if|for|while|insert into|create table|using|public|private|#include)\b.*[;:{]$)|.{0,60}\d\d:\d\d:\d\d.{0,40}(?:\s\[?(?:INFO|WARN|ERROR|DEBUG)|"(?:GET|POST) )|[ \t-]*(?:artist|performer|interpret|title|song|titel|track)[ \t]*:[ \t]*\S)/gimu;

const FOREIGN: readonly Foreign[] = [
  {
    what: 'a list of the IDs of videos. Video IDs have no titles',
    remedy:
      'Give the file "music library songs.csv" from the same takeout, or open the playlist in TuneMyMusic or Soundiiz and export it as CSV.',
    isIt: areVideoIds,
  },
  {
    what: 'a watch history of YouTube, not a list of songs',
    remedy: 'Give the file "music library songs.csv" or a playlist from the same takeout.',
    isIt: (text) =>
      /"titleUrl"\s*:\s*"https:/u.test(text) ||
      (text.includes('class="outer-cell') && text.includes('youtube.com/watch')),
  },
  {
    what: 'a web page, not a list',
    remedy: 'Copy the songs from the page into a text file, or export the list as CSV.',
    isIt: (text) => /^\s*(?:<\?xml[^>]*>\s*)?<(?:!doctype html|html|head|body|div|table|span)\b/iu.test(text),
  },
  {
    what: 'a document in Rich Text Format (RTF), not plain text',
    remedy: 'Open it and save it as plain text.',
    isIt: (text) => /^\s*\{\\rtf\d/u.test(text),
  },
  {
    what: 'a playlist of AIMP, which only AIMP reads',
    remedy: 'Export it from AIMP as M3U8 or XSPF.',
    isIt: (text) => /^#-{3,}CONTENT-{3,}#$/imu.test(text),
  },
  {
    what: 'a list of albums, not of songs',
    remedy: 'Give a list of songs. To save albums, look each one up in Spotify.',
    isIt: isOfAlbums,
  },
  {
    what: 'the export of a chat, not a list',
    remedy: AS_TEXT,
    isIt: (text) => /^\s*\{[\s\S]*"messages"\s*:\s*\[\s*\{/u.test(text),
  },
  {
    what: 'a program, a log or a text with one name a line, not a list with one song a line',
    remedy: AS_TEXT,
    isIt: (text) =>
      text.startsWith('#!') || (text.match(NO_SONGS)?.length ?? 0) * 2 > (text.match(/\S.*/gu)?.length ?? 0),
  },
  {
    what: 'a mail, not a list',
    remedy: AS_TEXT,
    isIt(text) {
      const [head = ''] = text.trimStart().split(/\n[ \t]*\n/u, 1);
      return FROM.test(head) && OF_MAIL.test(head);
    },
  },
];

/** @throws RelayError `INVALID_ARGUMENT` if the text is something else than a list */
export function refuseForeign(text: string): void {
  // Whole lines, so that none looks different because it is cut off.
  const start = text.slice(0, text.lastIndexOf('\n', 200_000) + 1) || text;
  const found = FOREIGN.find(({ isIt }) => isIt(start));
  if (found) throw refused(`The file is ${found.what}.`, { line: 1, remedy: found.remedy });
}

/** True if the first line is a header that names artist and album, and neither a title nor an address. */
function isOfAlbums(text: string): boolean {
  const [header = ''] = text.trimStart().split('\n', 1);
  const { columns } = planColumns(
    header
      .slice(0, 1_000)
      .replaceAll('"', '')
      .split(/[,;|\t]/u),
  );
  const has = (...fields: readonly Field[]) => fields.some((field) => columns.has(field));
  return (
    !/^[#{[<]/u.test(header) &&
    has('artist', 'albumArtist') &&
    has('album') &&
    !has('title', 'song', 'uri', 'id', 'isrc')
  );
}

/** True if all lines are the ID of a video and a time, after a header in any language. Next to an artist of eleven letters is no time. */
function areVideoIds(text: string): boolean {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const first = lines.findIndex(isVideo);
  return first !== -1 && first < 20 && lines.slice(first).every(isVideo);
}

function isVideo(line: string): boolean {
  if (line.length > 100) return false;
  const cells = line.replaceAll('"', '').split(/[,;\t]/u);
  const isTime = (parts: string[]) => ADDED.test(parts.join(' ').trim());
  const isId = (cell = '') => /^[\w-]{11}$/u.test(cell.trim());
  if (cells.length === 1) return isId(line) && /[\d_-]|[a-z][A-Z]/u.test(line);
  return (isId(cells[0]) && isTime(cells.slice(1))) || (isId(cells.at(-1)) && isTime(cells.slice(0, -1)));
}

export const CHAT =
  'The file is a chat. Messages with a dash or "by" in them look like songs, so check how it was read.';
const DATE = String.raw`\d{1,4}[./-](?:\d{1,2}|[a-z]{3})[./-]\d{1,4}`;
const TIME = String.raw`\d{1,2}[:.]\d\d(?:[:.]\d\d)?(?:\s?[ap]\.?\s?m\.?)?`;
/**
 * Who sent a message, and when: in front of it, as WhatsApp, Signal and IRC write it (group 1), or on a line above it, as Discord,
 * Slack and Telegram do (group 2). A message of the program has no name.
 */
const SENDER = new RegExp(
  [
    String.raw`^\u200e?\[?(?:${DATE},?\s+${TIME}|${TIME},\s+${DATE})(?:\]|\s+[-–](?=\s))\s*(?:([^:\n]{1,60}): |([^\s:]{1,40})$)?`,
    String.raw`^\[\d{1,2}:\d\d\s[ap]m\]\s*((?:(?! - | by )[^:\n]){1,40})(?::\s|$)`,
    String.raw`^\[?${TIME}\]?\s+<([^<>\n]{1,40})>\s+`,
    String.raw`^([^\n]{1,40})(?: [—–-] (?:${DATE},?|today at|yesterday at) ${TIME}|,? \[${DATE},? ${TIME}\]|\s+\d{1,2}:\d\d\s[AP]M)$`,
  ].join('|'),
  'gimu',
);

/** The messages of a chat, a line each; null if fewer than a third of the lines name a sender. */
export function withoutSenders(text: string): string | null {
  const lines = text.split('\n').filter((line) => line.trim() !== '').length;
  const sent = [...text.matchAll(SENDER)].filter(([, ...names]) =>
    names.some((name) => name !== undefined),
  ).length;
  return sent >= 2 && sent * 3 >= lines ? text.replace(SENDER, '') : null;
}
