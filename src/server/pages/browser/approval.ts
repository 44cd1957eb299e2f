/** The approval page: proves the owner when Approve is pressed, and delays the button against accidental clicks. */
import { isSignedIn, problemOf, secret, signInWithCode } from './session.ts';

export function approvalPage(form: HTMLFormElement): void {
  const field = byId<HTMLElement>('code-field');
  const input = byId<HTMLInputElement>('owner-code');
  const problem = byId<HTMLElement>('code-problem');
  const remembered = byId<HTMLElement>('remembered');
  const approveButton = byId<HTMLButtonElement>('approve');
  const opensApp = byId<HTMLElement | null>('opens-app');
  // A fragment must not scroll the page, not even in browsers without Document-Policy.
  if (location.hash !== '') {
    history.replaceState(null, '', location.pathname + location.search);
    scrollTo(0, 0);
  }
  let isAtWork = false;
  let isApproving = false;

  function showField(isShown: boolean): void {
    field.hidden = !isShown;
    input.disabled = !isShown;
    remembered.hidden = isShown;
  }

  async function checkSecret(): Promise<void> {
    if (secret() === null) return focusField();
    showField(false);
    if (await isSignedIn()) return;
    showField(true);
    focusField();
  }

  // The focus must not scroll the page: who asks and where the answer goes must stay in view.
  function focusField(): void {
    const { top, bottom } = input.getBoundingClientRect();
    if (top >= 0 && bottom <= innerHeight) input.focus({ preventScroll: true });
  }

  async function approve(): Promise<void> {
    if (isAtWork) return;
    isAtWork = true;
    try {
      if (!input.disabled) await signInWithCode(input.value);
      // This is true only while `submit` reads the form: until the answer comes, Deny must still deny.
      isApproving = true;
      form.submit();
    } catch (error) {
      problem.textContent = problemOf(error);
      problem.hidden = false;
      input.setAttribute('aria-invalid', 'true');
      input.select();
    } finally {
      isApproving = false;
      isAtWork = false;
    }
  }

  // The secret is never in the page, only in what is sent.
  form.addEventListener('formdata', ({ formData }) => {
    // An app opens beside this page, which stays. A second answer would be useless to the client.
    if (opensApp) {
      form.hidden = true;
      opensApp.hidden = false;
    }
    if (!isApproving) return;
    formData.set('decision', 'approve');
    formData.delete('owner_code');
    formData.set('owner_proof', secret() ?? '');
  });
  form.addEventListener('submit', (event) => {
    if ((event.submitter as HTMLButtonElement | null)?.value === 'deny') return;
    event.preventDefault();
    if (!approveButton.disabled) approve();
  });
  holdBriefly(approveButton);
  checkSecret().catch(() => showField(true));
}

/** When a window closes or a page changes, a click that was meant for something else may hit the button. */
const HOLD_MS = 500;

function holdBriefly(button: HTMLButtonElement): void {
  let timer: ReturnType<typeof setTimeout>;
  let hadFocus = false;
  const hold = () => {
    hadFocus ||= document.activeElement === button;
    button.disabled = true;
    clearTimeout(timer);
    timer = setTimeout(() => {
      button.disabled = false;
      if (hadFocus) button.focus({ preventScroll: true });
      hadFocus = false;
    }, HOLD_MS);
  };
  hold();
  addEventListener('focus', hold);
  addEventListener('pageshow', hold);
  document.addEventListener('visibilitychange', hold);
  // Somebody who keeps pressing is not reading, so half a second must pass without a press. The style sheet lets presses of a
  // disabled button through to the page.
  const holdAgain = () => {
    if (button.disabled) hold();
  };
  addEventListener('pointerdown', holdAgain, true);
  const keydown = ({ key }: KeyboardEvent) => (key === 'Enter' || key === ' ') && holdAgain();
  addEventListener('keydown', keydown, true);
}

function byId<T extends HTMLElement | null>(id: string): T {
  return document.getElementById(id) as T;
}
