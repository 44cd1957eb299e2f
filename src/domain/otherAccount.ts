import { RelayError } from './errors.ts';

/**
 * What was begun for one account is never done with another.
 * @param subject what it is: `This job`
 * @param next completes the remedy, after the command that connects that account
 */
export function otherAccount(subject: string, next = ', then try again.'): RelayError {
  return new RelayError(
    'FORBIDDEN',
    `${subject} belongs to a different Spotify account from the connected one.`,
    {
      remedy: {
        text: `Connect that account with {command}${next}`,
        command: ['login', '--switch-account'],
      },
      details: { reason: 'other_account' },
    },
  );
}
