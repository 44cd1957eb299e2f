/** Replaces Node's icon and version, as Windows shows them, with ours. Pure. */
import { Data, NtExecutable, NtExecutableResource, Resource } from 'resedit';

/** American English, the language of Node's resources. */
const LANGUAGE = 0x409;
const UNICODE = 1_200;

export interface WinResources {
  /** PNG images by width. */
  icons: ReadonlyArray<{ size: number; png: Buffer }>;
  /** `1.2.3`. */
  version: string;
  /** By names such as `FileDescription`. */
  strings: Readonly<Record<string, string>>;
}

/**
 * Returns the program with its resources changed. A signature is removed, since it would not fit the new file.
 * @throws Error for a file that is not a Windows program
 */
export function setWinResources(file: Buffer, { icons, version, strings }: WinResources): Buffer {
  const program = NtExecutable.from(file, { ignoreCert: true });
  const resources = NtExecutableResource.from(program);
  resources.entries = resources.entries.filter(({ type }) => !REPLACED.has(type));
  const images = icons.map(({ size, png }) => Data.RawIconItem.from(png, size, size, 32));
  Resource.IconGroupEntry.replaceIconsForResource(resources.entries, 1, LANGUAGE, images);
  const info = Resource.VersionInfo.createEmpty();
  info.lang = LANGUAGE;
  Object.assign(info.fixedInfo, { fileType: APPLICATION, fileOS: WINDOWS });
  info.setFileVersion(version, LANGUAGE);
  info.setProductVersion(version, LANGUAGE);
  // The strings come last, since setting the versions also sets strings, in a different form.
  info.setStringValues({ lang: LANGUAGE, codepage: UNICODE }, { ...strings });
  info.outputToResourceEntries(resources.entries);
  resources.outputResource(program);
  return Buffer.from(program.generate());
}

/** Icons, groups of icons, and the version. */
const REPLACED = new Set<number | string>([3, 14, 16]);
const APPLICATION = 1;
const WINDOWS = 0x40004;
