/** The first line of the page: whether all is well. */
import type { OwnerState } from '../../../domain/ownerPage.ts';
import type { App } from './app.ts';
import { type Child, h } from './dom.ts';
import { count } from './format.ts';

/** The first line. @param isAway true if the server does not answer, and the page shows what was last known */
export function summary(app: App, isAway: boolean): Child {
  const { state } = app;
  const bad = state.parts.filter((part) => part.state === 'bad').length;
  const warnings = state.parts.filter((part) => part.state === 'warning').length;
  const [mood, title] = isAway ? AWAY : titleOf(state, bad, warnings);
  return h.div(
    { class: 'summary', key: 'summary' },
    h.h1(h.span({ class: `dot ${mood}`, 'aria-hidden': 'true' }), title),
  );
}

const AWAY = ['bad', 'relay has stopped'] as const;

function titleOf({ account }: OwnerState, bad: number, warnings: number): readonly [string, string] {
  if (account.reauthorizationRequired) return ['bad', 'Spotify has ended the login'];
  if (!account.connected) return ['bad', 'No Spotify account is connected'];
  if (bad > 0) return ['bad', `${count(bad, 'problem')} ${bad === 1 ? 'needs' : 'need'} attention`];
  if (warnings > 0) return ['warning', `Running, ${count(warnings, 'warning')}`];
  return ['ok', 'Everything is running'];
}
