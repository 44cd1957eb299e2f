/** What the owner can do about errors in the error history, which stores no remedies. By error code. */
import type { ErrorCode } from '../../domain/errors.ts';
import type { Remedy } from '../../domain/remedy.ts';

export const ERROR_REMEDIES: Readonly<
  Partial<Record<ErrorCode, Remedy>> & Record<string, Remedy | undefined>
> = {
  LOGIN_REQUIRED: { text: 'Connect the account again.' },
  SCOPE_MISSING: { text: 'Connect the account again and grant every permission.' },
  FORBIDDEN: { text: 'Spotify does not allow this for your account or your app; another request may work.' },
  PREMIUM_REQUIRED: { text: 'This needs Spotify Premium.' },
  APP_OWNER_PREMIUM_REQUIRED: { text: 'The owner of the Spotify app must have Premium.' },
  USER_NOT_REGISTERED: {
    text: 'Add the account to the user list of your Spotify app, in its dashboard under User Management.',
  },
  NO_ACTIVE_DEVICE: { text: 'Open Spotify on a device and play something there.' },
  DEVICE_NOT_FOUND: { text: 'Open Spotify on that device.' },
  RATE_LIMITED: { text: 'Wait: relay tries again by itself.' },
  QUOTA_EXCEEDED: { text: 'Wait until the daily quota resets. Jobs continue by themselves.' },
  PROVIDER_UNAVAILABLE: {
    text: 'Check the network connection. If it works, Spotify is down; try again later.',
  },
  PROVIDER_TIMEOUT: { text: 'Check the network connection. If it works, Spotify is slow; try again later.' },
  PROVIDER_INVALID_RESPONSE: { text: 'If it keeps happening, look for a newer version of relay.' },
  NOT_FOUND: { text: 'The item does not exist, or Spotify does not show it to apps.' },
};
