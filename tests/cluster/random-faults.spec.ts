import { seed } from '../support/random.ts'
import { testFaults } from './fault-run.ts'
import { randomFaults } from './faults.ts'

/** `npm run test:long` makes 200 faults. `CLUSTER_FAULT=promoted` selects those with this text in their names. */
const FAULTS = Number(process.env['CLUSTER_FAULTS'] ?? 0)
/** The runner divides the faults, so that slices of a long run share them: `3/8` is the third of eight parts. */
const [part, parts] = (process.env['PART'] ?? '1/1').split('/').map(Number) as [number, number]

// Each part has its own seed and cluster. A part without a fault tests nothing.
const count = Math.floor((FAULTS + parts - part) / parts)
if (count > 0)
  testFaults({
    seed,
    part,
    nodes: 3,
    worlds: 4,
    pauseMs: 60,
    behindHaproxy: true,
    faults: (random) => randomFaults(random, count),
  })
