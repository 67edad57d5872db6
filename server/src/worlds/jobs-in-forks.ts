import { type Job, linkKey } from '@quipu/core'
import { NotApplied } from '../process/not-applied.ts'
import type { RunJob } from '../world/jobs.ts'
import type { World } from '../world/world.ts'

/**
 * Jobs of a world that began as another: what would go to an issuer outside belongs to that other one. Its request is
 * held, as if somebody wanted to see it wait, and can be ended by hand; all else is done as everywhere.
 */
export const insideOnly =
  (run: RunJob): RunJob =>
  async (world, jobId) => {
    const job = world.view.jobs.get(jobId)
    if (!job || !isOutward(world, job)) return run(world, jobId)
    try {
      keepIn(world, job)
    } catch (error) {
      if (!(error instanceof NotApplied)) throw error
    }
  }

function isOutward({ view }: World, { requestId, issuer }: Job): boolean {
  const code = issuer ?? (requestId && view.requests.get(requestId)?.issuer)
  return code !== undefined && view.issuers.get(code)?.mode === 'external'
}

function keepIn({ engine }: World, { kind, requestId, accountId, issuer }: Job): void {
  // The request has ended: there is nothing to hold.
  if (requestId && kind === 'issuerReject') engine.drive({ kind: 'answerRejection', requestId })
  else if (requestId) engine.drive({ kind: 'forceRequest', requestId, outcome: { to: 'hold' } })
  else if (issuer && engine.view.links.has(linkKey(accountId, issuer)))
    engine.drive({
      kind: 'answerLink',
      accountId,
      issuer,
      answer: { ok: false, reason: 'a fork calls nobody outside' },
    })
}
