/**
 * CPU time of this thread in microseconds; real time before Node 23.9. The kernel counts the time of a running thread
 * only at its next tick, up to 4 ms later. Reading the time of the whole process counts the running thread at once.
 */
export function threadMicros(): number {
  if (process.threadCpuUsage === undefined) return performance.now() * 1000
  process.cpuUsage()
  const { user, system } = process.threadCpuUsage()
  return user + system
}
