/** Connects the command line to the process: its signals, its output and its exit code. */
import { fstatSync } from 'node:fs';
import { isatty } from 'node:tty';
import { visibleText } from '../../base/visibleText.ts';
import { RelayError } from '../../domain/errors.ts';
import { EXIT, type ExitCode } from '../exit.ts';
import { isFromNohup } from './processWorld.ts';

/** How long a finished program waits for work that cannot be stopped, in milliseconds. */
const LINGER_MS = 1_000;

/**
 * Runs `work` and returns the exit code once all output is written. The first SIGINT or SIGTERM asks `work` to stop. The second
 * ends the process at once. SIGHUP asks `work` to stop too, since the terminal or the client has gone, unless the process was
 * detached from both.
 */
export async function runProcess(work: (signal: AbortSignal) => Promise<ExitCode>): Promise<ExitCode> {
  const stop = new AbortController();
  const onSignal = () => {
    if (stop.signal.aborted) process.exit(EXIT.interrupted);
    stop.abort(new RelayError('INTERRUPTED', 'Interrupted.'));
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  // A closing terminal may send SIGHUP more than once, so a second one does not end the process.
  const onHangUp = () => stop.signal.aborted || onSignal();
  process.on('SIGHUP', isDetached() ? () => {} : onHangUp);
  // A reader that stops early (`relay tools | head`) is not a failure.
  const isTerminal = isatty(1);
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // A terminal that is closed may fail before its SIGHUP comes.
    if (isTerminal && error.code === 'EIO') onHangUp();
    else endWithoutOutput(error);
  });
  // Without a listener, an error of stderr would end the process. The reader may have gone (`relay status 2>&1 | head -1`), or
  // the disk may be full (`relay serve 2>relay.log`). There is nowhere left to report the error.
  process.stderr.on('error', () => {});

  const code = await work(stop.signal);
  await flushed(process.stdout);
  // A native keychain call may hang forever and would keep the process running.
  setTimeout(() => process.exit(code), LINGER_MS).unref();
  return code;
}

/**
 * True if the process was started by `nohup`, or without a terminal and without a client on stdin. `nohup` makes a program ignore
 * SIGHUP, but Node undoes that. On macOS, `nohup` leaves the terminal on stdin, so the streams alone do not tell.
 */
function isDetached(): boolean {
  if (isFromNohup()) return true;
  if ([0, 1, 2].some((stream) => isatty(stream))) return false;
  try {
    const stdin = fstatSync(0);
    return !stdin.isFIFO() && !stdin.isSocket();
  } catch {
    return true;
  }
}

function flushed(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    if (stream.destroyed || stream.writableLength === 0) resolve();
    else stream.write('', () => resolve());
  });
}

/**
 * Ends the program if its output is lost, since no command can do anything about that. A reader that went away (EPIPE) is no
 * error.
 */
function endWithoutOutput(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') return;
  process.stderr.write(
    `relay: Standard output cannot be written: ${error.code ?? visibleText(error.message)}.\n`,
  );
  process.exit(EXIT.failed);
}
