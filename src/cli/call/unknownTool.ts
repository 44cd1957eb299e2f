import { didYouMean } from '../../config/nearest.ts';
import { RelayError } from '../../domain/errors.ts';

/** For a name that no tool has: what it may have been. */
export function unknownTool(name: string, known: readonly string[]): RelayError {
  return new RelayError('USAGE', `There is no tool "${name}".`, {
    remedy: { text: `${didYouMean(name, known) ?? ''} {command} lists them.`.trim(), command: ['tools'] },
  });
}
