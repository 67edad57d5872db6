import { seed } from '../../support/random.ts'
import { testFaults } from '../fault-run.ts'
import { randomFaults } from '../faults.ts'

/** The number of specs that share the random faults, so that slices of a long run divide them. */
const PARTS = 8
/** `npm run test:long` makes 200 faults. `CLUSTER_FAULT=promoted` selects those with this text in their names. */
const FAULTS = Number(process.env['CLUSTER_FAULTS'] ?? 0)

/** Tests one part of the random faults, with a seed and a cluster of its own. Parts without a fault test nothing. */
export function testPart(part: number): void {
  const count = Math.floor((FAULTS + PARTS - part) / PARTS)
  if (count === 0) return
  testFaults({
    seed,
    part,
    nodes: 3,
    worlds: 4,
    pauseMs: 60,
    behindHaproxy: true,
    faults: (random) => randomFaults(random, count),
  })
}
