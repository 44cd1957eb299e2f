/** The cards of the owner's page, in the order in which they are shown, and where each is. */
import type { PageState } from '../../owner/pageState.ts';
import type { Html } from '../html.ts';
import { accountCard } from './account.ts';
import { clientsCard } from './clients.ts';
import { browsersCard, errorsCard, healthCard, limitsCard, rememberedCard } from './diagnostics.ts';
import { eventsCard } from './events.ts';
import { importCard } from './importing.ts';
import { keptCard, libraryCard } from './library.ts';
import { needsCard } from './needs.ts';
import { playlistsCard } from './playlists.ts';
import { stepsCard } from './steps.ts';
import { topPart } from './top.ts';

/** Draws one card; null if there is nothing to show. Pure. */
type DrawCard = (state: PageState) => Html | null;
/** On a narrow screen, `right` follows `left`. */
type Place = 'top' | 'left' | 'right';

/** To add a card, write its function and name it here. */
const HOME: ReadonlyArray<readonly [id: string, place: Place, draw: DrawCard]> = [
  ['top', 'top', topPart],
  ['steps', 'left', stepsCard],
  ['needs', 'left', needsCard],
  ['playlists', 'left', playlistsCard],
  ['import', 'left', importCard],
  ['events', 'right', eventsCard],
  ['library', 'right', libraryCard],
  ['kept', 'right', keptCard],
  ['clients', 'right', clientsCard],
  ['account', 'right', accountCard],
];

const DIAGNOSTICS: typeof HOME = [
  ['top', 'top', topPart],
  ['health', 'left', healthCard],
  ['errors', 'left', errorsCard],
  ['remembered', 'left', rememberedCard],
  ['limits', 'right', limitsCard],
  ['browsers', 'right', browsersCard],
];

/** Draws the cards of the view. */
export function cardsOf(state: PageState): Array<{ id: string; place: Place; html: Html }> {
  const cards = state.view === 'diagnostics' ? DIAGNOSTICS : HOME;
  return cards.flatMap(([id, place, draw]) => {
    const html = draw(state);
    return html === null ? [] : [{ id, place, html }];
  });
}
