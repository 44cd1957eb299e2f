/** Which versions of a playlist are kept: more of them the younger they are. Pure. */

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const MONTH_MS = 30 * DAY_MS;

/**
 * Keeps all versions of the last hour. Of older versions, keeps the newest of each hour for a day and the newest of each day
 * for a month. After a month, keeps the newest of each week. Days and weeks are those of this computer's time zone.
 * @param times of the versions in order, in Unix milliseconds
 * @returns whether each is kept. The newest always is. So is a version dated later than the next one, as after the clock was
 *   set back
 */
export function keptVersions(times: readonly number[], now: number): boolean[] {
  return times.map((time, index) => {
    const next = times[index + 1];
    if (next === undefined || next < time) return true;
    const period = periodAt(now - time);
    return period === null || period(time) !== period(next);
  });
}

/** Returns a function that identifies a time's period, of which only the newest version is kept; null if all are kept. */
function periodAt(age: number): ((time: number) => string | number) | null {
  if (age < HOUR_MS) return null;
  if (age < DAY_MS) return hourOf;
  return age < MONTH_MS ? dayOf : weekOf;
}

/** Identifies the hour of UTC and the local day. In zones such as India's, midnight splits an hour of UTC into two days. */
function hourOf(time: number): string {
  return `${Math.floor(time / HOUR_MS)} ${dayOf(time)}`;
}

function dayOf(time: number): string {
  const date = new Date(time);
  return `${date.getFullYear()}-${date.getMonth()}-${date.getDate()}`;
}

/** Identifies the week by its Monday. */
function weekOf(time: number): string {
  const date = new Date(time);
  date.setDate(date.getDate() - ((date.getDay() + 6) % 7));
  return dayOf(date.getTime());
}
