/**
 * XML with the position of each element. Entities that a file declares are not expanded and nothing outside the file is read
 * (CWE-776, CWE-611). The parser knows only the entities of XML itself, and refuses all others.
 */
import { parseXml, XmlElement, XmlError, XmlText } from '@rgrove/parse-xml';
import { refused } from './decode.ts';

export type { XmlElement };

/** The outermost element. @throws RelayError `INVALID_ARGUMENT` with the line of the first fault. */
export function parseXmlRoot(text: string): XmlElement {
  try {
    const { root } = parseXml(text, { includeOffsets: true });
    if (root) return root;
  } catch (error) {
    if (error instanceof XmlError) {
      const what = error.message.split(' (line ')[0]?.replaceAll('`', '"') ?? '';
      throw fault(`Line ${error.line} is not valid XML: ${what}.`, error.line);
    }
    // The parser calls itself for each level, so elements nested a thousand deep use up the stack.
    if (error instanceof RangeError) throw fault('The XML is nested too deeply.');
    throw error;
  }
  throw fault('The XML has no element.');
}

export function elementsOf(element: XmlElement | undefined): XmlElement[] {
  return (element?.children ?? []).filter((child) => child instanceof XmlElement);
}

/** The first child with this name, whatever its case and namespace prefix. @param name in lower case */
export function childOf(element: XmlElement | undefined, name: string): XmlElement | undefined {
  return elementsOf(element).find((child) => localName(child) === name);
}

/** The name without its namespace prefix, in lower case. */
export function localName(element: XmlElement): string {
  return element.name.replace(/^.*:/u, '').toLowerCase();
}

/** The text of an element's own children; '' for none. */
export function wordsOf(element: XmlElement | undefined): string {
  return (element?.children ?? []).map((child) => (child instanceof XmlText ? child.text : '')).join('');
}

function fault(message: string, line?: number) {
  return refused(message, {
    remedy: 'Correct the file, or export it again.',
    ...(line !== undefined && { line }),
  });
}
