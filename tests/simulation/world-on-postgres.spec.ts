import { runMany } from './many-runs.ts'

runMany({ kind: 'postgres', defaultRuns: 30, name: 'whole worlds on a faulty PostgreSQL' })
