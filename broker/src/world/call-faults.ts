import { setTimeout as sleep } from 'node:timers/promises'
import type { Command, Job } from '@quipu/core'
import { delayMs } from '../faults/effect.ts'
import type { Faults } from '../faults/faults.ts'
import type { World } from './world.ts'

type MakeCall = () => Promise<Command | undefined>

/** Makes the call of a job in a world with fault rules. If it rejects, the call is retried later. */
export async function callWithFaults(
  faults: Faults,
  world: World,
  job: Job,
  call: MakeCall,
): Promise<Command | undefined> {
  const request = job.requestId && world.view.requests.get(job.requestId)
  const fault = faults.meet('call', {
    now: () => world.clock.now(),
    call: job.kind,
    accountId: job.accountId,
    symbols: request ? [request.underlying] : [],
  })
  if (fault === undefined) return call()
  const { effect, draw } = fault
  switch (effect.kind) {
    case 'callDelayed':
      await sleep(delayMs(effect, draw), undefined, { ref: false })
      return call()
    case 'callFailed':
      throw new Error(effect.message)
    case 'callAnswerLost':
      await call()
      throw new Error('the answer was lost')
    case 'callRefused':
      return refusalOf(world, job, effect.message)
  }
}

/** The answer of an issuer that refuses; undefined for a call that cannot be refused. */
function refusalOf({ view }: World, job: Job, reason: string): Command | undefined {
  const { kind, requestId, accountId, issuer } = job
  const answer = { ok: false, reason } as const
  if (kind === 'issuerConnect') return issuer && { kind: 'answerLink', accountId, issuer, answer }
  if (requestId === undefined) return undefined
  switch (kind) {
    case 'issuerMint':
      return { kind: 'answerMint', requestId, answer }
    case 'issuerConfirm':
      return { kind: 'answerConfirm', requestId, answer }
    case 'issuerCustody':
      return { kind: 'answerCustody', requestId, answer, until: view.lastAt }
    default:
      return undefined
  }
}
