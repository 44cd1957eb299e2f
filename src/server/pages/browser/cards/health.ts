/** The state of each part of the program, with what to do about a problem. */
import { type App, card, command, soft, withCode } from '../app.ts';
import { type Child, h } from '../dom.ts';
import { short, withLocalTimes } from '../format.ts';

const PART_NAMES: Readonly<Record<string, string>> = {
  server: 'Server',
  account: 'Account',
  key: 'Key',
  database: 'Database',
  mcp: 'MCP',
  rate_limits: 'Limits',
  jobs: 'Jobs',
  errors: 'Errors',
  kept: 'Kept playlists',
};

const STATE_WORDS = { ok: 'fine', warning: 'note', bad: 'bad', off: 'off' } as const;

export function healthCard(app: App): Child {
  return card(
    'health',
    'Health',
    h.dl(
      { class: 'parts' },
      app.state.parts.map((part) =>
        h.div(
          { key: part.part },
          h.dt(
            h.span({ class: `dot ${part.state}`, 'aria-hidden': 'true' }),
            PART_NAMES[part.part] ?? part.part,
          ),
          h.dd(
            h.span({ class: 'hidden-text' }, `${STATE_WORDS[part.state]}: `),
            h.bdi(short(withLocalTimes(part.summary), 300)),
            part.remedy !== null &&
              h.p(
                { class: 'soft' },
                part.remedy.command === null ? withCode(part.remedy.text) : command(app, part.remedy.command),
              ),
          ),
        ),
      ),
    ),
    soft(`relay ${app.state.version}`),
  );
}
