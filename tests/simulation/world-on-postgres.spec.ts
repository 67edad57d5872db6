import { runMany } from './many-runs.ts'

runMany({ kind: 'postgres', defaultRuns: 2, completeRuns: 20, name: 'whole worlds on a faulty PostgreSQL' })
