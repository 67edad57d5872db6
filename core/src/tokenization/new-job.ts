import { type Job, type JobKind, jobIdOf } from '../jobs/job.ts'
import type { Instant } from '../time.ts'
import { type Link, linkKey, type TokenizationRequest } from './request.ts'

/** A job of a request; parked while the request is on hold. */
export const newJob = ({ id, accountId, held }: TokenizationRequest, kind: JobKind, due: Instant): Job => ({
  id: jobIdOf(id, kind),
  kind,
  accountId,
  requestId: id,
  due,
  attempts: 0,
  parked: held ?? false,
})

/** The job that asks an issuer for a customer by e-mail address. */
export const connectJob = ({ accountId, issuer }: Link, due: Instant): Job => ({
  id: jobIdOf(linkKey(accountId, issuer), 'issuerConnect'),
  kind: 'issuerConnect',
  accountId,
  issuer,
  due,
  attempts: 0,
})
