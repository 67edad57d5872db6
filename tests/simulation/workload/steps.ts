import type { Random } from '../../support/random.ts'

/** The probability of each step; `send` has the rest. */
const PROBABILITIES = {
  read: 0.08,
  connect: 0.07,
  advance: 0.14,
  holdStore: 0.06,
  releaseStore: 0.02,
  fault: 0.14,
  holdViews: 0.04,
  releaseViews: 0.05,
  failViews: 0.01,
  snapshot: 0.03,
  corruptSnapshot: 0.01,
  cut: 0.03,
  kill: 0.02,
  takeOver: 0.04,
}
export type Step = keyof typeof PROBABILITIES | 'send'

export function pickStep(random: Random): Step {
  const draw = random.next()
  let sum = 0
  for (const [name, share] of Object.entries(PROBABILITIES)) if (draw < (sum += share)) return name as Step
  return 'send'
}
