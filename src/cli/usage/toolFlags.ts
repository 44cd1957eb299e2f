/** The options `--toolsets` and `--read-only`, for the commands that have them. */
import type { SettingFlags } from '../../config/sources.ts';
import { RelayError } from '../../domain/errors.ts';
import { isToolset, splitToolsets, TOOLSETS, type ToolChoice } from '../../domain/toolsets.ts';

export interface ToolOptions {
  toolsets?: string | undefined;
  readOnly?: boolean | undefined;
}

export function toolFlags({ toolsets, readOnly }: ToolOptions): Pick<SettingFlags, 'toolsets' | 'readOnly'> {
  return {
    ...(toolsets === undefined ? {} : { toolsets }),
    ...(readOnly === undefined ? {} : { readOnly: String(readOnly) }),
  };
}

/** Reads which tools one client asks for. @throws RelayError `USAGE` */
export function toolChoice({ toolsets, readOnly }: ToolOptions): Partial<ToolChoice> {
  const names = splitToolsets(toolsets ?? '');
  const known = names.filter(isToolset);
  if (known.length < names.length || (toolsets !== undefined && names.length === 0)) {
    throw new RelayError('USAGE', `--toolsets must name toolsets, separated by commas, not "${toolsets}".`, {
      remedy: `They are ${TOOLSETS.join(', ')}.`,
    });
  }
  return {
    ...(known.length === 0 ? {} : { toolsets: known }),
    ...(readOnly === true ? { readOnly } : {}),
  };
}
