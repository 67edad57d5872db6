import { type Job, linkKey } from '@quipu/core'
import { NotApplied } from '../journal/not-applied.ts'
import type { RunJob } from '../world/jobs.ts'
import type { World } from '../world/world.ts'

/**
 * Runs the jobs of a fork. A call to an external issuer belongs to the parent, so the fork puts the request on hold
 * instead; the operator can complete it. All other jobs run as usual.
 */
export const withoutExternalCalls =
  (run: RunJob): RunJob =>
  async (world, jobId) => {
    const job = world.view.jobs.get(jobId)
    if (!job || !isExternal(world, job)) return run(world, jobId)
    try {
      holdInstead(world, job)
    } catch (error) {
      if (!(error instanceof NotApplied)) throw error
    }
  }

function isExternal({ view }: World, { requestId, issuer }: Job): boolean {
  const code = issuer ?? (requestId && view.requests.get(requestId)?.issuer)
  return code !== undefined && view.issuers.get(code)?.mode === 'external'
}

function holdInstead(world: World, { kind, requestId, accountId, issuer }: Job): void {
  // The request has ended, so there is nothing to hold.
  if (requestId && kind === 'issuerReject')
    world.commands.submitInternal({ kind: 'answerRejection', requestId })
  else if (requestId)
    world.commands.submitInternal({ kind: 'forceRequest', requestId, outcome: { to: 'hold' } })
  else if (issuer && world.view.links.has(linkKey(accountId, issuer)))
    world.commands.submitInternal({
      kind: 'answerLink',
      accountId,
      issuer,
      response: { ok: false, reason: 'a fork does not call external issuers' },
    })
}
