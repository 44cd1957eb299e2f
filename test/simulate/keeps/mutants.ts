/** Mistakes in the code that keeps and restores playlists, for histories of kept playlists. */
export const KEEP_MUTANTS = [
  {
    name: 'a run does not mind what others did',
    file: 'src/jobs/keeps/plan.ts',
    from: 'if (left !== null && !mayBeRows(left, present)) {',
    to: 'if (left?.length === -1) {',
    only: 'keeps',
  },
  {
    name: 'a kept playlist may be emptied',
    file: 'src/jobs/keeps/plan.ts',
    from: 'if (had > 0 && have === 0)',
    to: 'if (had < 0)',
    only: 'keeps',
  },
  {
    name: 'a run does not wait for the write of the run before it',
    file: 'src/jobs/keeps/run.ts',
    from: 'if (last?.outcome === null) return await',
    to: 'if (last?.id === "") return await',
    only: 'keeps',
  },
  {
    name: 'a restore leaves out the last row of that day',
    file: 'src/library/versions/restorePlan.ts',
    from: "const all = version.map(({ uri }) => uri ?? '');",
    to: "const all = version.slice(0, -1).map(({ uri }) => uri ?? '');",
    only: 'keeps',
  },
] as const;
