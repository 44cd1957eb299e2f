/** An entry as YAML, for a person to paste. Pure. */
import { type Data, isData } from './entry.ts';

/** A whole file with only this entry. JSON's strings and empty lists are YAML's too (YAML 1.2.2, 1.2). */
export function snippetYaml(section: string, name: string, entry: Data): string {
  return `${lines({ [section]: { [name]: entry } }, '').join('\n')}\n`;
}

function lines(data: Data, indent: string): string[] {
  return Object.entries(data).flatMap(([key, value]) => {
    if (!isData(value) || Object.keys(value).length === 0)
      return [`${indent}${key}: ${JSON.stringify(value)}`];
    return [`${indent}${key}:`, ...lines(value, `${indent}  `)];
  });
}
