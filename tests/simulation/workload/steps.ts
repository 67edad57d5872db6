import type { Random } from '../../random.ts'

/** How often each thing happens; asking takes the rest. */
const SHARES = {
  look: 0.08,
  connect: 0.07,
  advance: 0.14,
  holdStore: 0.06,
  letStoreGo: 0.02,
  trouble: 0.14,
  holdViews: 0.04,
  letViewsGo: 0.05,
  failViews: 0.01,
  snapshot: 0.03,
  spoilSnapshot: 0.01,
  cut: 0.03,
  kill: 0.02,
  takeOver: 0.04,
}
export type Step = keyof typeof SHARES | 'ask'

export function pickStep(random: Random): Step {
  const luck = random.next()
  let sum = 0
  for (const [name, share] of Object.entries(SHARES)) if (luck < (sum += share)) return name as Step
  return 'ask'
}
