/** The owner's page: it signs this browser in, by the ticket in its address or by the owner code. */
import { draw, h } from './dom.ts';
import { isSignedIn, Refused, signInWithTicket } from './session.ts';
import { type SignIn, signInPart } from './signIn.ts';

export function ownerPage(root: HTMLElement): void {
  const signIn: SignIn = { problem: null, isBusy: false };
  let isOwner = false;

  function redraw(): void {
    const signedIn = h(
      'div',
      { class: 'sheet' },
      h('h1', null, 'relay is running'),
      h('p', { role: 'status' }, 'You are signed in: this browser approves clients without the owner code.'),
    );
    draw(root, isOwner ? signedIn : signInPart(signIn, redraw, begin));
  }

  function begin(): void {
    isOwner = true;
    redraw();
  }

  async function start(): Promise<void> {
    try {
      const { next } = await signInWithTicket();
      if (next !== null) return location.replace(next);
      isOwner = await isSignedIn();
    } catch (error) {
      const isOld = error instanceof Refused && error.status !== 0;
      signIn.problem = isOld
        ? 'This link was used before or is older than a minute. Run the command again.'
        : 'relay does not answer. Run the command again.';
    }
    redraw();
  }

  // The page may be open already when a link to it is followed.
  addEventListener('hashchange', () => void start());
  start();
}
