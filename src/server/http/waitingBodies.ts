/**
 * Limits the bytes of bodies that are not complete yet, over all connections: anyone who can send a body can begin hundreds and
 * never finish them. Each kind of sender has its own share. So strangers cannot crowd out clients or the owner's page, and neither
 * strangers nor clients can crowd out the command line.
 */

/** Who sends a body: `anyone` has shown no credential; `client` has shown one, or is a signed-in page. */
export type Sender = 'anyone' | 'client' | 'commandLine';

/**
 * Number of bytes for each kind of sender. The command line has no limit: anyone who can use it has full access to relay's
 * files.
 */
const SHARES: Readonly<Record<Sender, number>> = {
  anyone: 2 * 1024 * 1024,
  client: 64 * 1024 * 1024,
  commandLine: Number.POSITIVE_INFINITY,
};

/** Estimated memory that each chunk takes besides its bytes. Without it, a body sent byte by byte would count too little. */
const CHUNK_BYTES = 128;

export interface WaitingBodies {
  /** Adds a body. @param giveUp ends the body; called if the share is too full and no body in it has waited longer */
  add(from: Sender, giveUp: () => void): WaitingBody;
}

interface WaitingBody {
  grew(bytes: number): void;
  /** Reports that the body is complete, or that nobody waits for it any more. */
  end(): void;
}

interface Entry {
  bytes: number;
  giveUp: () => void;
}

export function createWaitingBodies(shares: Readonly<Record<Sender, number>> = SHARES): WaitingBodies {
  const waiting = { anyone: createShare(), client: createShare(), commandLine: createShare() };

  return {
    add(from, giveUp) {
      const share = waiting[from];
      const entry: Entry = { bytes: 0, giveUp };
      return {
        grew(bytes) {
          entry.bytes += bytes + CHUNK_BYTES;
          share.bytes += bytes + CHUNK_BYTES;
          share.entries.add(entry);
          // Ends the oldest bodies until the share fits. A body that arrives in one chunk is complete before bytes of another body
          // can push it out.
          for (const oldest of share.entries) {
            if (share.bytes <= shares[from]) break;
            remove(share, oldest);
            oldest.giveUp();
          }
        },
        end: () => remove(share, entry),
      };
    },
  };
}

interface Share {
  bytes: number;
  /** The waiting bodies, in the order of their first bytes. */
  entries: Set<Entry>;
}

function createShare(): Share {
  return { bytes: 0, entries: new Set() };
}

function remove(share: Share, entry: Entry): void {
  if (share.entries.delete(entry)) share.bytes -= entry.bytes;
}
