import { runMany } from './many-runs.ts'

runMany({ kind: 'postgres', defaultRuns: 4, completeRuns: 20, name: 'whole worlds on a faulty PostgreSQL' })
