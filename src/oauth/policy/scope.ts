/** Scopes (RFC 6749 3.3). Pure. */
import { SCOPE } from './limits.ts';

/** Absent means the only scope; an unknown one is refused rather than left out, so that no client believes to have it. */
export function isKnownScope(scope: string | null): boolean {
  return scope === null || scope.split(' ').every((word) => word === SCOPE);
}
