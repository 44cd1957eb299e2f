/** The cards of the owner's page, in the order in which they are shown, and where each is. */
import type { PageState, View } from '../../owner/pageState.ts';
import type { Html } from '../html.ts';
import { browsersCard, errorsCard, healthCard, limitsCard, rememberedCard } from './diagnostics.ts';
import { eventsCard } from './events.ts';
import { importCard } from './importing.ts';
import { needsCard } from './needs.ts';
import { playlistsCard } from './playlists.ts';
import { accountCard, clientsCard, keptCard, libraryCard } from './setup.ts';
import { stepsCard, topPart } from './top.ts';

/** To add a card, write its function, which draws it or returns null, and name it here. On a narrow screen, `right` follows `left`. */
const CARDS: Record<View, Record<string, Array<[id: string, draw: (state: PageState) => Html | null]>>> = {
  home: {
    top: [['top', topPart]],
    left: [
      ['steps', stepsCard],
      ['needs', needsCard],
      ['playlists', playlistsCard],
      ['import', importCard],
    ],
    right: [
      ['events', eventsCard],
      ['library', libraryCard],
      ['kept', keptCard],
      ['clients', clientsCard],
      ['account', accountCard],
    ],
  },
  diagnostics: {
    top: [['top', topPart]],
    left: [
      ['health', healthCard],
      ['errors', errorsCard],
      ['remembered', rememberedCard],
    ],
    right: [
      ['limits', limitsCard],
      ['browsers', browsersCard],
    ],
  },
};

export function cardsOf(state: PageState): Array<{ id: string; place: string; html: Html }> {
  return Object.entries(CARDS[state.view]).flatMap(([place, cards]) =>
    cards.flatMap(([id, draw]) => {
      const html = draw(state);
      return html === null ? [] : [{ id, place, html }];
    }),
  );
}
