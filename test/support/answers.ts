/** Reads parts of a tool's answer. */
import assert from 'node:assert/strict';

export type Answer = Record<string, unknown>;

export interface ToolFailure {
  code: string;
  message: string;
  remedy: string;
  retryAfterSeconds?: number;
  details: Record<string, unknown>;
}

/** The error in the answer of a failed call. */
export const failureOf = (answer: Answer) => answer.error as ToolFailure;

export const codeOf = (answer: Answer) => (answer.error as ToolFailure | undefined)?.code;

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The answer of a write without its `change_id`, which must be there. */
export function withoutChange(answer: unknown): Record<string, unknown> {
  const { change_id, ...rest } = answer as Record<string, unknown>;
  assert.match(String(change_id), UUID);
  return rest;
}
