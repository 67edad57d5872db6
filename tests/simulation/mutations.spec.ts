import { hasAllMutations, testDetection, testTexts } from './detect.ts'
import { mutations } from './mutations.ts'

testTexts(mutations)

/** Every 24th mutation. `MUTATIONS=all npm test -- mutations` runs all of them. */
const selected = mutations.filter((_, index) => hasAllMutations || index % 24 === 0)

for (const mutation of selected) testDetection(mutation, { runs: 120, steps: 40 })
