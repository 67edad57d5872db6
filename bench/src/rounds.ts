/** The cost of one round of a contender: calls, and seconds of process CPU, main-thread CPU and wall clock. */
export type Round = {
  readonly calls: number
  readonly cpuSeconds: number
  readonly threadSeconds: number
  readonly wallSeconds: number
}

export type Contender = { readonly name: string; readonly round: () => Promise<Round> }

export type Figure = {
  readonly name: string
  readonly perCpuSecond: number
  readonly perThreadSecond: number
  readonly perSecond: number
}

/**
 * Runs contenders in turns, so that a noisy minute affects all of them. The first round of each is a warm-up and is not
 * counted; the figure is the median of the others.
 */
export async function alternate(
  contenders: readonly Contender[],
  rounds: number,
): Promise<readonly Figure[]> {
  const results = new Map<string, Round[]>()
  for (let turn = 0; turn <= rounds; turn++)
    for (const { name, round } of contenders) {
      process.stderr.write(`\r  round ${turn} of ${rounds}: ${name}`.padEnd(60))
      const result = await round()
      if (turn > 0) results.set(name, [...(results.get(name) ?? []), result])
    }
  process.stderr.write(`\r${' '.repeat(60)}\r`)
  return contenders.map(({ name }) => ({
    name,
    perCpuSecond: median(results.get(name)!.map(({ calls, cpuSeconds }) => calls / cpuSeconds)),
    perThreadSecond: median(results.get(name)!.map(({ calls, threadSeconds }) => calls / threadSeconds)),
    perSecond: median(results.get(name)!.map(({ calls, wallSeconds }) => calls / wallSeconds)),
  }))
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}
