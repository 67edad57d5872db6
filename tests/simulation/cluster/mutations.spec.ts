import { hasAllMutations, testDetection, testTexts } from '../detect.ts'
import { clusterMutations } from './mutations.ts'

testTexts(clusterMutations)

/** The first mutation. `MUTATIONS=all npm test -- cluster/mutations` runs all of them. */
const selected = hasAllMutations ? clusterMutations : clusterMutations.slice(0, 1)

for (const mutation of selected) testDetection(mutation, { runs: 20, steps: 3 })
