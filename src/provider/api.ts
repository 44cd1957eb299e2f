/** The face of the provider that the resource files (catalog, playlists, player, …) are written against. */
import type { ProviderRequest, ProviderResponse } from './http/request.ts';

/** What one caller brings along: stops its own work, and hears how far it got. */
export interface Call {
  /** Aborted when the caller is gone or out of time; nothing new is sent to the provider after that. */
  signal: AbortSignal;
  /** `done` of `total` steps; called only for work of more than one provider request. */
  progress(done: number, total: number, message?: string): void;
}

export interface ProviderApi {
  /**
   * Sends one request: limits first, then a valid token, time-outs, retries of reads, one refresh after a 401.
   * @throws RelayError with the code for what went wrong and a remedy
   */
  send(request: ProviderRequest, call: Pick<Call, 'signal'>): Promise<ProviderResponse>;
}
