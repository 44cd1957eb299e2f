/** Makes `old` like `fresh`, which loses its children. An open `<details>` stays open. */
export function morph(old: Element, fresh: Element): void {
  for (const { name } of [...old.attributes]) {
    if (name !== 'open' && !fresh.hasAttribute(name)) old.removeAttribute(name);
  }
  for (const { name, value } of fresh.attributes) {
    if (name !== 'open' && old.getAttribute(name) !== value) old.setAttribute(name, value);
  }
  let at: ChildNode | null = old.firstChild;
  for (const next of [...fresh.childNodes]) {
    const found = matching(at, next);
    if (found === null) {
      old.insertBefore(next, at);
      continue;
    }
    if (found === at) at = at.nextSibling;
    else old.insertBefore(found, at);
    if (found instanceof Element && next instanceof Element) morph(found, next);
    else if (found.nodeValue !== next.nodeValue) found.nodeValue = next.nodeValue;
  }
  while (at !== null) {
    const gone: ChildNode = at;
    at = at.nextSibling;
    gone.remove();
  }
}

/** The node that becomes `next`: the one with its ID, at `at` or after it; without an ID, only `at` itself. */
function matching(at: ChildNode | null, next: ChildNode): ChildNode | null {
  const id = next instanceof Element ? next.id : '';
  for (let node = at; node !== null; node = node.nextSibling) {
    const own = node instanceof Element ? node.id : '';
    if (node.nodeName === next.nodeName && own === id) return node;
    if (id === '') return null;
  }
  return null;
}
