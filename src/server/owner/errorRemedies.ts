/** What the owner can do about an error in the error history, by error code. The history itself stores no remedies. */
import type { ErrorCode } from '../../domain/errors.ts';

export const ERROR_REMEDIES: Partial<Record<ErrorCode, string>> & Record<string, string | undefined> = {
  LOGIN_REQUIRED: 'Connect the account again.',
  SCOPE_MISSING: 'Connect the account again and grant every permission.',
  FORBIDDEN: 'Spotify does not allow this for your account or your app; another request may work.',
  PREMIUM_REQUIRED: 'This needs Spotify Premium.',
  APP_OWNER_PREMIUM_REQUIRED: 'The owner of the Spotify app must have Premium.',
  USER_NOT_REGISTERED:
    'Add the account to the user list of your Spotify app, in its dashboard under User Management.',
  NO_ACTIVE_DEVICE: 'Open Spotify on a device and play something there.',
  DEVICE_NOT_FOUND: 'Open Spotify on that device.',
  RATE_LIMITED: 'Wait: Health shows what is blocked, and jobs continue by themselves.',
  QUOTA_EXCEEDED: 'Wait until the daily quota resets. Jobs continue by themselves.',
  PROVIDER_UNAVAILABLE: 'Check the network connection. If it works, Spotify is down; try again later.',
  PROVIDER_TIMEOUT: 'Check the network connection. If it works, Spotify is slow; try again later.',
  PROVIDER_INVALID_RESPONSE: 'If it keeps happening, look for a newer version of relay.',
  NOT_FOUND: 'The item does not exist, or Spotify does not show it to apps.',
};
