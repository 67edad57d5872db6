import { runMany } from './many-runs.ts'

/** `npm run soak` makes thousands of runs. */
runMany({ kind: 'files', defaultRuns: 4, completeRuns: 36, name: 'whole worlds on faulty disks' })
