import { liveMany } from './many-runs.ts'

liveMany({ kind: 'postgres', lives: 30, what: 'whole worlds on a PostgreSQL that fails them' })
