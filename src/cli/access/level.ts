/** The option `--access` of several commands. */
import { isLevel, LEVELS, type Level } from '../../domain/access.ts';
import { RelayError } from '../../domain/errors.ts';

export const ACCESS_HELP = `What it may do: ${LEVELS.join(', ')}`;

/** @throws RelayError `USAGE` */
export function levelOf(text: string): Level {
  const level = text.trim().toLowerCase();
  if (isLevel(level)) return level;
  throw new RelayError('USAGE', `"${text}" is no level of access.`, {
    remedy: `Use one of ${LEVELS.join(', ')}.`,
  });
}
