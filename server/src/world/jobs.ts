import {
  type Command,
  found,
  HOUR,
  type Instant,
  type Issuer,
  type Job,
  type JobId,
  type JobKind,
  linkKey,
  outcomeFor,
  participantName,
  type TokenizationRequest,
  tokensOf,
  type View,
} from '@quipu/core'
import type { Chain } from '../chain/chain.ts'
import { simulatedChain } from '../chain/simulated.ts'
import { builtinIssuer } from '../issuer/builtin.ts'
import { externalIssuer } from '../issuer/external.ts'
import type { Participant, TokenIssuer } from '../issuer/issuer.ts'
import { NotApplied } from '../process/not-applied.ts'
import type { World } from './world.ts'

/** Everyone outside a world who is called for it; issuers that have addresses are called there. */
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
      const job = world.view.jobs.get(jobId)
      if (!job) return
      const answer = await answerTo(outside, world.view, job).catch(
        (error: unknown): Command => ({ kind: 'failJob', jobId, problem: problemOf(error) }),
      )
      if (answer) world.engine.drive(answer)
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

async function answerTo(outside: Outside, view: View, job: Job): Promise<Command | undefined> {
  if (job.kind === 'issuerConnect') return connect(outside, view, job)
  const request = job.requestId && view.requests.get(job.requestId)
  if (!request) return undefined
  const issuer = found(view.issuers.get(request.issuer), request.issuer)
  return callers[job.kind]({
    chain: outside.chain,
    issuer: callable(outside, view, issuer),
    record: issuer,
    request,
    participant: participantName(view, request),
    now: view.lastAt,
  })
}

/** The issuer inside, or the one at these addresses. */
function callable({ issuer: builtin }: Outside, view: View, issuer: Issuer): TokenIssuer {
  const { mode, urls, auth = 'apiKey', code } = issuer
  if (mode === 'builtin' || !urls) return builtin
  const apiKey = view.issuerKeys.get(code)
  const { signingKey } = view
  return externalIssuer({
    urls,
    auth,
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(signingKey ? { signingKey } : {}),
  })
}

async function connect(outside: Outside, view: View, job: Job): Promise<Command | undefined> {
  const { accountId } = job
  const issuer = job.issuer && view.issuers.get(job.issuer)
  const link = issuer && view.links.get(linkKey(accountId, issuer.code))
  if (!issuer || !link?.email) return undefined
  const { number: accountNumber } = found(view.accounts.get(accountId), accountId)
  const answer = await callable(outside, view, issuer).connect({ email: link.email, accountNumber })
  return { kind: 'answerLink', accountId, issuer: issuer.code, answer }
}

type Call = {
  readonly chain: Chain
  readonly issuer: TokenIssuer
  readonly record: Issuer
  readonly request: TokenizationRequest
  readonly participant: Participant
  readonly now: Instant
}

/** How long it is known which account of an issuer takes shares. */
const CUSTODY_KNOWN = 24n * HOUR

const callers: Readonly<Record<Exclude<JobKind, 'issuerConnect'>, (call: Call) => Promise<Command>>> = {
  issuerMint: async ({ issuer, record, request, participant }) => {
    const { id: requestId, issuer: code, underlying, tokenSymbol, network, quantityText, wallet } = request
    const of = { requestId, issuer: code, underlying, tokenSymbol, network, quantityText, wallet }
    const answer = await issuer.mint({ ...of, participant, ...scripted(record, request) })
    return { kind: 'answerMint', requestId, answer }
  },
  issuerCustody: async ({ issuer, record, request, now }) => ({
    kind: 'answerCustody',
    requestId: request.id,
    // An issuer that names no account any more keeps the shares in its own.
    answer: record.urls?.custody
      ? await issuer.custody(request.underlying)
      : { ok: true, accountId: record.accountId },
    until: (now + CUSTODY_KNOWN) as Instant,
  }),
  issuerConfirm: async (call) => ({
    kind: 'answerConfirm',
    requestId: call.request.id,
    answer: await call.issuer.confirm(newsOf(call)),
  }),
  issuerReject: async (call) => {
    await call.issuer.reject({ ...newsOf(call), reason: call.request.reason ?? '' })
    return { kind: 'answerRejection', requestId: call.request.id }
  },
  chainMint: async ({ chain, request }) => {
    const { id: requestId, network, tokenSymbol, wallet } = request
    const { txHash } = await chain.mint({
      requestId,
      network,
      tokenSymbol,
      quantity: tokensOf(request),
      wallet,
    })
    return { kind: 'completeMint', requestId, txHash }
  },
}

function newsOf({ record, request, participant }: Call) {
  const { id: requestId, issuer, issuerRequestId, label } = request
  const named = issuerRequestId === undefined ? {} : { issuerRequestId }
  const of = { requestId, issuer, ...named, participant, ...scripted(record, request) }
  const isLabelled = label !== undefined && 'accountId' in participant
  return isLabelled ? { ...of, label } : of
}

/** What somebody wants to see happen. */
const scripted = (issuer: Issuer, { wallet }: TokenizationRequest) =>
  issuer.behaviour ? { outcome: outcomeFor(issuer, wallet) } : {}

const PROBLEM_MAX = 200

/** A call that failed says why only in its cause. */
function problemOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error).slice(0, PROBLEM_MAX)
  const { message, cause } = error
  const told = cause instanceof Error && cause.message ? `${message}: ${cause.message}` : message
  return told.slice(0, PROBLEM_MAX)
}
