/**
 * Describes elements as values, and updates a page to match them. Unchanged elements stay, with their focus and scroll
 * position. Text becomes text nodes and attributes, never HTML.
 */

type Listener = (event: never) => unknown;
type Prop = string | number | boolean | null | undefined | Listener;
type Props = Readonly<Record<string, Prop>>;

interface Element_ {
  tag: string;
  props: Props;
  children: readonly Node_[];
}
type Node_ = Element_ | string;
export type Child = Node_ | number | null | undefined | false | readonly Child[];

type Tag = keyof HTMLElementTagNameMap | keyof SVGElementTagNameMap;
/** @param first the attributes, or the first child. `on…` adds a listener; `key` identifies a row of a list */
type Make = (first?: Props | Child, ...children: Child[]) => Element_;

/** A function for each kind of element: `h.p('text')`, `h.p({ class: 'soft' }, 'text')`. */
export const h = new Proxy({} as Readonly<Record<Tag, Make>>, {
  get(_, tag: string): Make {
    return (first, ...children) =>
      isProps(first)
        ? { tag, props: first, children: flat(children) }
        : { tag, props: {}, children: flat([first, ...children]) };
  },
});

function isProps(given: Props | Child): given is Props {
  return typeof given === 'object' && given !== null && !Array.isArray(given) && !('children' in given);
}

function flat(children: readonly Child[]): Node_[] {
  return children.flatMap((child): Node_[] => {
    if (child === null || child === undefined || child === false) return [];
    if (Array.isArray(child)) return flat(child as readonly Child[]);
    return [typeof child === 'number' ? String(child) : (child as Node_)];
  });
}

const drawn = new WeakMap<Node, Node_>();

/** Makes `children` the content of `parent`. */
export function draw(parent: Element, ...children: Child[]): void {
  const focused = document.activeElement;
  update(parent, flat(children));
  // An element that was moved has lost the focus.
  if (focused instanceof HTMLElement && focused !== document.activeElement && focused.isConnected) {
    focused.focus({ preventScroll: true });
  }
}

function update(parent: Element, wanted: readonly Node_[]): void {
  let at: Node | null = parent.firstChild;
  for (const next of wanted) {
    const found = matching(at, next);
    if (found === null) {
      const made = make(next, parent);
      parent.insertBefore(made, at);
      continue;
    }
    if (found === at) at = at.nextSibling;
    else parent.insertBefore(found, at);
    refresh(found, next);
  }
  while (at !== null) {
    const gone = at;
    at = at.nextSibling;
    parent.removeChild(gone);
  }
}

/**
 * The node that can become `next`. If `next` has a key, it is the node with that key, at `at` or after it. Without a key, it
 * can only be `at` itself.
 */
function matching(at: Node | null, next: Node_): ChildNode | null {
  for (let node = at; node !== null; node = node.nextSibling) {
    const before = drawn.get(node);
    if (before !== undefined && isSame(before, next)) return node as ChildNode;
    if (typeof next === 'string' || next.props.key === undefined) return null;
  }
  return null;
}

function isSame(before: Node_, next: Node_): boolean {
  if (typeof before === 'string' || typeof next === 'string') return typeof before === typeof next;
  return before.tag === next.tag && before.props.key === next.props.key;
}

function make(next: Node_, parent: Element): Node {
  if (typeof next === 'string') {
    const text = document.createTextNode(next);
    drawn.set(text, next);
    return text;
  }
  const space =
    next.tag === 'svg'
      ? 'http://www.w3.org/2000/svg'
      : (parent.namespaceURI ?? 'http://www.w3.org/1999/xhtml');
  const element = document.createElementNS(space, next.tag);
  drawn.set(element, { tag: next.tag, props: {}, children: [] });
  refresh(element, next);
  return element;
}

function refresh(node: Node, next: Node_): void {
  const before = drawn.get(node);
  drawn.set(node, next);
  if (typeof next === 'string') {
    if (before !== next) node.textContent = next;
    return;
  }
  const element = node as Element;
  const former = typeof before === 'object' ? before.props : {};
  // First the options of a select, since its value is one of them.
  update(element, next.children);
  for (const name of Object.keys(former)) if (!(name in next.props)) set(element, name, null);
  for (const [name, value] of Object.entries(next.props)) {
    // A person may have changed the value.
    const present = name === 'value' ? Reflect.get(element, name) : value;
    if (value !== former[name] || value !== present) set(element, name, value);
  }
}

function set(element: Element, name: string, value: Prop): void {
  if (name === 'key') return;
  if (name.startsWith('on') || name === 'value') {
    Reflect.set(element, name, value ?? (name === 'value' ? '' : null));
  } else if (value === null || value === undefined || value === false) element.removeAttribute(name);
  else element.setAttribute(name, value === true ? '' : String(value));
}
