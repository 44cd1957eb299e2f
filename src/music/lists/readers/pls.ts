import { excerpt, type Row } from '../list.ts';
import { songOfFile, titlesNameArtists } from '../paths.ts';
import { takeAddresses } from '../refs.ts';
import type { Reader } from './reader.ts';

interface Item {
  line: number;
  raw: string;
  file?: string;
  title?: string;
}

/** `[playlist]` with `File1=`, `Title1=` and `Length1=` for each song. */
export const pls: Reader = {
  format: 'pls',
  name: 'PLS playlist',
  looksLike: ({ text }) => /^\s*\[playlist\]\s*$/imu.test(text.slice(0, 1_000)),
  read({ lines }) {
    const items = new Map<number, Item>();
    const others: Row[] = [];
    let name: string | undefined;
    lines.forEach((written, index) => {
      const text = written.trim();
      const row = { line: index + 1, raw: excerpt(text) };
      const [, key = '', number = '', value = ''] = /^([a-z-]+)\s*(\d*)\s*=\s*(.*)$/iu.exec(text) ?? [];
      const field = key.toLowerCase();
      if (number !== '' && (field === 'file' || field === 'title')) {
        const item = items.get(Number(number)) ?? row;
        const raw = item === row ? row.raw : excerpt(`${item.raw}\n${row.raw}`);
        items.set(Number(number), { ...item, raw, [field]: value });
      } else if (field === 'x-gnome-title') name = value;
      else if (text === '') {
        if (index < lines.length - 1) others.push({ ...row, why: 'empty' });
      } else if (!/^\[playlist\]$/iu.test(text) && !/^(?:length|numberofentries|version)$/u.test(field)) {
        others.push({ ...row, why: text.startsWith(';') ? 'comment' : 'not a line of a PLS playlist' });
      }
    });
    const songs = [...items.values()];
    const isWhole = titlesNameArtists(songs.flatMap(({ title = '' }) => title.trim() || []));
    const rows = [...songs.map((item) => rowOf(item, isWhole)), ...others].sort((a, b) => a.line - b.line);
    return { rows, ...(name && { name }) };
  },
};

function rowOf({ line, raw, file = '', title = '' }: Item, isWhole: boolean): Row {
  if (takeAddresses(file).refs.length > 0) return { line, raw, text: title, fields: { uri: file } };
  return { line, raw, ...songOfFile({ title: title.trim(), path: file }, {}, isWhole) };
}
