/** Every card of the owner's page, in reading order, which is also the order on a narrow screen. */
import type { App } from './app.ts';
import { accountCard } from './cards/account.ts';
import { clientsCard } from './cards/clients.ts';
import { browsersCard, errorsCard, healthCard, limitsCard, rememberedCard } from './cards/diagnostics.ts';
import { eventsCard } from './cards/events.ts';
import { keptCard } from './cards/kept.ts';
import { libraryCard } from './cards/library.ts';
import { needsCard } from './cards/needs.ts';
import { playingCard } from './cards/playing.ts';
import { stepsCard } from './cards/steps.ts';
import { type Child, h } from './dom.ts';

/** The views that a person switches between; Diagnostics has an address of its own. */
export const VIEWS = { home: 'Home', diagnostics: 'Diagnostics' } as const;
export type View = keyof typeof VIEWS;

interface Entry {
  view: View;
  /** Place on a wide screen: across both columns (`top`), or in one of them. `main` comes before `side`. */
  place: 'top' | 'main' | 'side';
  /** Returns nothing if there is nothing to show. */
  card: (app: App) => Child;
}

const CARDS: readonly Entry[] = [
  { view: 'home', place: 'top', card: stepsCard },
  { view: 'home', place: 'main', card: needsCard },
  { view: 'home', place: 'main', card: ({ importer }) => importer.card() },
  { view: 'home', place: 'main', card: eventsCard },
  { view: 'home', place: 'side', card: playingCard },
  { view: 'home', place: 'side', card: libraryCard },
  { view: 'home', place: 'side', card: keptCard },
  { view: 'home', place: 'side', card: clientsCard },
  { view: 'home', place: 'side', card: accountCard },
  { view: 'diagnostics', place: 'main', card: healthCard },
  { view: 'diagnostics', place: 'main', card: errorsCard },
  { view: 'diagnostics', place: 'main', card: limitsCard },
  { view: 'diagnostics', place: 'side', card: browsersCard },
  { view: 'diagnostics', place: 'side', card: rememberedCard },
];

export function cardsOf(app: App, view: View): Child[] {
  const at = (place: Entry['place']) =>
    CARDS.filter((entry) => entry.view === view && entry.place === place).map(({ card }) => card(app));
  return [
    at('top'),
    h.div(
      { class: 'columns', key: 'columns' },
      h.div({ class: 'column' }, at('main')),
      h.div({ class: 'column' }, at('side')),
    ),
  ];
}
