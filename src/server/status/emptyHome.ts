/** `relay status` in a home without a state. */
import { join } from 'node:path';
import { keyOptions } from '../../config/settings.ts';
import { MIGRATIONS } from '../../generated/sql.ts';
import { keySource } from '../../secrets/masterKey.ts';
import type { CoreOptions } from '../core.ts';
import type { Facts } from './status.ts';

/** The facts about a home without a state. */
export async function emptyFacts({
  settings,
  version,
}: Pick<CoreOptions, 'settings' | 'version'>): Promise<Facts> {
  const { home, demo } = settings;
  return {
    version,
    demo,
    home,
    server: null,
    account: {
      connected: false,
      reauthorizationRequired: false,
      name: null,
      id: null,
      scopes: [],
      missingScopes: [],
      accessTokenExpiresAt: null,
      loginExpiresAt: null,
      daysLeft: null,
    },
    key: {
      source: await keySource(keyOptions(settings)),
      warning: null,
    },
    database: {
      path: join(home, 'relay.db'),
      status: 'ok',
      schemaVersion: 0,
      expectedVersion: MIGRATIONS.at(-1)?.version ?? 0,
      schemaState: 'current',
      sizeBytes: 0,
      lastSavedAt: null,
    },
    mcp: {
      authMode: settings.mcpAuthMode,
      apiKeySet: settings.mcpApiKey !== null,
      clients: 0,
      registrationOpen: settings.dynamicRegistration,
      browsers: 0,
    },
    rateLimits: { blocked: [], requests24h: 0 },
    secrets: { mcpApiKey: false, providerClientSecret: false },
    jobs: { byStatus: {}, committable: 0, reviewRequired: 0, nextRunAfter: null },
    kept: { total: 0, review: 0, waiting: 0, paused: 0 },
    recentErrors: [],
    ownerCode: null,
    problem: null,
  };
}
