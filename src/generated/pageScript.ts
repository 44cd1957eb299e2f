// Made by "npm run gen" from src/server/pages/owner.js.

export const PAGE_SCRIPT = `// The script of relay's own pages: it signs this browser in with a ticket or the owner code and proves it when a client is
// approved. The pages get it from \`npm run gen\` (\`src/generated/pageScript.ts\`). It puts no text into a page as HTML.
(() => {
  // Kept for this origin alone. A cookie would go to every port of this host.
  const NAME = 'relay.owner';
  let unkept = null;

  function secret() {
    try {
      return localStorage.getItem(NAME) ?? unkept;
    } catch {
      return unkept;
    }
  }

  function keep(value) {
    unkept = value;
    try {
      if (value === null) localStorage.removeItem(NAME);
      else localStorage.setItem(NAME, value);
    } catch {
      // Storage is blocked: this browser is asked again on the next page.
    }
  }

  async function ask(path, body) {
    const headers = { 'content-type': 'application/json' };
    const proof = secret();
    if (proof !== null) headers['x-relay-owner'] = proof;
    const response = await fetch(path, { method: 'POST', headers, body: JSON.stringify(body) });
    return { status: response.status, content: await response.json().catch(() => ({})) };
  }

  function say(element, text) {
    element.textContent = text;
    element.hidden = false;
  }

  async function useTicket(state) {
    const ticket = new URLSearchParams(location.hash.slice(1)).get('ticket');
    if (ticket === null) return;
    history.replaceState(null, '', location.pathname);
    const { status, content } = await ask('/owner/ticket', { ticket });
    state.className = status === 200 ? 'good' : 'bad';
    if (status !== 200) {
      return say(state, 'This link was used before or is older than a minute. Run the command again.');
    }
    keep(content.secret);
    if (content.next !== null) location.replace(content.next);
    else say(state, 'You are signed in: this browser approves clients without the owner code.');
  }

  function startPage() {
    const state = document.getElementById('owner-state');
    if (!state) return;
    const use = () =>
      useTicket(state).catch(() => say(state, 'relay does not answer. Run the command again.'));
    // The page may be open already when a link to it is followed.
    addEventListener('hashchange', use);
    use();
  }

  // What is under a window that has just gone, or comes with a page that has just changed, gets a click that was meant for
  // something else.
  function holdBriefly(button, ms) {
    let timer;
    let hadFocus = false;
    const hold = () => {
      hadFocus ||= document.activeElement === button;
      button.disabled = true;
      clearTimeout(timer);
      timer = setTimeout(() => {
        button.disabled = false;
        if (hadFocus) button.focus({ preventScroll: true });
        hadFocus = false;
      }, ms);
    };
    hold();
    addEventListener('focus', hold);
    addEventListener('pageshow', hold);
    document.addEventListener('visibilitychange', hold);
  }

  function approvalPage() {
    const form = document.getElementById('approval');
    if (!form) return;
    const field = document.getElementById('code-field');
    const input = document.getElementById('owner-code');
    const problem = document.getElementById('code-problem');
    const remembered = document.getElementById('remembered');
    const approveButton = document.getElementById('approve');
    // Where the browser does not know Document-Policy.
    if (location.hash !== '') {
      history.replaceState(null, '', location.pathname + location.search);
      scrollTo(0, 0);
    }
    let isAtWork = false;
    let isApproving = false;

    function showField(isShown) {
      field.hidden = !isShown;
      input.disabled = !isShown;
      remembered.hidden = isShown;
    }

    function complain(text) {
      say(problem, text);
      input.setAttribute('aria-invalid', 'true');
      input.select();
    }

    async function checkSecret() {
      if (secret() === null) return focusField();
      showField(false);
      const { status } = await ask('/owner/check', {});
      if (status === 200) return;
      if (status === 401) keep(null);
      showField(true);
      focusField();
    }

    // Never so that the page moves: who asks and where the answer goes has to stay in view.
    function focusField() {
      const { top, bottom } = input.getBoundingClientRect();
      if (top >= 0 && bottom <= innerHeight) input.focus({ preventScroll: true });
    }

    async function signIn() {
      const { status, content } = await ask('/owner/code', { code: input.value });
      if (status === 200) keep(content.secret);
      else complain(content.error?.message ?? 'relay could not check the code. Try again.');
      return status === 200;
    }

    async function approve() {
      if (isAtWork) return;
      isAtWork = true;
      try {
        if (!input.disabled && !(await signIn())) return;
        // Only for as long as the form is read: where an app takes the answer this page stays, with its Deny.
        isApproving = true;
        form.submit();
      } catch {
        complain('relay does not answer. Is it still running?');
      } finally {
        isApproving = false;
        isAtWork = false;
      }
    }

    // The secret is never in the page, only in what is sent.
    form.addEventListener('formdata', ({ formData }) => {
      if (!isApproving) return;
      formData.set('decision', 'approve');
      formData.delete('owner_code');
      formData.set('owner_proof', secret() ?? '');
    });
    form.addEventListener('submit', (event) => {
      if (event.submitter?.value === 'deny') return;
      event.preventDefault();
      if (!approveButton.disabled) approve();
    });
    holdBriefly(approveButton, Number(form.dataset.holdMs));
    checkSecret().catch(() => showField(true));
  }

  startPage();
  approvalPage();
})();
`;
