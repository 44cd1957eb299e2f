/** The `fields` parameter of playlist reads: `name,items(total,items(item(id,name)))`, `items.total`, `!name`. */

type FieldTree = Map<string, FieldTree | null>;

/** The parts of `value` that `fields` selects. An unknown name is ignored, not an error. */
export function selectFields(value: unknown, fields: string | null): unknown {
  if (fields === null || fields.trim() === '') return value;
  return select(value, parse(fields.replaceAll(/\s/g, '')));
}

function select(value: unknown, tree: FieldTree): unknown {
  if (Array.isArray(value)) return value.map((entry) => select(entry, tree));
  if (typeof value !== 'object' || value === null) return value;
  const excluded = [...tree.keys()].filter((name) => name.startsWith('!')).map((name) => name.slice(1));
  const named = [...tree.keys()].some((name) => !name.startsWith('!'));
  const entries = Object.entries(value).filter(([name]) => {
    return named ? tree.has(name) : !excluded.includes(name);
  });
  return Object.fromEntries(
    entries.map(([name, part]) => {
      const inner = tree.get(name);
      return [name, inner ? select(part, inner) : part];
    }),
  );
}

function parse(text: string): FieldTree {
  const tree: FieldTree = new Map();
  for (const part of splitTop(text)) {
    const [, name = '', rest = ''] = /^(!?\w*)(.*)$/s.exec(part) ?? [];
    if (rest.startsWith('(')) tree.set(name, parse(rest.slice(1, rest.endsWith(')') ? -1 : undefined)));
    else tree.set(name, rest.startsWith('.') ? parse(rest.slice(1)) : null);
  }
  return tree;
}

/** The parts between the commas outside of brackets. */
function splitTop(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let from = 0;
  for (let at = 0; at <= text.length; at += 1) {
    const sign = text[at];
    if (sign === '(') depth += 1;
    if (sign === ')') depth -= 1;
    if (at === text.length || (sign === ',' && depth === 0)) {
      parts.push(text.slice(from, at));
      from = at + 1;
    }
  }
  return parts;
}
