/**
 * Strict function calling makes a model send every argument, with null for one that it leaves out. No tool takes null as
 * a value, so null for an optional argument or field is removed before the check. Pure.
 */
import * as z from 'zod';

/** `value` without the nulls that stand for something left out; null for a required or an unknown key stays. */
export function withoutNulls(schema: z.core.$ZodType, value: unknown): unknown {
  const inner = unwrapped(schema);
  if (inner instanceof z.ZodArray && Array.isArray(value)) {
    return value.map((entry) => withoutNulls(inner.element, entry));
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const shape = shapeFor(inner, value);
  if (!shape) return value;
  const entries = Object.entries(value).flatMap(([key, part]) => {
    const field = Object.hasOwn(shape, key) ? shape[key] : undefined;
    if (part === null && field && field._zod.optin !== undefined) return [];
    return [[key, field ? withoutNulls(field, part) : part]];
  });
  return Object.fromEntries(entries);
}

function unwrapped(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault) {
    return unwrapped(schema.def.innerType);
  }
  return schema;
}

/** The fields of an object; in a choice between forms, those of the form that has all of the value's keys. */
function shapeFor(schema: z.core.$ZodType, value: object): z.core.$ZodShape | null {
  if (schema instanceof z.ZodObject) return schema.shape;
  if (!(schema instanceof z.ZodUnion)) return null;
  const forms = schema.options.flatMap((option) => (option instanceof z.ZodObject ? [option.shape] : []));
  return forms.find((shape) => Object.keys(value).every((key) => Object.hasOwn(shape, key))) ?? null;
}
