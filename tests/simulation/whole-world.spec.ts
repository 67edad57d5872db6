import { liveMany } from './many-runs.ts'

/** `npm run soak` makes thousands of it. */
liveMany({ kind: 'files', lives: 50, what: 'whole worlds on bad disks' })
