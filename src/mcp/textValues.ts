/** Numbers and booleans that a model or its host has sent as text. Pure. */
import * as z from 'zod';
import { unwrapped } from './argumentProblems.ts';

/** The number or boolean that `text` stands for; `text` itself if the schema accepts text, or if it stands for neither. */
export function valueOfText(schema: z.core.$ZodType, text: string): unknown {
  const forms = formsOf(schema);
  if (!forms.every(isOtherThanText)) return text;
  const values = forms.flatMap((form): Array<number | boolean> => {
    if (form instanceof z.ZodNumber) return numberOf(text);
    return isBoolean(form) ? booleanOf(text) : [];
  });
  return values[0] ?? text;
}

function formsOf(schema: z.core.$ZodType): z.core.$ZodType[] {
  const inner = unwrapped(schema);
  return inner instanceof z.ZodUnion ? inner.options.flatMap(formsOf) : [inner];
}

/** True for kinds of schema that never accept text. Any kind not named here may accept it. */
function isOtherThanText(form: z.core.$ZodType): boolean {
  return (
    form instanceof z.ZodNumber ||
    isBoolean(form) ||
    form instanceof z.ZodObject ||
    form instanceof z.ZodArray ||
    form instanceof z.ZodNull
  );
}

function isBoolean(form: z.core.$ZodType): boolean {
  if (form instanceof z.ZodLiteral) return [...form.values].every((value) => typeof value === 'boolean');
  return form instanceof z.ZodBoolean;
}

/** The number that a text holds in JSON's notation without an exponent; none if a whole number would lose digits. */
function numberOf(text: string): number[] {
  if (!/^-?(?:0|[1-9]\d*)(?:\.\d+)?$/.test(text)) return [];
  const value = Number(text);
  const isWhole = !text.includes('.');
  return isWhole && !Number.isSafeInteger(value) ? [] : [value];
}

/** The boolean that a text holds, in JSON's or Python's notation. */
function booleanOf(text: string): boolean[] {
  const lower = text.toLowerCase();
  return lower === 'true' ? [true] : lower === 'false' ? [false] : [];
}
