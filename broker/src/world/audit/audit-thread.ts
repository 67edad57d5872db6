import { parentPort, workerData } from 'node:worker_threads'
import { readSource } from '../../journal/source.ts'
import { auditEvents } from './audit.ts'
import type { AuditOrder } from './audit-in-thread.ts'

// A thread that audits one journal: the replay of a million events takes seconds.
const { source, expected } = workerData as AuditOrder
parentPort!.postMessage(await auditEvents(readSource(source, 0, expected.seq), expected))
