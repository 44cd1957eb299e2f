/** AI clients: those that the owner has approved, with their access, and how to connect one. */
import { LEVEL_WORDS, LEVELS } from '../../../domain/access.ts';
import type { ClientSummary } from '../../../domain/localApi.ts';
import type { PageState } from '../../owner/pageState.ts';
import { shownName } from '../approve.ts';
import { type Html, html, type Value } from '../html.ts';
import { block, button, card, command, entry, list, name, shortened, soft, when } from '../parts.ts';

export function clientsCard(state: PageState): Html {
  const rows = state.clients.map(clientRow);
  return card(
    'clients',
    'AI clients',
    list(shortened(rows, state.shown('clients'), 'clients', 'clients'), 'No client is approved yet.'),
    setupPart(state),
  );
}

function clientRow(client: ClientSummary): Html {
  const { clientId } = client;
  const text = shownName(client);
  const about = [
    html`<p><strong>${name(text)}</strong> ${accessPart(client, text)}</p>`,
    soft(useOf(client)),
  ];
  const revoke = button('Revoke', 'clients/revoke', { clientId }, { about: text, sure: 'Revoke now' });
  return entry(`client-${clientId}`, about, revoke);
}

/** What the client may do, and the choice of another level. */
function accessPart({ clientId, approvals }: ClientSummary, text: string): Html {
  const now = approvals.at(-1)?.access;
  const options = LEVELS.map((level) => {
    const { name: called, means } = LEVEL_WORDS[level];
    return html`<option value="${level}"${level === now && html` selected`} title="${means}">${called}</option>`;
  });
  return html`<select name="level" data-call="clients/access" data-given="${JSON.stringify({ clientId })}" aria-label="What ${text} may do">${options}</select>`;
}

/** A use before the approval belongs to an earlier approval, which has ended. Times count to the minute. */
function useOf({ lastUsedAt, approvals }: ClientSummary): Value[] {
  const approvedAt = minuteOf(approvals.at(-1)?.approvedAt ?? null);
  const usedAt = minuteOf(lastUsedAt);
  const isUsed = usedAt !== null && (approvedAt === null || usedAt >= approvedAt);
  return [
    isUsed && usedAt !== null ? ['Used ', when(usedAt)] : 'Not used yet',
    approvedAt !== null && [' · approved ', when(approvedAt, 'date')],
  ];
}

/** A use in each minute should not draw the card again each second. */
function minuteOf(time: string | null): string | null {
  return time === null ? null : `${time.slice(0, 16)}Z`;
}

function setupPart({ mcpUrl, setups, tab: { setup } }: PageState): Html {
  const option = (id: string, text: string) =>
    html`<option value="${id}"${id === (setup?.id ?? '') && html` selected`}>${text}</option>`;
  return html`<div class="setup"><label for="setup-client">Connect a client</label><select id="setup-client" name="client" data-call="clients/setup">${option('', 'Choose one …')}${setups.map(
    ({ id, name: text }) => option(id, text),
  )}</select>${setup !== null && setupSteps(setup)}<p class="soft">Or give a client this address: ${command(mcpUrl, 'MCP address')}</p></div>`;
}

function setupSteps({
  id,
  command: words,
  file,
  snippet,
  next,
}: NonNullable<PageState['tab']['setup']>): Html {
  return html`<div id="setup-${id}">${words !== null && html`<p>Run this in a terminal:</p>${block(words, 'command')}`}${
    file !== '' && html`<p>${words === null ? 'Add this to' : 'Or add this to'} <code>${file}</code>:</p>`
  }${block(snippet, 'configuration')}<p>${coded(next)}</p>${soft('When the client asks, this browser opens a page with Approve and Deny.')}</div>`;
}

/** A text in which whatever is between backquotes is code. */
function coded(text: string): Value[] {
  return text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part));
}
