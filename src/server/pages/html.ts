/** Templates for pages. Values that are not templates themselves are escaped, so that text from outside stays text. Pure. */

/** Text that is safe as HTML; made only by `html`. */
export interface Html {
  readonly safe: string;
}

type Value = string | number | Html | readonly Html[];

/** Tag for a template. Strings and numbers are escaped, and lists of templates are joined with line breaks. */
export function html(parts: TemplateStringsArray, ...values: Value[]): Html {
  return {
    safe: parts.map((part, index) => part + (index in values ? shown(values[index] as Value) : '')).join(''),
  };
}

function shown(value: Value): string {
  if (typeof value === 'string' || typeof value === 'number') return escapeHtml(String(value));
  return 'safe' in value ? value.safe : value.map(({ safe }) => safe).join('\n');
}

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
