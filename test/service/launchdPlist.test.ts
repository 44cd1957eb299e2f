import assert from 'node:assert/strict';
import test from 'node:test';
import {
  agentPaths,
  agentState,
  isDisabled,
  isOurPlist,
  plistCommand,
  plistText,
} from '../../src/service/launchdPlist.ts';

const COMMAND = ['/Users/me/R&D <1>/relay', '--home', `/Users/me/it's "my" $HOME %h \\ Grüße`, 'serve'];

test('the property list has the form that launchd reads', () => {
  assert.equal(
    plistText(COMMAND, '/Users/me/Library/Logs/relay.log'),
    `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<!-- Written by \`relay service install\`, which replaces it. -->
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>relay.server</string>
  <key>ProgramArguments</key>
  <array>
    <string>/Users/me/R&amp;D &lt;1&gt;/relay</string>
    <string>--home</string>
    <string>/Users/me/it's &quot;my&quot; $HOME %h \\ Grüße</string>
    <string>serve</string>
  </array>
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <dict>
    <key>SuccessfulExit</key>
    <false/>
  </dict>
  <key>ThrottleInterval</key>
  <integer>30</integer>
  <key>ExitTimeOut</key>
  <integer>60</integer>
  <key>ProcessType</key>
  <string>Interactive</string>
  <key>StandardErrorPath</key>
  <string>/Users/me/Library/Logs/relay.log</string>
</dict>
</plist>
`,
  );
});

test('the command is read back from the property list, quoted for a shell', () => {
  const text = plistText(COMMAND, '/log');
  const [program, flag, home, verb] = COMMAND;
  assert.equal(plistCommand(text), `'${program}' ${flag} '${home?.replace("'", String.raw`'\''`)}' ${verb}`);
  assert.equal(plistCommand(plistText(['/opt/relay', 'serve'], '/log')), '/opt/relay serve');
  assert.equal(plistCommand('<plist/>'), null);
});

test('the plist path, the log path, and the marker of our own plist', () => {
  assert.deepEqual(agentPaths('/Users/me'), {
    plist: '/Users/me/Library/LaunchAgents/relay.server.plist',
    log: '/Users/me/Library/Logs/relay.log',
  });
  assert.deepEqual([plistText([], ''), '<plist/>', ''].map(isOurPlist), [true, false, false]);
});

test('the output of launchctl print is read', () => {
  for (const [printed, state] of [
    [
      'gui/501/relay.server = {\n\tstate = running\n\tpid = 42\n\tlast exit code = 1\n}',
      { running: true, failed: false, pid: 42 },
    ],
    ['\tstate = spawn scheduled\n\tlast exit code = 2\n', { running: false, failed: true, pid: null }],
    ['\tstate = not running\n\tlast exit code = 0\n', { running: false, failed: false, pid: null }],
    ['\tlast exit code = (never exited)\n', { running: false, failed: false, pid: null }],
  ] as const) {
    assert.deepEqual(agentState(printed), state, printed);
  }
});

test('a disabled agent is recognised on older and newer systems', () => {
  const words = ['true', 'disabled', 'false', 'enabled'].map((word) => `\t\t"relay.server" => ${word}\n`);
  assert.deepEqual(words.map(isDisabled), [true, true, false, false]);
  assert.equal(isDisabled('\t\t"relayXserver" => disabled\n'), false);
});
