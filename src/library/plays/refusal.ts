/** Why an export is not read. The message names the file and what is wrong with it. */
export class RefusedExport extends Error {
  readonly remedy: string;

  constructor(message: string, remedy: string) {
    super(message);
    this.remedy = remedy;
  }
}

/** Remedy for an archive or file that cannot be what Spotify sent. */
export const DOWNLOAD_AGAIN =
  'Nothing was read. Download the export from Spotify again, and import that file as it is.';
