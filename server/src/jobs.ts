import {
  type Command,
  type Job,
  type JobId,
  type JobKind,
  type Link,
  linkKey,
  type TokenizationRequest,
  type View,
} from '@quipu/core'
import type { Chain } from './chain/chain.ts'
import { simulatedChain } from './chain/simulated.ts'
import { NotApplied } from './engine.ts'
import { builtinIssuer } from './issuer/builtin.ts'
import type { Participant, TokenIssuer } from './issuer/issuer.ts'
import type { World } from './world.ts'

/** Everyone outside a world who is called for it. */
export type Outside = { readonly issuer: TokenIssuer; readonly chain: Chain }

export type RunJob = (world: World, jobId: JobId) => Promise<void>

/** What is called where nothing else is wanted. */
export const builtinChain: Chain = simulatedChain()

/**
 * Makes the call a job asks for and brings the answer to the world. A call that fails is put off, and one whose job
 * is gone was answered already. Where the world is being rebuilt the answer is dropped: the job comes due again, and
 * the same call has the same answer.
 */
export function makeRunJob(outside: Outside): RunJob {
  return async (world, jobId) => {
    try {
      const asked = callOf(world.view, jobId)
      if (!asked) return
      const answer = await callers[asked.job.kind](outside, asked).catch(
        (error: unknown): Command => ({ kind: 'failJob', jobId, problem: problemOf(error) }),
      )
      world.engine.drive(answer)
    } catch (error) {
      if (!(error instanceof NotApplied)) throw error
    }
  }
}

/** Jobs with the built-in issuer and the simulated chain. */
export const runJob: RunJob = makeRunJob({
  chain: builtinChain,
  issuer: builtinIssuer(builtinChain),
})

type Call = {
  readonly job: Job
  readonly request: TokenizationRequest
  readonly participant: Participant
}

function callOf(view: View, jobId: JobId): Call | undefined {
  const job = view.jobs.get(jobId)
  const request = job && view.requests.get(job.requestId)
  const link = request && view.links.get(linkKey(request.accountId, request.issuer))
  return link && { job, request, participant: participantOf(link) }
}

const participantOf = ({ accountId, externalId }: Link): Participant =>
  externalId === undefined ? { accountId } : { externalId }

type Caller = (outside: Outside, call: Call) => Promise<Command>

const callers: Readonly<Record<JobKind, Caller>> = {
  issuerMint: async ({ issuer }, { request, participant }) => {
    const { id: requestId, issuer: code, underlying, tokenSymbol, network, quantityText, wallet } = request
    const of = { requestId, issuer: code, underlying, tokenSymbol, network, quantityText, wallet }
    return { kind: 'answerMint', requestId, answer: await issuer.mint({ ...of, participant }) }
  },
  issuerConfirm: async ({ issuer }, { request, participant }) => {
    const { id: requestId, issuer: code, issuerRequestId = '', label } = request
    const of = { requestId, issuer: code, issuerRequestId, participant }
    const isLabelled = label !== undefined && 'accountId' in participant
    const answer = await issuer.confirm(isLabelled ? { ...of, label } : of)
    return { kind: 'answerConfirm', requestId, answer }
  },
  chainMint: async ({ chain }, { request }) => {
    const { id: requestId, network, tokenSymbol, quantity, wallet } = request
    const { txHash } = await chain.mint({ requestId, network, tokenSymbol, quantity, wallet })
    return { kind: 'completeMint', requestId, txHash }
  },
}

const PROBLEM_MAX = 200

const problemOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).slice(0, PROBLEM_MAX)
