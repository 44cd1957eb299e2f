/** MCP clients: how to connect one, and those that the owner has approved. */
import { capital } from '../../../../base/lists.ts';
import { LEVEL_WORDS, LEVELS, type Level } from '../../../../domain/access.ts';
import type { PageClient } from '../../../../domain/ownerPage.ts';
import { type App, button, card, copyButton, entry, list, name, shortened, soft, withCode } from '../app.ts';
import { type Child, h } from '../dom.ts';
import { fromNow, number } from '../format.ts';
import { ask } from '../session.ts';

/** Number of clients to show until the person asks for the others. */
const CLIENTS_SHOWN = 10;

export function clientsCard(app: App): Child {
  const rows = app.state.clients.map((client) => clientRow(app, client));
  return card(
    'clients',
    'AI clients',
    list(
      shortened(app, rows, {
        key: 'clients',
        shown: CLIENTS_SHOWN,
        text: `Show all ${number(rows.length)} clients`,
      }),
      'No client is approved yet.',
    ),
    setupPart(app),
  );
}

function clientRow(app: App, client: PageClient): Child {
  const { clientId, name: text, access } = client;
  const change = (event: Event) => {
    const level = (event.target as HTMLSelectElement).value as Level;
    const done = `${text} has the access "${LEVEL_WORDS[level].name}" from its next request on.`;
    app.act(`access ${clientId}`, () => ask('clients/access', { clientId, level }), done);
  };
  return entry(
    clientId,
    [
      h.p(name(text)),
      soft(useOf(client)),
      h.label(
        { class: 'row' },
        'May',
        h.select(
          { value: access, onchange: change, 'aria-label': `What ${text} may do` },
          LEVELS.map((level) =>
            h.option({ key: level, value: level, title: LEVEL_WORDS[level].means }, LEVEL_WORDS[level].name),
          ),
        ),
      ),
    ],
    button(app, `revoke ${clientId}`, 'Revoke', () => ask('clients/revoke', { clientId }), {
      about: text,
      confirm: 'Revoke now',
      done: 'Its access has ended.',
      kind: 'quiet',
    }),
  );
}

/** A use before the approval belongs to an earlier approval, which has ended. */
function useOf({ lastUsedAt, approvedAt }: PageClient): string {
  const approved = approvedAt === null ? '' : `Approved ${fromNow(approvedAt)}, `;
  const isUsed = lastUsedAt !== null && (approvedAt === null || lastUsedAt >= approvedAt);
  const text = `${approved}${isUsed ? `used ${fromNow(lastUsedAt)}` : 'not used since'}`;
  return capital(text);
}

function setupPart(app: App): Child {
  const { state, doing } = app;
  const { setup } = doing;
  const choose = (event: Event) => {
    const client = (event.target as HTMLSelectElement).value;
    if (client === '') return app.set({ setup: null });
    app.act('setup', async () => {
      doing.setup = await ask('clients/setup', { client });
    });
  };
  return h.div(
    { class: 'setup' },
    h.p(
      { class: 'address' },
      h.span({ class: 'soft aside' }, 'MCP address '),
      h.code(state.mcpUrl),
      copyButton(app, state.mcpUrl, 'MCP address'),
    ),
    h.label({ for: 'setup-client' }, 'Connect a client'),
    h.select(
      { id: 'setup-client', value: setup?.id ?? '', onchange: choose },
      h.option({ value: '', key: '' }, 'Choose one …'),
      [...state.setups, { id: 'other', name: 'Another client' }].map(({ id, name: text }) =>
        h.option({ key: id, value: id }, text),
      ),
    ),
    setup !== null && [
      setup.command !== null && [
        h.p('Run this in a terminal:'),
        copyBlock(app, setup.command, 'command'),
        h.p('Or add this to its file ', h.code(setup.file), ':'),
      ],
      setup.command === null && setup.file !== '' && h.p('Add this to ', h.code(setup.file), ':'),
      copyBlock(app, setup.snippet, 'configuration'),
      h.p(withCode(setup.next, '`')),
      soft('When the client asks, this browser opens a page with Approve and Deny.'),
    ],
  );
}

function copyBlock(app: App, text: string, what: string): Child {
  return h.div({ class: 'block', key: what }, copyButton(app, text, what), h.pre(h.code(text)));
}
