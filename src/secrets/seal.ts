/**
 * Sealing: AES-256-GCM under a key derived from the master key. A sealed value opens only under the name with which it was
 * sealed, so it cannot be moved to another row.
 */
import { createCipheriv, createDecipheriv, hash, hkdfSync, timingSafeEqual } from 'node:crypto';
import type { Random } from '../base/clock.ts';
import { RelayError } from '../domain/errors.ts';

/** First byte of a sealed value. Version 1: nonce, ciphertext, tag. */
const VERSION = 1;
/** 96 bits, the length that GCM uses unchanged (NIST SP 800-38D, 5.2.1.1). */
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const CHECK_NAME = 'check';
const CHECK_TEXT = 'relay master key';

export type Sealer = ReturnType<typeof createSealer>;

export function createSealer(masterKey: Buffer, random: Random) {
  // HKDF-SHA-256 (RFC 5869) without salt: the master key is uniformly random.
  const key = Buffer.from(hkdfSync('sha256', masterKey, '', 'relay seal v1', 32));

  function seal(domain: string, plaintext: string): Buffer {
    const nonce = random.bytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(domain));
    const ciphertext = Buffer.concat([cipher.update(plaintext, 'utf8'), cipher.final()]);
    return Buffer.concat([Buffer.of(VERSION), nonce, ciphertext, cipher.getAuthTag()]);
  }

  function open(domain: string, sealed: Uint8Array): string | null {
    if (sealed[0] !== VERSION || sealed.length < 1 + NONCE_BYTES + TAG_BYTES) return null;
    const nonce = sealed.subarray(1, 1 + NONCE_BYTES);
    const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES });
    decipher.setAAD(Buffer.from(domain)).setAuthTag(sealed.subarray(-TAG_BYTES));
    const ciphertext = sealed.subarray(1 + NONCE_BYTES, -TAG_BYTES);
    try {
      return Buffer.concat([decipher.update(ciphertext), decipher.final()]).toString('utf8');
    } catch {
      return null;
    }
  }

  return {
    /** Seals a value. `name` is the row's name; `open` needs the same name. */
    seal: (name: string, plaintext: string) => seal(secretDomain(name), plaintext),
    /** @throws RelayError `KEY_MISMATCH` if the key or the name is a different one, or the value is damaged */
    open(name: string, sealed: Uint8Array): string {
      const plaintext = open(secretDomain(name), sealed);
      if (plaintext === null)
        throw keyMismatch(`The stored ${name} cannot be opened with the current master key.`);
      return plaintext;
    },
    /** A sealed value by which `matches` recognizes the key. */
    check: () => seal(CHECK_NAME, CHECK_TEXT),
    /** True if `check` was made with this master key. */
    matches: (check: Uint8Array) => open(CHECK_NAME, check) === CHECK_TEXT,
  };
}

/** The prefix keeps every secret's domain different from that of the check. */
function secretDomain(name: string): string {
  return `secret ${name}`;
}

export function keyMismatch(message: string): RelayError {
  return new RelayError('KEY_MISMATCH', message, {
    remedy: {
      text: 'Put back the key that was used before (in your keychain, master.key or RELAY_ENCRYPTION_KEY), or start over with {command}.',
      command: ['login'],
    },
  });
}

/** Compares digests, so that the time does not show where the two differ, or whether their lengths do. */
export function equalSecrets(a: string, b: string): boolean {
  return timingSafeEqual(hash('sha256', a, 'buffer'), hash('sha256', b, 'buffer'));
}
