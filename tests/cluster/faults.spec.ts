import { seed } from '../support/random.ts'
import { testFaults } from './fault-run.ts'
import { shortFaults } from './faults.ts'

// Two nodes and two worlds: each more costs CPU time. `random-faults.spec.ts` has three nodes behind HAProxy.
testFaults({
  seed,
  nodes: 2,
  worlds: 2,
  pauseMs: 400,
  behindHaproxy: false,
  faults: () => shortFaults,
})
