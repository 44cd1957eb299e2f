/** `--toolsets` and `--read-only`, for the commands that have them. */
import type { SettingFlags } from '../config/sources.ts';

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
