import { type Job, type JobKind, jobIdOf } from '../jobs/job.ts'
import type { Instant } from '../time.ts'
import type { TokenizationRequest } from './request.ts'

/** The next call a request needs, due at once. */
export const newJob = ({ id, accountId }: TokenizationRequest, kind: JobKind, due: Instant): Job => ({
  id: jobIdOf(id, kind),
  kind,
  accountId,
  requestId: id,
  due,
  attempts: 0,
})
