import {
  type Command,
  definedFields,
  found,
  HOUR,
  type Instant,
  type Issuer,
  type Job,
  type JobId,
  type JobKind,
  later,
  linkKey,
  outcomeFor,
  participantName,
  type TokenizationRequest,
  tokensOf,
  type View,
} from '@quipu/core'
import type { Chain } from '../chain/chain.ts'
import { simulatedChain } from '../chain/simulated.ts'
import { callWithFaults } from '../faults/call.ts'
import { builtinIssuer } from '../issuer/builtin.ts'
import { externalIssuer } from '../issuer/external.ts'
import type { AuthorizedParticipant, TokenIssuer } from '../issuer/issuer.ts'
import { NotApplied } from '../journal/not-applied.ts'

import type { World } from './world.ts'

/** The external services that jobs call. An issuer with URLs is called at its URLs instead. */
export type ExternalServices = { readonly issuer: TokenIssuer; readonly chain: Chain }

export type RunJob = (world: World, jobId: JobId) => Promise<void>

/** The default chain. */
export const builtinChain: Chain = simulatedChain()

/** Makes the calls of jobs to issuers and chains. */
export const makeRunJob =
  (external: ExternalServices): RunJob =>
  (world, jobId) =>
    callForJob(world, jobId, (job) => runCall(external, world.view, job))

/**
 * Makes the call of a job and submits the response to the world. A failed call is retried later. A job that no longer
 * exists has its response already. If the world is being rebuilt, the response is dropped: the rebuilt world fails the
 * attempt, and the same call returns the same response.
 */
export async function callForJob(
  world: World,
  jobId: JobId,
  makeCall: (job: Job) => Promise<Command | undefined>,
): Promise<void> {
  try {
    const job = world.view.jobs.get(jobId)
    if (!job) return
    const { faults } = world.clients
    const call = () => makeCall(job)
    const response = await (faults ? callWithFaults(faults, world, job, call) : call()).catch(
      (error: unknown): Command => ({ kind: 'failJob', jobId, problem: problemOf(error) }),
    )
    if (response) world.commands.submitInternal(response)
  } catch (error) {
    if (!(error instanceof NotApplied)) throw error
  }
}

/** Jobs with the built-in issuer and the simulated chain. */
export const runJob: RunJob = makeRunJob({
  chain: builtinChain,
  issuer: builtinIssuer(builtinChain),
})

async function runCall(external: ExternalServices, view: View, job: Job): Promise<Command | undefined> {
  if (job.kind === 'issuerConnect') return connect(external, view, job)
  const request = job.requestId && view.requests.get(job.requestId)
  // Only a world in a list of worlds can ask others.
  if (!request || job.kind === 'askWorld') return undefined
  const issuer = found(view.issuers.get(request.issuer), request.issuer)
  return calls[job.kind]({
    chain: external.chain,
    issuer: issuerClient(external, view, issuer),
    record: issuer,
    request,
    participant: participantName(view, request),
    now: view.lastAt,
  })
}

/** The built-in issuer, or a client for the URLs of an external one. */
function issuerClient({ issuer: builtin }: ExternalServices, view: View, issuer: Issuer): TokenIssuer {
  const { mode, urls, auth = 'apiKey', code } = issuer
  if (mode === 'builtin' || !urls) return builtin
  const apiKey = view.issuerKeys.get(code)
  const { signingKey } = view
  return externalIssuer({ urls, auth, apiKey, signingKey })
}

async function connect(external: ExternalServices, view: View, job: Job): Promise<Command | undefined> {
  const { accountId } = job
  const issuer = job.issuer && view.issuers.get(job.issuer)
  const link = issuer && view.links.get(linkKey(accountId, issuer.code))
  if (!issuer || !link?.email) return undefined
  const { number: accountNumber } = found(view.accounts.get(accountId), accountId)
  const response = await issuerClient(external, view, issuer).connect({ email: link.email, accountNumber })
  return { kind: 'answerLink', accountId, issuer: issuer.code, response }
}

type Call = {
  readonly chain: Chain
  readonly issuer: TokenIssuer
  readonly record: Issuer
  readonly request: TokenizationRequest
  readonly participant: AuthorizedParticipant
  readonly now: Instant
}

type RequestJobKind = Exclude<JobKind, 'issuerConnect' | 'askWorld'>

/** How long the custody account of an issuer is cached. */
const CUSTODY_CACHE_NS = 24n * HOUR

const calls: Readonly<Record<RequestJobKind, (call: Call) => Promise<Command>>> = {
  issuerMint: async ({ issuer, record, request, participant }) => {
    const { id: requestId, issuer: code, underlying, tokenSymbol, network, quantityText, wallet } = request
    const of = { requestId, issuer: code, underlying, tokenSymbol, network, quantityText, wallet }
    const response = await issuer.mint({ ...of, participant, ...configuredOutcome(record, request) })
    return { kind: 'answerMint', requestId, response }
  },
  issuerCustody: async ({ issuer, record, request, now }) => ({
    kind: 'answerCustody',
    requestId: request.id,
    // An issuer without a custody URL keeps the shares in its own account.
    response: record.urls?.custody
      ? await issuer.custody(request.underlying)
      : { ok: true, accountId: record.accountId },
    until: later(now, CUSTODY_CACHE_NS),
  }),
  issuerConfirm: async (call) => ({
    kind: 'answerConfirm',
    requestId: call.request.id,
    response: await call.issuer.confirm(notificationOf(call)),
  }),
  issuerReject: async (call) => {
    await call.issuer.reject({ ...notificationOf(call), reason: call.request.reason ?? '' })
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

function notificationOf({ record, request, participant }: Call) {
  const { id: requestId, issuer, issuerRequestId, label } = request
  const of = {
    requestId,
    issuer,
    ...definedFields({ issuerRequestId }),
    participant,
    ...configuredOutcome(record, request),
  }
  const isLabelled = label !== undefined && 'accountId' in participant
  return isLabelled ? { ...of, label } : of
}

/** The outcome that the operator configured for this wallet. */
const configuredOutcome = (issuer: Issuer, { wallet }: TokenizationRequest) =>
  definedFields({ outcome: issuer.behaviour && outcomeFor(issuer, wallet) })

const PROBLEM_MAX = 200

/** The reason of a failed call is only in the cause of the error. */
function problemOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error).slice(0, PROBLEM_MAX)
  const { message, cause } = error
  const text = cause instanceof Error && cause.message ? `${message}: ${cause.message}` : message
  return text.slice(0, PROBLEM_MAX)
}
