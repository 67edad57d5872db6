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

/** Below this ratio of process CPU to thread CPU, the compiler threads of V8 are idle. */
const COMPILER_IDLE = 1.1
const WARM_UP_MAX = 20

/** Runs rounds of contenders without worker threads until the compiler is idle. They are not counted. */
export async function warmUp(contenders: readonly Contender[]): Promise<void> {
  for (const { name, round } of contenders)
    for (let turn = 1; turn <= WARM_UP_MAX; turn++) {
      showProgress(`warm-up ${turn}, at most ${WARM_UP_MAX}: ${name}`)
      const { cpuSeconds, threadSeconds } = await round()
      if (cpuSeconds / threadSeconds < COMPILER_IDLE) break
    }
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
      showProgress(`round ${turn} of ${rounds}: ${name}`)
      const result = await round()
      if (turn > 0) results.set(name, [...(results.get(name) ?? []), result])
    }
  showProgress('')
  return contenders.map(({ name }) => ({
    name,
    perCpuSecond: median(results.get(name)!.map(({ calls, cpuSeconds }) => calls / cpuSeconds)),
    perThreadSecond: median(results.get(name)!.map(({ calls, threadSeconds }) => calls / threadSeconds)),
    perSecond: median(results.get(name)!.map(({ calls, wallSeconds }) => calls / wallSeconds)),
  }))
}

function showProgress(text: string): void {
  process.stderr.write(text ? `\r  ${text}`.padEnd(60) : `\r${' '.repeat(60)}\r`)
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}
