/** What a person may get wrong. Each wrong input gets one sentence that says so and one remedy, and the exit code 2. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import test from 'node:test';
import { relay, temporaryHome } from '../support/cli.ts';

/** The words after `relay`, and a part of the remedy. */
const WRONG: ReadonlyArray<[words: string[], remedy: RegExp]> = [
  // Commands
  [['statsu'], /Did you mean "status"\?/],
  [['xyzzy'], /See `relay --help`\./],
  [['help', 'xyzzy'], /See `relay --help`\./],
  [['play'], /play is a tool: call it with `relay call play key=value`/],
  [['search'], /search_\w+ is a tool/],
  [['pause', 'now'], /pause is a tool/],
  [['get_devices', '--json=1'], /See `relay --help`\./],
  [['jobs', 'shw'], /Did you mean "show"\?/],
  [['jobs', 'xyzzy'], /It has list, show, fix/],
  [['keep', 'accept', 'X'], /It has list, show, add, run, stop/],
  [['config', 'get', 'port'], /Did you mean|It has list, set, unset/],
  [['clients', 'forget', 'X'], /It has list, add, access, revoke/],
  [['service', 'start'], /Did you mean "restart"\?|It has/],
  [['playlists', 'export'], /It has list, show, versions, restore/],
  [['library', 'select 1'], /It has query/],
  [['browsers'], /See `relay --help`\./],
  [['remembered'], /See `relay --help`\.|remember_track is a tool/],
  // Options
  [['--hom', 'x', 'status'], /Did you mean --home\?/],
  [['--home=', 'status'], /See `relay --help`\./],
  [['serve', '--prot', '1'], /Did you mean --port\?/],
  [['serve', '--port'], /See `relay serve --help`\./],
  [['serve', '--port', '70000'], /Correct it/],
  [['status', '--watch'], /See `relay status --help`\./],
  [['status', 'extra'], /See `relay status --help`\./],
  [['logs', '-n', ''], /See `relay logs --help`\./],
  [['logs', '-n', '1.5'], /See `relay logs --help`\./],
  [['login', '--timeout', 'soon'], /See `relay login --help`\./],
  [['history', '--limit', '0'], /See `relay history --help`\./],
  [['tools', '--markdown'], /See `relay tools --help`\./],
  [['completion'], /See `relay completion --help`\./],
  [['completion', 'tcsh'], /See `relay completion --help`\./],
  // Clients
  [['connect', 'windsrf', '--write'], /Did you mean "windsurf"\?/],
  [['connect', '--remove'], /It is one of claude-code,/],
  [['connect', '--write'], /It is one of claude-code,/],
  [['connect', 'cursor', '--write', '--remove'], /Give one of them\./],
  [['connect', 'claude-desktop', '--key'], /Leave out --key\./],
  [['connect', 'zed', '--skill'], /Name the directory with --skill DIR\./],
  [['connect', 'cursor', '--skill', '--key'], /Leave out --key\./],
  [['clients', 'add', 'X'], /See `relay clients add --help`\./],
  [['clients', 'revoke'], /See `relay clients revoke --help`\./],
  [['key', 'rotate'], /`relay key rotate --yes`/],
  [['stdio', '--access', 'musik'], /See `relay stdio --help`\./],
  // Music
  [['import'], /See `relay import --help`\./],
  [['import', 'https://open.spotify.com/playlist/37i9dQZF1DX0XUsuxWHRQd'], /`relay export PLAYLIST -o FILE`/],
  [['import', 'spotify:playlist:37i9dQZF1DX0XUsuxWHRQd'], /`relay export PLAYLIST -o FILE`/],
  [['import', 'x.csv', '--to', 'A', '--saved'], /See `relay import --help`\./],
  [['import', 'x.csv', '--replace'], /See `relay import --help`\./],
  [['import', 'x.csv', '--new', ' '], /See `relay import --help`\./],
  [['import', 'x.csv', '--format', 'xls'], /See `relay import --help`\./],
  [['export'], /See `relay export --help`\./],
  [['export', 'A', '--saved'], /See `relay export --help`\./],
  [['export', '--all'], /See `relay export --help`\./],
  [['export', '--all', '-o', '-'], /See `relay export --help`\./],
  [['playlists', 'show', 'A', '--at', 'soonish'], /Give the number of a version/],
  [['playlists', 'restore', 'A'], /See `relay playlists restore --help`\./],
  [['keep', 'add', 'A'], /`relay keep add --help` lists the rules\./],
  [['keep', 'add', 'A', '--like', 'nonsense'], /fresh/],
  [['keep', 'add', 'A', 'select 1', '--every', 'minute'], /See `relay keep add --help`\./],
  [['library', 'query', 'what do I hear most?'], /Ask your assistant/],
  [['library', 'query', '-- songs\nselect 1'], /See `relay library query --help`\./],
  [['library', 'query', 'select 1', '--limit', '501'], /See `relay library query --help`\./],
  // Tools and jobs
  [['call'], /See `relay call --help`\./],
  [['tools', 'get_trak'], /Did you mean "get_track"/],
  [['jobs', 'fix', '1f0c', '--take', 'x'], /See `relay jobs fix --help`\./],
  [['jobs', 'fix', '1f0c', '--take', '1=spotify:album:4uLU6hMCjMI75M1A2tKUQC'], /\S/],
  [['jobs', 'fix', '1f0c', '--skip', '0'], /See `relay jobs fix --help`\./],
  [['jobs', 'fix', '1f0c', '--accept-near', '7'], /See `relay jobs fix --help`\./],
  [['jobs', 'resume', '1f0c', '--review', 'maybe'], /See `relay jobs resume --help`\./],
  // Settings and state
  [['config', 'set', 'xyzzy', '1'], /`relay config list` shows all\./],
  [['config', 'set', 'port'], /See `relay config set --help`\./],
  [['config', 'set', 'port', '99999'], /Nothing was changed; give another value\./],
  [['config', 'unset', 'prot'], /Did you mean "port"\?/],
  [['config', 'set', 'mcpApiKey', 'x'], /Set MCP_API_KEY in the environment\./],
  [['config', 'set', 'home', '/x'], /Set RELAY_HOME in the environment\./],
  [['config', 'set', 'providerClientSecret', 'x'], /Set PROVIDER_CLIENT_SECRET in the environment\./],
  [['backup'], /See `relay backup --help`\./],
  [['uninstall'], /`relay uninstall --yes`/],
];

for (const [words, remedy] of WRONG) {
  test(`relay ${words.join(' ')}: one sentence, a remedy, exit 2`, async (context) => {
    const home = temporaryHome(context);
    const env = { HOME: home, RELAY_HOME: join(home, 'relay') };
    const { code, out, err } = await relay(words, { env });
    const [sentence = '', advice = '', ...rest] = err.replace(/^No server is running\. .*\n/, '').split('\n');
    assert.deepEqual([code, out, rest], [2, '', ['']], err);
    assert.match(sentence, /^relay: .*\.$/);
    assert.match(advice, /^ {2}\S/);
    assert.match(advice, remedy);
  });
}
