/** What a browser that is not signed in sees: how to sign in, and nothing else. */
import { type Child, h } from './dom.ts';
import { codeProblem, RELAY, signInWithCode } from './session.ts';

export interface SignIn {
  problem: string | null;
  isBusy: boolean;
}

export function signInPart(signIn: SignIn, redraw: () => void, done: () => void): Child {
  const submit = async (event: Event) => {
    event.preventDefault();
    const field = document.getElementById('owner-code') as HTMLInputElement;
    if (signIn.isBusy) return;
    Object.assign(signIn, { isBusy: true, problem: null });
    redraw();
    try {
      await signInWithCode(field.value);
      signIn.isBusy = false;
      done();
    } catch (error) {
      Object.assign(signIn, { isBusy: false, problem: codeProblem(error) });
      redraw();
      field.select();
    }
  };
  return h.div(
    { class: 'sheet', key: 'sign-in' },
    h.h1('relay is running'),
    h.p(
      'Sign in to see and change anything. In a terminal, ',
      h.code(`${RELAY} open`),
      ' opens this page signed in.',
    ),
    h.form(
      { onsubmit: submit },
      h.label({ for: 'owner-code' }, 'Owner code'),
      h.input({
        id: 'owner-code',
        name: 'owner_code',
        required: true,
        autocomplete: 'off',
        autocapitalize: 'characters',
        spellcheck: 'false',
        maxlength: 512,
        'aria-describedby': 'code-hint code-problem',
        'aria-invalid': signIn.problem === null ? null : 'true',
      }),
      h.p(
        { class: 'bad', id: 'code-problem', role: 'alert', hidden: signIn.problem === null },
        signIn.problem ?? '',
      ),
      h.p(
        { class: 'soft', id: 'code-hint' },
        h.code(`${RELAY} serve`),
        ' and ',
        h.code(`${RELAY} status`),
        ' show it in the terminal.',
      ),
      h.div({ class: 'buttons' }, h.button({ class: 'primary' }, 'Sign in')),
    ),
  );
}
