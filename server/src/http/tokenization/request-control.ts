import { randomUUID } from 'node:crypto'
import type { World } from '@quipu/broker/world/world.ts'
import type { InputOf, OutputOf } from '@quipu/contract'
import {
  type ForceRequest,
  found,
  type Issuer,
  isPending,
  participantName,
  type RequestId,
  type RequestRedeem,
  type TokenizationRequest,
  unmatchedTransfers,
  type View,
} from '@quipu/core'
import { burnToWire, jobToWire, unmatchedTransferToWire, worldRequestToWire } from '../../wire/issuer-wire.ts'
import { refuse } from '../../wire/refusal.ts'
import type { Context, SomeHandlers } from '../context.ts'
import { withWorld } from '../sim/world-named.ts'
import { createMint, type MintParts, sharesIn } from './mint.ts'
import { findEndedRequest, historyOf } from './request-history.ts'
import { listRequests, type RequestAccount, requestById } from './request-reading.ts'

export type WorldRequestParts = MintParts & {
  readonly chain: { txHash(network: string, about: string): string }
}

/** An operator lists and controls the tokenization requests of a world. */
export const requestControlHandlers = (parts: WorldRequestParts) =>
  ({
    ...outcomeHandlers,
    ...listHandlers,
    ...withWorld({
      createWorldMint: async ({ world, body }, context) => {
        const { account_id, ...mintBody } = body
        const accountId = account_id
        if (!world.view.accounts.has(accountId)) throw refuse({ code: 'accountNotFound' })
        const toWire = (request: TokenizationRequest, view: View) =>
          worldRequestToWire(view, request, world.engine.now)
        const minted = await createMint(parts, context, { world, accountId }, mintBody, toWire)
        return latest(context, { world, accountId }, minted)
      },

      completeRequest: (input, context) =>
        force(context, input, ({ network, id }) => ({
          to: 'complete',
          txHash: input.body.tx_hash ?? parts.chain.txHash(network, id),
        })),

      simulateRedemption: async ({ world, body }, context) => {
        const command = await redeemCommand(parts, context, world, body)
        const redeemed = await context.state.perform(world, command, (view, events) => {
          const requested = events.find((event) => event.kind === 'redeemRequested')
          return worldRequestToWire(view, found(requested, 'the redeem').request, world.engine.now)
        })
        return latest(context, { world, accountId: body.account_id }, redeemed)
      },
    }),
  }) satisfies SomeHandlers

const outcomeHandlers = withWorld({
  rejectRequest: (input, context) =>
    force(context, input, () => ({ to: 'reject', reason: input.body.reason })),

  holdRequest: (input, context) => force(context, input, () => ({ to: 'hold' })),

  releaseRequest: (input, context) => force(context, input, () => ({ to: 'release' })),
})

const listHandlers = withWorld({
  listWorldTokenizationRequests: async ({ world, query }, context) => {
    const requests = query.status === 'all' ? await allRequests(context, world) : pendingIn(world)
    return requests
      .slice(0, query.limit)
      .map((request) => worldRequestToWire(world.view, request, world.engine.now))
  },

  getWorldTokenizationRequest: async ({ world, params }, context) => {
    const requestId = params.tokenization_request_id.toLowerCase() as RequestId
    const request =
      (await context.state.read(world, ({ requests }) => requests.get(requestId))) ??
      (await findEndedRequest(world, requestId))
    if (!request) throw refuse({ code: 'tokenizationRequestNotFound' })
    const { upTo, ...history } = await historyOf(world, request)
    context.state.seq = upTo
    return { request: worldRequestToWire(world.view, request, world.engine.now), ...history }
  },

  listUnmatchedTransfers: ({ world }, context) =>
    context.state.read(world, (view) => unmatchedTransfers(view).map(unmatchedTransferToWire)),

  resolveUnmatchedTransfer: async ({ world, params, body }, context) => {
    const { network, tx_hash, log_index: logIndex } = params
    const command = {
      kind: 'resolveUnmatchedTransfer',
      network,
      txHash: tx_hash.toLowerCase(),
      logIndex,
      ...body,
    } as const
    const events = await context.state.execute(world, command)
    const resolved = events.find((event) => event.kind === 'unmatchedTransferResolved')
    return unmatchedTransferToWire(found(resolved, 'the resolved transfer').transfer)
  },

  listJobs: ({ world }, context) =>
    context.state.read(world, (view) => [
      ...[...view.jobs.values()].map(jobToWire),
      ...[...view.chain.values()].flatMap((fact) => burnToWire(view, fact)),
    ]),
})

