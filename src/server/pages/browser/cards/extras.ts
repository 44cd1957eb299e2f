/** The question about the optional tools, asked once: in the third step or beside the clients. */
import { type App, button, row } from '../app.ts';
import { type Child, h } from '../dom.ts';
import { ask } from '../session.ts';

/** Asks once whether to offer clients more than the standard tools. */
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
