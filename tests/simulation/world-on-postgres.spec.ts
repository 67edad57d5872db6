import { liveMany } from './many-lives.ts'

liveMany({ kind: 'postgres', lives: 40, what: 'whole worlds on a PostgreSQL that fails them' })