async function redeemCommand(
  { chain }: WorldRequestParts,
  context: Context,
  world: World,
  body: InputOf<'simulateRedemption'>['body'],
): Promise<RequestRedeem> {
  const code = body.issuer
  const issuer = world.view.issuers.get(code)
  if (!issuer) throw refuse({ code: 'issuerNotFound', issuer: code })
  if (issuer.mode !== 'builtin') throw refuse({ code: 'issuerNotBuiltin', issuer: code })
  const underlying = body.underlying_symbol
  const listing = issuer.listings.find((one) => one.underlying === underlying)
  const txHash = body.tx_hash ?? chain.txHash(body.network, randomUUID())
  return {
    kind: 'requestRedeem',
    issuer: code,
    participant: participantName(world.view, { accountId: body.account_id, issuer: code }),
    network: body.network,
    underlying,
    tokenSymbol: listing?.tokenSymbol ?? '',
    quantity: sharesIn(body.qty),
    quantityText: body.qty,
    wallet: body.wallet_address ?? (await walletOf(context, world, issuer, body)),
    txHash,
    issuerRequestId: txHash,
  }
}

async function force(
  context: Context,
  { world, params }: Pick<InputOf<'holdRequest'>, 'params'> & { readonly world: World },
  outcomeFor: (request: TokenizationRequest) => ForceRequest['outcome'],
): Promise<OutputOf<'holdRequest'>> {
  const requestId = params.tokenization_request_id.toLowerCase() as RequestId
  const before = world.view.requests.get(requestId)
  if (!before) {
    // Memory releases requests that have ended.
    const hasEnded = (await findEndedRequest(world, requestId)) !== undefined
    throw refuse({ code: hasEnded ? 'tokenizationRequestEnded' : 'tokenizationRequestNotFound' })
  }
  const command = { kind: 'forceRequest', requestId, outcome: outcomeFor(before) } as const
  return context.state.perform(world, command, (view) =>
    worldRequestToWire(view, found(view.requests.get(requestId), requestId), world.engine.now),
  )
}

type WorldRequest = OutputOf<'holdRequest'>

/** The request as it is now; with an idempotency key as it was stored. It may have ended and be only in the query tables. */
async function latest(
  context: Context,
  account: RequestAccount,
  request: WorldRequest,
): Promise<WorldRequest> {
  if (context.state.once) return request
  const current = await requestById(context, account, request.tokenization_request_id)
  return worldRequestToWire(account.world.view, current, account.world.engine.now)
}

const pendingIn = ({ view }: World): readonly TokenizationRequest[] =>
  [...view.requests.values()].filter(isPending).reverse()

/** The query tables have every request under the account of its issuer. */
async function allRequests(context: Context, world: World): Promise<readonly TokenizationRequest[]> {
  const lists = await Promise.all(
    [...world.view.issuers.values()].map(({ accountId }) => listRequests(context, { world, accountId }, {})),
  )
  return lists.flat().sort((a, b) => (a.createdAt > b.createdAt ? -1 : 1))
}

/** The wallet of the newest mint of this token: of the account if it has one, otherwise of any account. */
async function walletOf(
  context: Context,
  world: World,
  { accountId: custody }: Issuer,
  { account_id, issuer, underlying_symbol, network }: InputOf<'simulateRedemption'>['body'],
): Promise<string> {
  const filter = { type: 'mint', status: 'completed', issuer, underlying_symbol, network } as const
  for (const accountId of [account_id, custody]) {
    const [newest] = await listRequests(context, { world, accountId }, { ...filter, limit: 1 })
    if (newest) return newest.wallet
  }
  throw refuse({
    code: 'invalidParameter',
    problem: `wallet_address is required: no ${underlying_symbol} was minted on ${network}`,
  })
}
