import type { TokenizationMintedRecord, TokenizationMintRecord } from '@quipu/contract'
import {
  type Decision,
  definedFields,
  earlierMint,
  found,
  type IssuerCode,
  parseDecimal,
  type Quantity,
  type Refusal,
  type RequestId,
  type RequestMint,
  type Ticker,
  type TokenizationRequest,
  type View,
} from '@quipu/core'
import { refuse } from '../../wire/refusal.ts'
import { mintedToWire } from '../../wire/request-wire.ts'
import type { World } from '../../world/world.ts'
import { checkKey, idempotencyOf } from '../broker/idempotency.ts'
import type { Context } from '../context.ts'
import { checkIssuer, type WorldAccount } from './request-reading.ts'

export type MintParts = {
  readonly chain: {
    validateAddress(network: string, address: string, taken?: string): { readonly ok: boolean }
  }
  /** How long a response waits for the decision of the issuer, by the wall clock. */
  readonly issuerWaitMs?: number
}

const ISSUER_WAIT_MS = 5000

type MintInput = { readonly body: TokenizationMintRecord; readonly key: string | undefined }

/** Requests tokens and waits for the decision of the issuer; a late decision follows after the response. */
export async function createMint(
  { chain, issuerWaitMs = ISSUER_WAIT_MS }: MintParts,
  context: Context,
  account: WorldAccount,
  { body, key }: MintInput,
): Promise<TokenizationMintedRecord> {
  checkIssuer(account.world, body.issuer)
  // Tokens minted to the redemption wallet would be redeemed at once.
  const issuer = account.world.view.issuers.get(body.issuer as string as IssuerCode)
  const redemption = issuer?.redemptionWallets?.get(body.network)
  checkKey(context, key)
  if (!chain.validateAddress(body.network, body.wallet_address, redemption).ok)
    throw refuse({ code: 'walletAddressInvalid', network: body.network })
  const command = { ...mintCommand(body, account), ...idempotencyOf(context, key) }
  const outcome = await submit(context, account, command, issuerWaitMs)
  if (!outcome.ok) throw refuse(outcome.reason)
  const { refusal } = await outcome.verdict
  if (refusal !== undefined)
    throw refuse(
      outcome.isNew ? { code: 'issuerRefused', text: refusal } : { code: 'idempotencyKeyOfRejected' },
    )
  if (!outcome.isNew) context.header('Idempotent-Replayed', 'true')
  return mintedToWire(outcome.request)
}

function mintCommand(body: TokenizationMintRecord, account: WorldAccount): RequestMint {
  return {
    kind: 'requestMint',
    accountId: account.accountId,
    issuer: body.issuer as string as IssuerCode,
    network: body.network,
    underlying: body.underlying_symbol as Ticker,
    quantity: sharesIn(body.qty),
    quantityText: body.qty,
    wallet: body.wallet_address,
    ...definedFields({ label: body.client_request_id }),
  }
}

export function sharesIn(text: string): Quantity {
  const quantity = parseDecimal(text)
  if (!quantity.ok) throw refuse({ code: 'invalidTokenizationParameter', problem: 'invalid qty' })
  return quantity.value as Quantity
}

type MintOutcome =
  | { readonly ok: false; readonly reason: Refusal }
  | {
      readonly ok: true
      readonly request: TokenizationRequest
      /** False for the replay of an earlier call. */
      readonly isNew: boolean
      readonly verdict: Promise<Verdict>
    }

/** An earlier request that is no longer in memory is read from the views by its idempotency key. */
function submit(
  context: Context,
  { world, accountId }: WorldAccount,
  command: RequestMint,
  issuerWaitMs: number,
): Promise<MintOutcome> {
  const { idempotency } = command
  const submitWith = (earlier?: TokenizationRequest): Promise<MintOutcome> => {
    const complete = earlier ? { ...command, earlier: earlierOf(earlier) } : command
    const read = (view: View, decision: Decision): MintOutcome => {
      if (!decision.ok) return decision
      const request = requestOf(view, complete, decision) ?? found(earlier, 'the earlier request')
      const verdict = isUndecided(request) ? verdictOn(world, request.id, issuerWaitMs) : Promise.resolve({})
      return { ok: true, request, isNew: decision.value.length > 0, verdict }
    }
    return context.submit(world, complete, read)
  }
  if (!idempotency) return submitWith()
  return world.withArchived((views) => views.requestByKey(accountId, idempotency.key), submitWith)
}

export const earlierOf = ({ id, idempotency, status }: TokenizationRequest) => ({
  requestId: id,
  bodyHash: found(idempotency, 'the idempotency key').bodyHash,
  isRejected: status === 'rejected',
})

/** The new request, or the earlier one of a repeated call; undefined if it is only in the views. */
function requestOf(
  view: View,
  command: RequestMint,
  { value }: Extract<Decision, { ok: true }>,
): TokenizationRequest | undefined {
  const requested = value.find((event) => event.kind === 'mintRequested')
  return requested
    ? requested.request
    : view.requests.get(found(earlierMint(view, command), 'the earlier call').requestId)
}

/** The decision of an issuer; without a refusal the issuer accepted or did not answer in time. */
export type Verdict = { readonly refusal?: string }

/** Whether a decision of the issuer is expected; a held request waits for an operator. */
export const isUndecided = ({ status, held }: TokenizationRequest): boolean =>
  !held && (status === 'received' || status === 'validating')

const endsWaiting: ReadonlySet<string> = new Set(['mintAccepted', 'jobFailed', 'requestHeld'])

/**
 * Resolves when the decision of the issuer is durable, when the issuer is unreachable or not called, or after `waitMs`.
 * Listens from the moment of the call.
 */
export function verdictOn(world: World, requestId: RequestId, waitMs: number): Promise<Verdict> {
  return new Promise((resolve) => {
    const end = (verdict: Verdict): void => {
      clearTimeout(timer)
      stop()
      resolve(verdict)
    }
    const timer = setTimeout(end, waitMs, {})
    const stop = world.listen((events) => {
      for (const { event } of events) {
        if (!('requestId' in event) || event.requestId !== requestId) continue
        if (event.kind === 'mintRejected') return end({ refusal: event.reason })
        if (endsWaiting.has(event.kind)) return end({})
      }
    })
  })
}
