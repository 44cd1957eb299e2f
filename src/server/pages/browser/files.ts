/** Files for the owner's page: dropped anywhere on it, chosen or pasted. The server reads them. */
import type { OwnerPage } from './ownerPage.ts';
import { Refused, send } from './session.ts';

/** Maximum size of a list, which is the server's limit. */
const MAX_BYTES = 4 * 1024 * 1024;
/** Time limit for a file: uploading a gigabyte or reading 100,000 lines takes a slow computer more than a minute. */
const FILE_MS = 5 * 60_000;
/** Name of the file that pasted text becomes. */
const PASTED = 'Pasted list.txt';

export function takeFiles(own: OwnerPage): void {
  async function take(files: ArrayLike<File>): Promise<boolean> {
    const [file] = Array.from(files);
    const card = document.getElementById('import');
    if (!file || !card) {
      if (file) location.hash = '#home';
      return false;
    }
    const isHistory = /\.zip$/i.test(file.name);
    const shown = file.name.slice(0, 60);
    if (!isHistory && file.size > MAX_BYTES) {
      own.tell(`${shown} is larger than 4 MiB. Use \`${own.program} import\` in a terminal.`, true);
      return false;
    }
    const path = isHistory ? 'plays/import' : 'import/read';
    const isTaken = await own.work('file', () => upload(own, path, file));
    if (isTaken && files.length > 1) own.tell(`One list at a time: this is ${shown}.`);
    document.getElementById('import')?.scrollIntoView({ block: 'nearest' });
    return isTaken;
  }

  const hasFile = (event: DragEvent) => event.dataTransfer?.types.includes('Files') === true;
  const over = (isOver: boolean) => document.getElementById('drop')?.classList.toggle('over', isOver);
  // A file may be dropped anywhere on the page. Outside the drop zone, it would otherwise replace the page.
  addEventListener('dragover', (event) => {
    if (!hasFile(event)) return;
    event.preventDefault();
    over(true);
  });
  addEventListener('dragleave', (event) => {
    if (event.relatedTarget === null) over(false);
  });
  addEventListener('drop', (event) => {
    if (!hasFile(event)) return;
    event.preventDefault();
    over(false);
    take(event.dataTransfer?.files ?? []);
  });
  addEventListener('change', ({ target }) => {
    if (!(target instanceof HTMLInputElement) || target.dataset.file === undefined) return;
    take(target.files ?? []).then(() => {
      target.value = '';
    });
  });
  addEventListener('submit', async (event) => {
    const form = event.target as HTMLFormElement;
    if (form.dataset.paste === undefined) return;
    event.preventDefault();
    const text = String(new FormData(form).get('text'));
    if (text.trim() !== '' && (await take([asFile(text)]))) form.reset();
  });
  addEventListener('paste', ({ target, clipboardData }) => {
    if (target instanceof Element && target.matches('input, textarea')) return;
    const files = clipboardData?.files ?? [];
    const text = clipboardData?.getData('text/plain') ?? '';
    if (files.length > 0) take(files);
    else if (document.getElementById('drop') && text.trim() !== '') take([asFile(text)]);
  });
}

function asFile(text: string): File {
  return new File([text], PASTED, { type: 'text/plain' });
}

/** Sends a file unchanged. Its name is in a header, so that no name is part of an address. */
async function upload(own: OwnerPage, path: string, file: File): Promise<Record<string, unknown>> {
  const headers = {
    ...own.headers(),
    'content-type': 'application/octet-stream',
    'x-relay-import': encodeURIComponent(JSON.stringify({ fileName: file.name.slice(0, 200) })),
  };
  try {
    return await (await send(`/owner/${path}`, { method: 'POST', headers, body: file }, FILE_MS)).json();
  } catch (error) {
    // If the file itself cannot be read, the request failed for that reason.
    const isReadable = await file
      .slice(0, 1)
      .arrayBuffer()
      .then(
        () => true,
        () => false,
      );
    if (isReadable) throw error;
    throw new Refused(400, {
      message: `${file.name.slice(0, 60)} is a folder, or has changed since. Give the file again.`,
    });
  }
}
