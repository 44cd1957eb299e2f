/** What a person presses, types and chooses on the owner's page. The server's `data-` attributes say which call it makes. */
import type { OwnerPage } from './ownerPage.ts';

/** Time within which a second press counts as the second half of a double click. */
const SECOND_MS = 500;
/** How long a button asks whether it was meant, and how long one shows that it has copied. */
const ASK_MS = 6_000;
const COPIED_MS = 2_000;
/** How long a search waits for the next letter. */
const TYPING_MS = 120;

export function listenToPresses(own: OwnerPage, page: HTMLElement): void {
  let armedAt = 0;
  let disarm = () => {};
  let typing: ReturnType<typeof setTimeout> | undefined;

  function press(button: HTMLElement, isDouble: boolean): void {
    const { call = '', sure, key } = button.dataset;
    // A double click chooses for one entry, not for the next one too.
    if (isDouble && key !== undefined) return;
    if (sure !== undefined && own.armed !== button) {
      arm(button, sure);
      return;
    }
    if (own.armed === button && performance.now() - armedAt < SECOND_MS) return;
    disarm();
    own.act(call, givenTo(button), button);
    button.closest('.menu')?.removeAttribute('open');
  }

  /** Asks whether the press was meant. */
  function arm(button: HTMLElement, sure: string): void {
    disarm();
    const [text, label, kind] = [button.textContent, button.getAttribute('aria-label'), button.className];
    own.armed = button;
    armedAt = performance.now();
    button.textContent = sure;
    button.className = 'danger';
    if (label !== null && text !== null) button.setAttribute('aria-label', label.replace(text, sure));
    const timer = setTimeout(() => disarm(), ASK_MS);
    disarm = () => {
      clearTimeout(timer);
      own.armed = null;
      Object.assign(button, { textContent: text, className: kind });
      if (label !== null) button.setAttribute('aria-label', label);
      disarm = () => {};
    };
  }

  page.addEventListener('click', (event) => {
    const at = event.target as Element;
    const button = at.closest<HTMLElement>('button[data-call], button[data-copy], [data-go]');
    if (own.armed && button !== own.armed) disarm();
    const menu = at.closest('.menu');
    for (const open of page.querySelectorAll<HTMLDetailsElement>('.menu[open]')) {
      if (open !== menu) open.open = false;
    }
    if (!button || button.getAttribute('aria-disabled') === 'true') return;
    const { copy, go } = button.dataset;
    if (go !== undefined) {
      event.preventDefault();
      document.getElementById(go)?.focus();
    } else if (copy !== undefined) copyText(own, button, copy);
    else press(button, event.detail > 1);
  });

  page.addEventListener('submit', (event) => {
    const form = event.target as HTMLFormElement;
    if (form.dataset.call === undefined) return;
    event.preventDefault();
    const fields = [...new FormData(form)].map(([name, value]) => {
      const field = form.elements.namedItem(name);
      return [name, field instanceof HTMLInputElement && field.type === 'checkbox' ? true : value];
    });
    const button = form.querySelector<HTMLElement>('button:not([type])') ?? undefined;
    own.act(form.dataset.call, { ...givenTo(form), ...Object.fromEntries(fields) }, button);
  });

  const takeField = (field: HTMLInputElement | HTMLSelectElement) =>
    own.act(field.dataset.call ?? '', { ...givenTo(field), [field.name]: field.value });
  page.addEventListener('change', ({ target }) => {
    const isChoice =
      target instanceof HTMLSelectElement || (target instanceof HTMLInputElement && target.type === 'radio');
    if (isChoice && target.dataset.call) takeField(target);
  });
  page.addEventListener('input', ({ target }) => {
    if (!(target instanceof HTMLInputElement) || target.type !== 'search' || !target.dataset.call) return;
    clearTimeout(typing);
    typing = setTimeout(() => takeField(target), TYPING_MS);
  });

  addEventListener('keydown', (event) => {
    const { key, target } = event;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (key === 'Escape') {
      disarm();
      const open = page.querySelector<HTMLDetailsElement>('.menu[open]');
      open?.querySelector('summary')?.focus();
      if (open) open.open = false;
    }
    if (target instanceof Element && target.matches('input, textarea, select')) return;
    // If something that can be pressed has the focus, Enter presses that.
    if (key === 'Enter' && target instanceof Element && target.matches('button, a, summary')) return;
    const name = key === '/' ? 's' : key.length === 1 ? key.toLowerCase() : key;
    const found = page.querySelector<HTMLElement>(`[data-key="${CSS.escape(name)}"]`);
    if (!found) return;
    event.preventDefault();
    // A key that is held would choose for entries that nobody has seen.
    if (event.repeat) return;
    if (found instanceof HTMLInputElement) found.select();
    else found.click();
  });
}

function givenTo({ dataset }: HTMLElement): object {
  return JSON.parse(dataset.given ?? '{}');
}

async function copyText(own: OwnerPage, button: HTMLElement, text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    return own.tell('This browser does not let pages copy. Select the text and copy it.', true);
  }
  own.tell(`Copied${(button.getAttribute('aria-label') ?? '').replace(/^Copy/, '')}.`);
  button.textContent = 'Copied';
  setTimeout(() => {
    button.textContent = 'Copy';
  }, COPIED_MS);
}
