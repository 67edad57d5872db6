import type { Random } from '../../support/random.ts'

/** The probability of each step; `send` has the rest. */
const PROBABILITIES = {
  read: 0.08,
  connect: 0.07,
  advance: 0.14,
  holdStore: 0.06,
  releaseStore: 0.02,
  fault: 0.14,
  holdQueryTables: 0.04,
  releaseQueryTables: 0.05,
  failQueryTables: 0.01,
  snapshot: 0.03,
  corruptSnapshot: 0.01,
  cut: 0.03,
  kill: 0.02,
  takeOver: 0.04,
}
export type Step = keyof typeof PROBABILITIES | 'send'

/** The steps of a run without faults. */
const QUIET: readonly Step[] = ['read', 'connect', 'advance', 'snapshot']

export function pickStep(random: Random, isQuiet: boolean): Step {
  const step = anyStep(random)
  return isQuiet && !QUIET.includes(step) ? random.pick(['send', 'send', 'advance'] as const) : step
}

function anyStep(random: Random): Step {
  const draw = random.next()
  let sum = 0
  for (const [name, share] of Object.entries(PROBABILITIES)) if (draw < (sum += share)) return name as Step
  return 'send'
}

const SECOND = 1_000_000_000n
const DAY_S = 86_400

/** How far the clock is advanced. */
export function pickDuration(random: Random): bigint {
  const seconds = random.pick([
    random.integer(1, 60),
    random.integer(60, 3_600),
    random.integer(3_600, DAY_S),
    random.integer(DAY_S, 4 * DAY_S),
    random.chance(0.05) ? 370 * DAY_S : 1,
  ])
  return BigInt(seconds) * SECOND
}

/** How long a process is down; the clock of the next one may be behind. */
export const pickDowntime = (random: Random): bigint =>
  BigInt(random.pick([0, 0, -5, 30, 7_200, 3 * DAY_S])) * SECOND
