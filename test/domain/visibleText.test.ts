import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  escapedText,
  headerValue,
  visibleJson,
  visibleLine,
  visibleLines,
  visibleText,
} from '../../src/base/visibleText.ts';
import { fitted, widthOf } from '../../src/cli/terminal/textWidth.ts';

test('names of any script, with marks and emoji, stay as they are', () => {
  const names = [
    'Sigur Rós',
    'e\u0301',
    '椎名林檎',
    'Аквариум',
    'فيروز',
    'می\u200cخواهم',
    'नम\u200dस्ते',
    '👩‍🚀 🇩🇪 ❤️',
    'AC/DC "<&>"',
  ];
  for (const name of names) {
    assert.deepEqual([visibleText(name), visibleLine(name), escapedText(name)], [name, name, name]);
    assert.equal(visibleJson(name), JSON.stringify(name));
  }
});

test('control, hidden and direction characters are left out, and a line break becomes a space', () => {
  const cases = [
    ['\u001b]52;c;eA==\u0007x', ']52;c;eA==x'],
    ['a\r\nb\u0085c\u2028d\te', 'a b c d e'],
    ['\u009b31mred', '31mred'],
    ['\u202eabc\u2066\u200e\u061c', 'abc'],
    ['a\u200bb\ufeffc\u{e0041}d\u00ad', 'abcd'],
    ['\ud800a\udc00', '\ufffda\ufffd'],
    [' \n ', ''],
  ] as const;
  for (const [text, shown] of cases) assert.equal(visibleText(text), shown);
  assert.equal(visibleLine('  a\nb '), '  a b ');
  assert.equal(visibleLines('  a\r\n\tb\u001b\n'), '  a \n b\n');
});

test('a long value is cut between characters', () => {
  assert.equal(visibleText('a'.repeat(200)), 'a'.repeat(200));
  assert.equal(visibleText('a'.repeat(201)), `${'a'.repeat(199)}…`);
  assert.equal(visibleText('ab👩‍🚀cdefgh', 6), 'ab…');
  assert.equal(visibleText(`abe\u0301${'x'.repeat(9)}`, 4), 'ab…');
  assert.equal(visibleText(`a${'\u0301'.repeat(10_000)}`, 50).length, 50);
  assert.equal(visibleText('😀'.repeat(300), 10), `${'😀'.repeat(4)}…`);
});

test('JSON is escaped without loss, the log shows what was there, a header is ASCII', () => {
  const text = 'a\u001b\u009b\u202e\u{e0041}\ud800\nb';
  const escaped = '"a\\u001b\\u009b\\u202e\\udb40\\udc41\\ud800\\nb"';
  assert.equal(visibleJson(text), escaped);
  assert.equal(visibleJson([text], 2), `[\n  ${escaped}\n]`);
  assert.equal(JSON.parse(visibleJson(text)), text);
  assert.equal(visibleJson(undefined), 'null');
  assert.equal(escapedText(text), 'a\\x1b\\x9b\\u202e\\u{e0041}\\ud800\\x0ab');
  assert.equal(escapedText('a'.repeat(30), 10), 'aaaaaaaaaa… (30 in all)');
  assert.equal(
    headerValue('http://h/?a=b%20c\r\nset-cookie: é\u009b\ud800'),
    'http://h/?a=b%20c%0D%0Aset-cookie: %C3%A9%C2%9B%EF%BF%BD',
  );
});

test('wide characters take two columns, marks none', () => {
  const cases = [
    ['abc', 3],
    ['é', 1],
    ['e\u0301', 1],
    ['椎名', 4],
    ['👩‍🚀', 2],
    ['🇩🇪', 2],
    ['❤️', 2],
    ['한', 2],
    ['✓ ░', 3],
  ] as const;
  for (const [text, width] of cases) assert.equal(widthOf(text), width, text);
  assert.deepEqual(
    [fitted('abcd', 4), fitted('abcde', 4), fitted('椎名林檎', 6), fitted('a', 0)],
    ['abcd', 'abc…', '椎名…', ''],
  );
});
