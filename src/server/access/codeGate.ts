/**
 * The line in which typed owner codes wait to be looked at: one at a time, and the more of them were wrong in the last
 * minute, the longer the pause between two. The pause is bounded, and who is next is drawn by lot among those who have
 * not used up their tries, so a program that floods the line delays the owner and does not shut the owner out.
 */
import type { Clock, Random } from '../../base/clock.ts';
import { createWindow } from '../../base/rateWindow.ts';

/** Wrong codes in a minute that cost nothing: people mistype. */
const FREE = 20;
/** Codes count together, whoever typed them. */
const ALL = 'all';
const STEP_MS = 25;
/** Two tries a second would take 5,000 years for half of the made codes; a longer pause would be felt by the owner. */
const MAX_PAUSE_MS = 500;
/** Bounds the memory; beyond it whoever has used up their tries, else somebody by lot, is turned away. */
const MAX_WAITING = 500;

interface Turn {
  /** Whether this browser has used up its tries: the others come first. */
  isLast: boolean;
  /** Whether nobody waits for the answer any more. */
  isGone(): boolean;
  judge(): boolean;
}

export interface CodeGate {
  /** Judges when it is the caller's turn; null when the line is too long, or the caller has left. */
  check(turn: Turn): Promise<boolean | null>;
}

export function createCodeGate({ clock, random }: { clock: Clock; random: Random }): CodeGate {
  const line: Array<Turn & { answer(right: boolean | null): void }> = [];
  const wrong = createWindow(FREE, clock);
  let lastAt = Number.NEGATIVE_INFINITY;
  let isMoving = false;

  function pauseMs(): number {
    const pause = Math.min(MAX_PAUSE_MS, Math.max(0, wrong.total(ALL) - FREE) * STEP_MS);
    return lastAt + pause - clock.now();
  }

  /** Takes out one of those for whom `isLast` is as given, by lot; without one, any. */
  function draw(isLast: boolean) {
    const preferred = line.filter((turn) => turn.isLast === isLast);
    const from = preferred.length > 0 ? preferred : line;
    const drawn = from[Math.floor(random.fraction() * from.length)];
    if (drawn) line.splice(line.indexOf(drawn), 1);
    return drawn;
  }

  async function move(): Promise<void> {
    while (line.length > 0) {
      const pause = pauseMs();
      if (pause > 0) await clock.sleep(pause);
      for (const turn of line.filter(({ isGone }) => isGone())) {
        line.splice(line.indexOf(turn), 1);
        turn.answer(null);
      }
      const next = draw(false);
      if (!next) continue;
      lastAt = clock.now();
      const right = next.judge();
      if (!right) wrong.count(ALL);
      next.answer(right);
    }
  }

  return {
    check(turn) {
      return new Promise((answer) => {
        line.push({ ...turn, answer });
        if (line.length > MAX_WAITING) draw(true)?.answer(null);
        if (isMoving) return;
        isMoving = true;
        move().finally(() => {
          isMoving = false;
        });
      });
    },
  };
}
