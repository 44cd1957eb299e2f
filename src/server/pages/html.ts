/** Templates for pages. Values that are not templates themselves are escaped, so that text from outside stays text. Pure. */

/** Text that is safe as HTML; made only by `html`. */
export interface Html {
  readonly safe: string;
}

/** What a template may hold. `null` and `false` leave no trace. */
export type Value = string | number | null | false | Html | readonly Value[];

/**
 * Tag for a template. Strings and numbers are escaped, and lists are joined as they are. In text, characters that reorder what is
 * beside them are left out; the value of an attribute stays as it is, since it may have to come back.
 */
export function html(parts: TemplateStringsArray, ...values: Value[]): Html {
  const filled = parts.map((part, index) => {
    const isAttribute = /="[^"<>]*$/.test(part);
    return part + (index in values ? shown(values[index] as Value, isAttribute) : '');
  });
  return { safe: filled.join('') };
}

function shown(value: Value, isAttribute: boolean): string {
  if (value === null || value === false) return '';
  if (typeof value === 'string' || typeof value === 'number') {
    const text = escapeHtml(String(value));
    return isAttribute ? text : text.replace(REORDERING, '');
  }
  return 'safe' in value ? value.safe : value.map((one) => shown(one, isAttribute)).join('');
}

const REORDERING = /[\u202a-\u202e\u2066-\u2069]/g;

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? sign);
}
