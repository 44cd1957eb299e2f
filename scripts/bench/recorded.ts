/** The bench results that the documents show: the last recorded run, rounded. */
import { readFileSync, writeFileSync } from 'node:fs';
import type { GrowthRow } from './growth.ts';
import type { LibraryMemory, LibraryTime } from './library.ts';
import type { StartRow } from './memory.ts';
import type { TaskRequests, TaskTime } from './tasks.ts';
import type { Throughput } from './throughput.ts';

export interface BenchResult {
  /** ISO 8601. */
  at: string;
  machine: { cpu: string; cores: number; node: string };
  throughput: Throughput[];
  requests: TaskRequests[];
  times: TaskTime[];
  start: StartRow[];
  growth: GrowthRow[];
  library: { times: LibraryTime[]; memory: LibraryMemory[] };
}

const RECORDED = new URL('./recorded.json', import.meta.url);

/** Records a run. Parts that the run did not measure keep their figures. */
export function recordBench(result: Partial<BenchResult>): void {
  const known = JSON.parse(readFileSync(RECORDED, 'utf8')) as BenchResult;
  const short = JSON.stringify({ ...known, ...result }, (_name, value) =>
    typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(3)) : value,
  );
  writeFileSync(RECORDED, `${JSON.stringify(JSON.parse(short), null, 2)}\n`);
}

type Row = [what: string, relay: string, beside: string];

/** Returns the results as a table, with the machine that they come from. */
export function benchMarkdown(): string {
  const { at, machine, throughput, requests, times, start, growth, library } = JSON.parse(
    readFileSync(RECORDED, 'utf8'),
  ) as BenchResult;
  const rows: Row[] = [
    ...[...new Set(throughput.map(({ what }) => what))].map((what): Row => {
      const found = throughput.filter((row) => row.what === what);
      const called = what.replace(/^tools\/\w+/, '`$&`');
      return [
        `${called}, a second`,
        range(found.map(({ relay }) => relay)),
        `${range(found.map(({ toPlain }) => toPlain))} times a plain SDK server with the same tools; ${range(
          found.map(({ toBare }) => toBare),
        )} of a bare server that sends a prepared text`,
      ];
    }),
    [
      `Requests to Spotify for ${requests.length} tasks`,
      String(sum(requests.map((row) => row.requests))),
      `${sum(requests.map(({ fewest }) => fewest))} are the fewest possible`,
    ],
    ...times.map(
      ({ task, took, oneByOne, ratio }): Row => [
        capital(`${task}, 80 ms away`),
        `${seconds(took)} s`,
        `${figure(ratio)} of the ${seconds(oneByOne)} s that the same requests take one after another`,
      ],
    ),
    ...start.flatMap(({ when, ready, bareReady = 1, memory, ratio }): Row[] => [
      ...(ready === undefined
        ? []
        : [
            [
              `Start until ${when}`,
              `${figure(ready)} ms`,
              `${figure(ready / bareReady)} times a bare Node server`,
            ] satisfies Row,
          ]),
      [`Memory, ${when}`, `${figure(memory)} MB`, `${figure(ratio)} times a bare Node server`],
    ]),
    ...growth
      .filter(({ tracks }) => tracks === 10_000)
      .map(
        ({ tracks, longest }): Row => [
          `Longest pause with ${tracks.toLocaleString('en-US')} known tracks`,
          `${figure(longest)} ms`,
          'of processor time, while a job of 10,000 songs is made and searched for',
        ],
      ),
    [
      'A question to a library of 20,000 rows',
      `${range(library.times.slice(1).map(({ took }) => took))} ms`,
      `${range(library.times.slice(1).map(({ toNone }) => toNone))} times a question that reads no row`,
    ],
    ...library.memory.map(
      ({ when, memory, more }): Row => [
        `Memory, ${when}, 20,000 rows`,
        `${figure(memory)} MB`,
        `${more < 1 ? 'no more' : `${figure(more)} MB more`} than before`,
      ],
    ),
  ];
  const day = at.slice(0, 10);
  return [
    '| | relay | |',
    '|---|---:|---|',
    ...rows.map((row) => `| ${row.join(' | ')} |`),
    '',
    `Measured on ${day}: ${machine.cores} cores, ${machine.cpu}, Node.js ${machine.node.slice(1)}. Ranges are over both protocol revisions, one connection and sixteen.`,
  ].join('\n');
}

function range(values: readonly number[]): string {
  const [least, most] = [Math.min(...values), Math.max(...values)].map(figure);
  return least === most ? `${least}` : `${least} to ${most}`;
}

/** Two significant digits. */
function figure(value: number): string {
  const rounded = Number(value.toPrecision(2));
  return rounded.toLocaleString('en-US', { maximumFractionDigits: rounded < 1 ? 3 : 1 });
}

function seconds(ms: number): string {
  return figure(ms / 1_000);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
