/** A client: asks relay for one thing after another, follows each to its end, and has it judged. A person may edit meanwhile. */
import type { DemoPlaylist, PlaylistRow } from '../../src/demo/state.ts';
import { sameRows, without } from '../../src/domain/rows.ts';
import { type Doing, doingOf } from './asks.ts';
import { type Edits, type Finding, judge, shown } from './oracle.ts';
import type { Ask, Deed, Moment, Plan } from './plan.ts';
import type { Answer, Computer } from './world/computer.ts';
import type { MemoryDisk } from './world/disk.ts';
import type { Network } from './world/network.ts';
import { rowOf, type Spotify, uriOf, urisOf } from './world/spotify.ts';
import type { VirtualTime } from './world/time.ts';

/** What a history is played on. */
export interface Stage {
  plan: Plan;
  time: VirtualTime;
  spotify: Spotify;
  network: Network;
  disk: MemoryDisk;
  computer: Computer;
  list: DemoPlaylist;
  say(line: () => string): void;
  found(finding: Finding): void;
}

/** What is under way, or has been. */
interface Work {
  what: string;
  doing: Doing;
  ask: Ask | null;
  before: readonly string[];
  goal: readonly string[];
  /** Lists that an undo may bring back: the first one, and those that stood when a review was decided. */
  origins: Array<readonly string[]>;
  /** How many deeds there were when it read the list. */
  deeds: number;
  /** True if somebody has decided that the list becomes what was asked for, whatever others did. */
  mayLose: boolean;
  isReviewed: boolean;
  /** True if the person does nothing more meanwhile. */
  isActed: boolean;
  /** The newest change from before it. */
  earlier: string | null;
}

/** A change that can be undone. */
interface Made extends Pick<Work, 'what' | 'doing' | 'before' | 'origins' | 'deeds'> {
  id: string;
  after: readonly string[];
  /** True if an undo may refuse: an undo of it has stopped part-way, or a person has decided how it ended. */
  mayRefuse: boolean;
}

type Job = { job_id: string; status: string; review_required?: boolean; run_after?: string };
type Change = { change_id: string; state: string };

const HOUR = 3_600_000;
const OPEN = new Set(['pending', 'resolving', 'waiting', 'ready', 'committing', 'failed']);
const ENDED = new Set(['done', 'partial', 'rolled_back', 'unchanged']);
/** How often a failed job is resumed before it is cancelled, how often jobs are looked at, and how often an undo is tried. */
const RESUMES = 2;
const LOOKS = 400;
const UNDOS = 8;
/** A person acts only if nothing has been on its way for so long, in milliseconds. */
const QUIET_MS = 100;

/** Resolves after `ms` milliseconds of the history. */
export function later({ time }: Pick<Stage, 'time'>, ms: number): Promise<void> {
  return new Promise((resolve) => void time.after(Math.round(ms), resolve));
}

export class Client {
  readonly #stage: Stage;
  readonly #made: Made[] = [];
  readonly #deeds: Array<{ deed: Deed; uri: string }> = [];
  #work: Work | null = null;
  #asked = 0;
  /** The newest change when the last work ended. */
  #last: string | null = null;

