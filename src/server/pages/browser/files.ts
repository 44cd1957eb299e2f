/** Files for the owner's page: dropped anywhere on it, chosen or pasted. The server reads them. */
import type { OwnerPage } from './session.ts';

/** Maximum size of a list, which is the server's limit. */
const MAX_BYTES = 4 * 1024 * 1024;
/** Time limit for a file: uploading a gigabyte or reading 100,000 lines takes a slow computer more than a minute. */
const FILE_MS = 5 * 60_000;

export function takeFiles(own: OwnerPage): void {
  async function take(files: ArrayLike<File>): Promise<boolean> {
    const [file] = Array.from(files);
    if (!file) return false;
    if (!document.getElementById('import')) location.hash = '#home';
    const isHistory = /\.zip$/i.test(file.name);
    const shown = file.name.slice(0, 60);
    const isReadable = await file
      .slice(0, 1)
      .text()
      .then(
        () => true,
        () => false,
      );
    if (!isReadable) own.tell(`${shown} is a folder, or has changed since. Give the file again.`, true);
    else if (!isHistory && file.size > MAX_BYTES)
      own.tell(`${shown} is larger than 4 MiB. Use \`${own.program} import\` in a terminal.`, true);
    else {
      // The file is sent unchanged. Its name is in a header, so that no name is part of an address.
      const headers = {
        'content-type': 'application/octet-stream',
        'x-relay-import': encodeURIComponent(JSON.stringify({ fileName: file.name.slice(0, 200) })),
      };
      const path = isHistory ? 'plays/import' : 'import/read';
      const isTaken = await own.work(path, { method: 'POST', headers, body: file }, FILE_MS);
      if (isTaken && files.length > 1) own.tell(`One list at a time: this is ${shown}.`);
      document.getElementById('import')?.scrollIntoView({ block: 'nearest' });
      return isTaken;
    }
    return false;
  }

  const hasFile = (event: DragEvent) => event.dataTransfer?.types.includes('Files') === true;
  const over = (isOver: boolean) => document.getElementById('drop')?.classList.toggle('over', isOver);
  // A file may be dropped anywhere on the page. Outside the drop zone, it would otherwise replace the page.
  for (const type of ['dragover', 'drop'] as const) {
    addEventListener(type, (event) => {
      if (!hasFile(event)) return;
      event.preventDefault();
      over(type === 'dragover');
      if (type === 'drop') take(event.dataTransfer?.files ?? []);
    });
  }
  addEventListener('dragleave', ({ relatedTarget }) => {
    if (relatedTarget === null) over(false);
  });
  addEventListener('change', async ({ target }) => {
    if (!(target instanceof HTMLInputElement) || target.dataset.file === undefined) return;
    await take(target.files ?? []);
    target.value = '';
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
  return new File([text], 'Pasted list.txt', { type: 'text/plain' });
}
