import { hasAllMutations, testDetection, testTexts } from '../detect.ts'
import { clusterMutations } from './mutations.ts'

testTexts(clusterMutations)

/** Every fourth mutation. `MUTATIONS=all npm test -- cluster/mutations` runs all of them. */
const selected = clusterMutations.filter((_, index) => hasAllMutations || index % 4 === 0)

for (const mutation of selected) testDetection(mutation, { runs: 20, steps: 3 })
