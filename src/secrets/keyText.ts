/** The master key as text: base64 of 32 bytes. */

export const KEY_BYTES = 32;

export function encodeKey(key: Buffer): string {
  return key.toString('base64');
}

/** The key, or null for anything but base64 (RFC 4648, section 4 or 5, with or without padding) of 32 bytes. */
export function decodeKey(text: string): Buffer | null {
  if (!/^[A-Za-z0-9+/_-]{43}=?$/.test(text)) return null;
  const key = Buffer.from(text, 'base64');
  return key.length === KEY_BYTES ? key : null;
}
