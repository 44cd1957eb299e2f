/** Asks whether clients should get the toolset `extras`: in the third step of the setup, or below the list of clients. */
import { type App, button, row } from '../app.ts';
import { type Child, h } from '../dom.ts';
import { ask } from '../session.ts';

/** The question, until it is answered. */
export function extrasPart(app: App): Child {
  const { question } = app.state.extras;
  if (question === null) return null;
  const answer = (text: string, offer: boolean, kind: 'primary' | 'quiet') =>
    button(app, `extras ${text}`, text, () => ask('extras/choose', { offer }), {
      about: question,
      kind,
      done: offer
        ? 'Saved. AI clients get these tools once relay has restarted.'
        : 'Saved. AI clients get the standard tools.',
    });
  return h.div(
    { class: 'question', key: 'extras' },
    h.p(question),
    row(answer('Yes', true, 'primary'), answer('No', false, 'quiet')),
  );
}
