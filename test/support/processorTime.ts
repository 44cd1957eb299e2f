/** Processor milliseconds since `before`, which `process.cpuUsage()` returned. What else a busy machine does takes none of them. */
export function processorMs(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
