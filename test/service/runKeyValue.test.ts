import assert from 'node:assert/strict';
import test from 'node:test';
import { runKeyManager } from '../../src/service/runKeyManager.ts';
import {
  addArgs,
  isOurData,
  isSameData,
  isSwitchedOff,
  queriedData,
  runValue,
} from '../../src/service/runKeyValue.ts';

const START = 'cmd.exe /d /c start "relay" /min';
const RUN = String.raw`HKCU\Software\Microsoft\Windows\CurrentVersion\Run`;

const VALUES: ReadonlyArray<[command: string[], rest: string]> = [
  [['C:\\relay\\relay.exe', 'serve'], String.raw`C:\relay\relay.exe serve`],
  [['C:\\Program Files\\relay.exe', 'serve'], String.raw`"C:\Program Files\relay.exe" serve`],
  [['C:\\r.exe', '--home', 'D:\\my home\\', 'serve'], String.raw`C:\r.exe --home "D:\my home\\" serve`],
  [['C:\\a & b^\\r.exe', 'serve'], String.raw`"C:\a & b^\r.exe" serve`],
  [['C:\\Jürgen\\音楽\\r.exe', 'serve'], String.raw`"C:\Jürgen\音楽\r.exe" serve`],
  [['C:\\100%\\$x\\r.exe', 'serve'], String.raw`"C:\100%\$x\r.exe" serve`],
];

for (const [command, rest] of VALUES) {
  test(`the Run key value for ${command.join(' ')}`, () => {
    const data = runValue(command);
    assert.equal(data, `${START} ${rest}`);
    assert.deepEqual(addArgs(data), ['add', RUN, '/v', 'relay', '/t', 'REG_SZ', '/d', data, '/f']);
    assert.equal(
      queriedData(
        `\r\n${RUN.replace('HKCU', 'HKEY_CURRENT_USER')}\r\n    relay    REG_SZ    ${data}\r\n\r\n`,
      ),
      data,
    );
    assert.equal(isOurData(data), true);
    assert.equal(isSameData(data, data), true);
  });
}

test('a command that Windows would change or cut is refused', () => {
  assert.throws(() => runValue(['C:\\%PATH%\\r.exe', 'serve']), {
    code: 'SERVICE_FAILED',
    message: /percent/,
  });
  assert.throws(() => runValue(['C:\\r.exe', '--home', 'C:\\a" & calc & "b', 'serve']), {
    code: 'SERVICE_FAILED',
    message: /quotation mark/,
  });
  assert.throws(() => runValue([`C:\\${'a'.repeat(250)}\\r.exe`, 'serve']), {
    code: 'SERVICE_FAILED',
    message: /260/,
  });
});

test('our own value is recognised in any console code page', () => {
  const data = runValue(['C:\\Łukasz Grüße\\r.exe', 'serve']);
  const printed = [
    data.replace('Ł', 'L'),
    data.replace('Ł', '?'),
    data.replace('ü', '\uFFFD'),
    data.replace('ü', '├╝'),
  ];
  assert.deepEqual(
    printed.map((text) => isSameData(text, data)),
    [true, true, true, true],
  );
  const others = [
    data.replace('r.exe', 'rxexe'),
    data.replace('serve', 'serve --demo'),
    `x${data}`,
    data.replace(' ', ''),
  ];
  assert.deepEqual(
    others.map((text) => isSameData(text, data)),
    [false, false, false, false],
  );
});

test('no value and a foreign value with the same name are told apart', () => {
  assert.equal(
    queriedData('ERROR: The system was unable to find the specified registry key or value.'),
    null,
  );
  assert.equal(isOurData('"C:\\Other\\relay.exe"'), false);
});

test('an entry disabled in Task Manager is recognised', () => {
  const printed = (hex: string) => `\r\n    relay    REG_BINARY    ${hex}\r\n`;
  assert.equal(isSwitchedOff(printed('030000006A2D5B9F')), true);
  assert.equal(isSwitchedOff(printed('020000000000000000000000')), false);
  assert.equal(isSwitchedOff('ERROR'), false);
});

test('Windows programs are started by their full path, never from the working directory', async () => {
  const asked: string[] = [];
  const run = async (command: string) => {
    asked.push(command);
    return { ok: false, out: '', err: '' };
  };
  const machine = { program: ['C:\\r.exe'], homeDir: 'C:\\Users\\me', uid: null, run };
  const facts = {
    platform: 'win32',
    machine,
    command: ['C:\\r.exe', 'serve'],
    sleep: async () => {},
  } as const;
  await runKeyManager({ ...facts, env: { SystemRoot: 'D:\\Windows' } }).find();
  await runKeyManager({ ...facts, env: {} }).find();
  assert.deepEqual([...new Set(asked)], ['D:\\Windows\\System32\\reg.exe', 'C:\\Windows\\System32\\reg.exe']);
});