  constructor(stage: Stage) {
    this.#stage = stage;
    stage.network.onDoubt = () => {
      const during = this.#work?.ask?.during;
      if (during?.when === 'doubt') stage.time.after(during.after, () => this.#inDoubt(this.#work));
    };
  }

  /** Asks for everything that is planned, and then undoes all of it in reverse order. */
  async run(): Promise<void> {
    const { plan, network, computer } = this.#stage;
    for (const ask of plan.asks) {
      await later(this.#stage, ask.pause);
      await this.#rest();
      if (ask.before) this.#doIt(ask.before);
      await this.#perform(ask);
    }
    network.faults.clear();
    await computer.up();
    while (this.#made.length > 0) await this.#undo(this.#made.pop() as Made, null, true);
  }

  async #perform(ask: Ask): Promise<void> {
    const { spotify, list, found } = this.#stage;
    if (ask.do === 'undo') {
      const made = this.#made.pop();
      return made && this.#undo(made, ask, false);
    }
    const doing = doingOf(ask, spotify, list, ++this.#asked);
    if (!doing) return;
    const what = ask.do === 'job' ? `job ${ask.type}` : ask.do;
    const work = this.#begin(what, doing, doing.goal(doing.read()), ask);
    const answer = await this.#call(doing.tool, doing.args, ask.leaves);
    if (ask.do === 'job' && ask.cancel !== null && answer?.job_id) {
      await later(this.#stage, ask.cancel);
      await this.#call('cancel_job', { job_id: answer.job_id });
    }
    const isToldDone = answer !== null && !answer.error && !answer.job_id && answer.status !== 'deferred';
    if (!isToldDone) await this.#settle(work);
    if (answer?.error?.code === 'CONFLICT' && this.#deeds.length === 0)
      found({ kind: 'refusal', rule: `${what}: refused`, text: answer.error.message });
    await this.#end(work, isToldDone);
  }

  #begin(what: string, doing: Doing, goal: readonly string[], ask: Ask | null): Work {
    const before = doing.read();
    this.#work = {
      ...{ what, doing, ask, before, goal, origins: [before], deeds: this.#deeds.length },
      ...{ mayLose: false, isReviewed: false, isActed: ask?.during == null, earlier: this.#last },
    };
    return this.#work;
  }

  /** Judges what has become of a work. @returns how its change has ended; null if there is none */
  async #end(work: Work, isToldDone: boolean): Promise<string | null> {
    const { what, doing, before, origins, deeds } = work;
    const newest = await this.#newest();
    const change = newest && newest.change_id !== work.earlier ? newest : null;
    this.#last = newest?.change_id ?? null;
    this.#work = null;
    const now = doing.read();
    const edits = this.#editsSince(doing.kind === 'other' ? this.#deeds.length : deeds);
    const outcome = change?.state ?? null;
    this.#stage.say(() => `ends ${outcome}: ${shown(now)}`);
    const finding = judge({ ...work, now, outcome, isToldDone, edits });
    if (finding) this.#stage.found(finding);
    const canUndo = (outcome === 'done' || outcome === 'partial') && !what.includes('undo');
    if (change && canUndo)
      this.#made.push({
        ...{ id: change.change_id, what, doing, after: now, origins },
        // What stood there when the owner decided is what an undo brings back.
        before: work.isReviewed ? (origins.at(-1) ?? before) : before,
        deeds: work.isReviewed ? this.#deeds.length : deeds,
        mayRefuse: work.isReviewed,
      });
    return outcome;
  }

  /** @param isLast true to try again until nothing stands in its way */
  async #undo(made: Made, ask: Ask | null, isLast: boolean, force = false): Promise<void> {
    const { doing, id } = made;
    for (let tries = 0; tries < UNDOS; tries++) {
      await this.#rest();
      const present = doing.read();
      const isAlone = () => doing.kind === 'other' || this.#deeds.length === made.deeds;
      const isAsLeft = () => isAlone() && sameRows(present, made.after);
      const what = `${force ? 'forced ' : ''}undo of ${made.what}`;
      const work = this.#begin(what, { ...doing, isPart: () => true }, made.before, ask);
      work.mayLose = force;
      const answer = await this.#call('undo_change', { change_id: id, force }, ask?.leaves ?? null);
      const isToldDone = answer !== null && !answer.error && !answer.job_id;
      if (!isToldDone) await this.#settle(work);
      const { code, message = '' } = answer?.error ?? {};
      if (code === 'CONFLICT' && !/being written/.test(message)) {
        if (isAsLeft() && !made.mayRefuse)
          this.#stage.found({ kind: 'refusal', rule: `${what}: refused`, text: message });
        await this.#end(work, false);
        if (ask?.do === 'undo' && ask.force && !force) await this.#undo(made, null, false, true);
        return;
      }
      const now = doing.read();
      const isOrigin = made.origins.some((origin) => sameRows(origin, now));
      if (isAsLeft() ? isOrigin : wasTakenOut(made, present)) work.goal = now;
      else if (!isAsLeft()) work.deeds = Math.min(work.deeds, made.deeds);
      const outcome = await this.#end(work, isToldDone);
      // The owner has given up what was done before.
      if (force && (outcome === 'done' || outcome === 'partial')) made.deeds = this.#deeds.length;
      if (outcome === 'done' || isToldDone) return;
      if (outcome === 'partial') made.mayRefuse = true;
      made.after = doing.read();
      if (!isLast) break;
      await later(this.#stage, 4 * HOUR);
    }
    if (!isLast) this.#made.push(made);
  }

  /** Follows every job to its end, and does what a patient owner would do. */
  async #settle(work: Work): Promise<void> {
    const { computer, found, time } = this.#stage;
    const resumed = new Map<string, number>();
    for (let look = 0; look < LOOKS; look++) {
      await this.#rest();
      const { items = [] } = ((await computer.call('list_jobs', { limit: 20 })) ?? {}) as { items?: Job[] };
      const jobs = items.filter(({ status }) => OPEN.has(status));
      if (jobs.length === 0 && ENDED.has((await this.#newest())?.state ?? 'unchanged')) return;
      for (const job of jobs) await this.#tend(work, job, resumed);
      const due = jobs.map(({ run_after = '' }) => Date.parse(run_after) - time.wall());
      const wait = jobs.every(({ status }) => status === 'waiting') ? Math.min(...due) : 0;
      const least = Math.min(500 * 1.5 ** look, 60_000);
      await later(this.#stage, Number.isFinite(wait) ? Math.max(least, wait + 500) : least);
    }
    found({ kind: 'end', rule: `${work.what}: its job does not end`, text: '' });
  }

  async #tend(work: Work, { job_id, status, review_required }: Job, resumed: Map<string, number>) {
    if (status === 'ready') await this.#call('commit_job', { job_id });
    if (status === 'waiting') await this.#between(work, 'waiting');
    if (status !== 'failed') return;
    if (review_required) return this.#decide(work, job_id);
    const times = resumed.get(job_id) ?? 0;
    resumed.set(job_id, times + 1);
    await this.#call(times < RESUMES ? 'resume_job' : 'cancel_job', { job_id });
  }

  /** Answers a review. */
  async #decide(work: Work, job_id: string): Promise<void> {
    if (this.#deeds.length === work.deeds && !work.isReviewed)
      this.#stage.found({ kind: 'review', rule: `${work.what}: a review`, text: shown(work.doing.read()) });
    work.isReviewed = true;
    await this.#between(work, 'review');
    const decision = work.ask?.decision ?? 'continue';
    const present = work.doing.read();
    work.origins.push(present);
    const answer = await this.#call('resume_job', { job_id, review: decision });
    if (!answer || answer.error) return later(this.#stage, 1_000 * (answer?.error?.retryAfterSeconds ?? 0));
    work.mayLose = decision !== 'keep';
    if (decision === 'continue') return;
    const now = work.doing.read();
    const taken = without(present, now);
    // Of a long list, relay knows only the end, so it takes out what it has added and leaves the rest.
    const isTakenOut =
      work.doing.kind === 'add' &&
      without(now, present).length === 0 &&
      taken.every((uri) => work.doing.uris.includes(uri));
    const goal = decision === 'keep' || isTakenOut ? now : work.before;
    Object.assign(work, { goal, before: present, deeds: this.#deeds.length });
  }

  async #newest(): Promise<Change | null> {
    const changes = await this.#stage.computer.call('list_changes', { limit: 1 });
    return (changes?.items as Change[] | undefined)?.[0] ?? null;
  }

  async #call(
    tool: string,
    args: Record<string, unknown>,
    leaves: number | null = null,
  ): Promise<Answer | null> {
    const { say, found, time, computer } = this.#stage;
    const gone = new AbortController();
    if (leaves !== null) time.after(leaves, () => gone.abort());
    say(() => `asks ${tool} ${told(args)}`);
    const answer = await computer.call(tool, args, gone.signal);
    if (answer?.error?.code === 'INTERNAL')
      found({ kind: 'refusal', rule: `${tool}: an internal error`, text: '' });
    say(() => `hears ${answer?.error ? `${answer.error.code} ${answer.error.message}` : told(answer)}`);
    return answer;
  }

  /** Waits until nothing of relay's is on its way. */
  async #rest(): Promise<void> {
    while (this.#stage.network.isBusy) await later(this.#stage, 200);
  }

  /** Lets a person act between two steps of a work, if that is planned. */
  async #between(work: Work, moment: Moment): Promise<void> {
    if (!this.#isDue(work, moment)) return;
    const isBegun = moment === 'review' || (await this.#isBegun(work));
    this.#doMeanwhile(work);
    if (!isBegun) this.#readAnew(work);
  }

  /** Lets a person act while the computer is down. Call the returned function once it is up again. */
  whileDown(): () => Promise<void> {
    const work = this.#work;
    if (!work || !this.#isDue(work, 'down')) return async () => {};
    this.#doMeanwhile(work);
    return async () => {
      if (!(await this.#isBegun(work))) this.#readAnew(work);
    };
  }

  /** Lets a person act as soon as nothing is on its way, as long as relay does not know how its last write ended. */
  #inDoubt(work: Work | null, tries = 0): void {
    const { network, time } = this.#stage;
    if (!work || work !== this.#work || work.isActed || !network.isInDoubt) return;
    if (this.#isDue(work, 'doubt') && time.at - network.lastAt >= QUIET_MS) void this.#between(work, 'doubt');
    else if (tries < 100) time.after(QUIET_MS, () => this.#inDoubt(work, tries + 1));
  }

  #isDue({ isActed, ask }: Work, moment: Moment): boolean {
    return !isActed && ask?.during?.when === moment && !this.#stage.network.isBusy;
  }

  #doMeanwhile(work: Work): void {
    work.isActed = true;
    if (work.ask?.during) this.#doIt(work.ask.during.deed);
  }

  async #isBegun({ earlier }: Work): Promise<boolean> {
    const newest = await this.#newest();
    return newest !== null && newest.change_id !== earlier;
  }

  /** Nothing was read before the person acted, so the work begins with the edited list. */
  #readAnew(work: Work): void {
    work.before = work.doing.read();
    work.origins = [work.before];
    if (!work.what.includes('undo')) work.goal = work.doing.goal(work.before);
    work.deeds = this.#deeds.length;
  }

  #doIt(deed: Deed): void {
    const { spotify, list, say } = this.#stage;
    const uris = urisOf(list);
    const isNew = deed.do === 'add';
    const place = Math.floor(deed.place * (uris.length + Number(isNew)));
    const uri = isNew ? uriOf(deed.track) : uris[place];
    // Rows that are there twice cannot be told apart.
    if (uri === undefined || uris.filter((one) => one === uri).length !== Number(!isNew)) return;
    spotify.edit(list, (rows) => edited(rows, deed, place, uri));
    this.#deeds.push({ deed, uri });
    say(() => `a person ${deed.do}s ${shown([uri])} at ${place}: ${shown(urisOf(list))}`);
  }

  #editsSince(from: number): Edits {
    const since = this.#deeds.slice(from);
    const of = (what: Deed['do']) =>
      new Set(since.filter(({ deed }) => deed.do === what).map(({ uri }) => uri));
    return { added: of('add'), gone: of('remove'), moved: of('move') };
  }
}

/** True if an undo has taken out exactly what an addition has added, and nothing else. */
function wasTakenOut({ doing, before, after }: Made, present: readonly string[]): boolean {
  const now = doing.read();
  const taken = without(present, now).sort();
  const own = without(after, before).filter((uri) => doing.uris.includes(uri));
  return doing.kind === 'add' && without(now, present).length === 0 && sameRows(taken, own.sort());
}

function edited(rows: readonly PlaylistRow[], deed: Deed, place: number, uri: string): PlaylistRow[] {
  if (deed.do === 'add') return rows.toSpliced(place, 0, rowOf(uri));
  const rest = rows.toSpliced(place, 1);
  if (deed.do === 'remove') return rest;
  return rest.toSpliced(Math.floor(deed.to * rows.length), 0, rows[place] as PlaylistRow);
}

/** A value in a line of a story. */
function told(value: unknown): string {
  const short = (_: string, part: unknown) =>
    Array.isArray(part) && typeof part[0] === 'string' ? shown(part) : part;
  return JSON.stringify(value, short).slice(0, 300);
}
