/** Processor milliseconds since `before`, which `process.cpuUsage()` returned. Other programs on a busy machine do not add to them. */
export function processorMs(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
