/** What a person presses, types and chooses on the owner's page. The server's `data-` attributes say which call it makes. */
import type { OwnerPage } from './session.ts';

/** How long a button shows that it has copied. */
const COPIED_MS = 2_000;
/** How long a search waits for the next letter. */
const TYPING_MS = 120;

export function listenToPresses(own: OwnerPage, page: HTMLElement): void {
  let typing: ReturnType<typeof setTimeout> | undefined;
  const openParts = () => page.querySelectorAll<HTMLDetailsElement>('.menu[open], .sure[open]');

  page.addEventListener('click', ({ target, detail }) => {
    const at = target as Element;
    for (const open of openParts()) if (!open.contains(at)) open.open = false;
    const button = at.closest<HTMLElement>('button[data-call], button[data-copy]');
    if (!button || button.getAttribute('aria-disabled') === 'true') return;
    const { copy, call = '', key } = button.dataset;
    if (copy !== undefined) return copyText(own, button, copy);
    // A double click chooses for one entry, not for the next one too, and asks a question without answering it.
    if (detail > 1 && (key !== undefined || button.closest('.sure'))) return;
    own.act(call, givenTo(button), button);
    for (const open of openParts()) open.open = false;
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

  for (const type of ['change', 'input']) {
    page.addEventListener(type, ({ target }) => {
      const field = target as HTMLInputElement;
      const { call } = field.dataset;
      if (!call || (field.type === 'search') !== (type === 'input')) return;
      clearTimeout(typing);
      const take = () => own.act(call, { ...givenTo(field), [field.name]: field.value });
      typing = setTimeout(take, type === 'input' ? TYPING_MS : 0);
    });
  }

  addEventListener('keydown', (event) => {
    const { key, target } = event;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (key === 'Escape') {
      for (const open of openParts()) {
        open.querySelector('summary')?.focus();
        open.open = false;
      }
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
