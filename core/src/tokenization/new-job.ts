import { type Job, type JobKind, jobIdOf } from '../jobs/job.ts'
import type { Instant } from '../time.ts'
import { type Link, linkKey, type TokenizationRequest } from './request.ts'

/** The next call a request needs; it waits as long as its request is held. */
export const newJob = ({ id, accountId, held }: TokenizationRequest, kind: JobKind, due: Instant): Job => ({
  id: jobIdOf(id, kind),
  kind,
  accountId,
  requestId: id,
  due,
  attempts: 0,
  ...(held ? { parked: true } : {}),
})

/** The call that asks an issuer whom it knows by an e-mail address. */
export const connectJob = ({ accountId, issuer }: Link, due: Instant): Job => ({
  id: jobIdOf(linkKey(accountId, issuer), 'issuerConnect'),
  kind: 'issuerConnect',
  accountId,
  issuer,
  due,
  attempts: 0,
})
