/** The property list of the launchd agent. Pure. launchd.plist(5), launchctl(1). */
import { posix } from 'node:path';
import { shellText } from './serveCommand.ts';

export const LABEL = 'relay.server';

const MARKER = '<!-- Written by `relay service install`, which replaces it. -->';

export function agentPaths(homeDir: string): { plist: string; log: string } {
  return {
    plist: posix.join(homeDir, 'Library', 'LaunchAgents', `${LABEL}.plist`),
    log: posix.join(homeDir, 'Library', 'Logs', 'relay.log'),
  };
}

/**
 * Returns the whole property list. After every exit code but 0, launchd restarts the server, even if a restart cannot help. So
 * `ThrottleInterval` limits it to two restarts a minute. Without `ProcessType`, launchd would slow down a process that has no
 * window.
 */
export function plistText(command: readonly string[], log: string): string {
  const words = command.map((word) => `    <string>${escaped(word)}</string>`).join('\n');
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
${MARKER}
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>${LABEL}</string>
  <key>ProgramArguments</key>
  <array>
${words}
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
  <string>${escaped(log)}</string>
</dict>
</plist>
`;
}

export function isOurPlist(text: string): boolean {
  return text.includes(MARKER);
}

export function plistCommand(text: string): string | null {
  const [, list] = /<key>ProgramArguments<\/key>\s*<array>(.*?)<\/array>/s.exec(text) ?? [];
  if (list === undefined) return null;
  return shellText([...list.matchAll(/<string>(.*?)<\/string>/gs)].map(([, word = '']) => unescaped(word)));
}

/** Reads the state from the output of `launchctl print gui/UID/LABEL`. */
export function agentState(printed: string): { running: boolean; failed: boolean; pid: number | null } {
  const pid = /^\s*pid = (\d+)$/m.exec(printed)?.[1];
  const lastExit = /^\s*last exit code = (\d+)/m.exec(printed)?.[1];
  const ended = pid === undefined && lastExit !== undefined && lastExit !== '0';
  return { running: pid !== undefined, failed: ended, pid: pid === undefined ? null : Number(pid) };
}

/**
 * True if the output of `launchctl print-disabled gui/UID` names the agent as disabled. Older systems print `true`, newer ones
 * `disabled`.
 */
export function isDisabled(printed: string): boolean {
  return new RegExp(`"${LABEL.replace('.', '\\.')}" => (?:true|disabled)\\b`).test(printed);
}

const ENTITIES: ReadonlyArray<readonly [string, string]> = [
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&quot;'],
];

function escaped(text: string): string {
  return ENTITIES.reduce((all, [letter, entity]) => all.replaceAll(letter, entity), text);
}

function unescaped(text: string): string {
  return ENTITIES.reduceRight((all, [letter, entity]) => all.replaceAll(entity, letter), text);
}
