/** Removes from the result of every call the text that a person would not see. Pure. */
import { mayHideText, modelText, modelValue } from '../base/visibleText.ts';
import type { CallResult } from './runTool.ts';

/** The result without hidden text, in `content` and `structuredContent` alike. */
export function forModel(result: CallResult): CallResult {
  const { content, structuredContent, isError } = result;
  // The text of a result is its data as JSON, so looking at the text is enough. The text of an error is not its data.
  if (!isError && !content.some(({ text }) => mayHideText(text))) return result;
  const data = modelValue(structuredContent);
  if (!isError)
    return { ...result, content: [{ type: 'text', text: JSON.stringify(data) }], structuredContent: data };
  const texts = content.map(({ type, text }) => ({ type, text: modelText(text) }));
  return { ...result, content: texts, structuredContent: data };
}
