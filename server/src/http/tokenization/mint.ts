import type { TokenizationMintedRecord, TokenizationMintRecord } from '@quipu/contract'
import {
  type Decision,
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
import { definedFields } from '../../wire/defined-fields.ts'
import { refuse } from '../../wire/refusal.ts'
import { mintedToWire } from '../../wire/request-wire.ts'
import type { World } from '../../world/world.ts'
import { checkKey, idempotencyOf } from '../broker/idempotency.ts'
import type { Context } from '../context.ts'
import { checkIssuer, type RequestsOf } from './request-reading.ts'

export type MintParts = {
  readonly chain: {
    validateAddress(network: string, address: string, taken?: string): { readonly ok: boolean }
  }
  /** How long an answer waits for the issuer's word, of the machine's time. */
  readonly issuerWaitMs?: number
}

const ISSUER_WAIT_MS = 5000

type Asked = { readonly body: TokenizationMintRecord; readonly key: string | undefined }

/** Asks for tokens. The issuer's word is waited for; where none comes in time, it comes after the answer. */
export async function takeMint(
  { chain, issuerWaitMs = ISSUER_WAIT_MS }: MintParts,
  context: Context,
  whose: RequestsOf,
  { body, key }: Asked,
): Promise<TokenizationMintedRecord> {
  checkIssuer(whose.world, body.issuer)
  // Tokens sent to where they are redeemed would come back at once.
  const issuer = whose.world.view.issuers.get(body.issuer as string as IssuerCode)
  const redemption = issuer?.redemptionWallets?.get(body.network)
  checkKey(context, key)
  if (!chain.validateAddress(body.network, body.wallet_address, redemption).ok)
    throw refuse({ code: 'walletAddressInvalid', network: body.network })
  const command = { ...mintOf(body, whose), ...idempotencyOf(context, key) }
  const taken = await submit(context, whose, command, issuerWaitMs)
  if (!taken.ok) throw refuse(taken.reason)
  const { refusal } = await taken.verdict
  if (refusal !== undefined)
    throw refuse(
      taken.isNew ? { code: 'issuerRefused', text: refusal } : { code: 'idempotencyKeyOfRejected' },
    )
  if (!taken.isNew) context.header('Idempotent-Replayed', 'true')
  return mintedToWire(taken.request)
}

function mintOf(body: TokenizationMintRecord, whose: RequestsOf): RequestMint {
  return {
    kind: 'requestMint',
    accountId: whose.accountId,
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

type Taken =
  | { readonly ok: false; readonly reason: Refusal }
  | {
      readonly ok: true
      readonly request: TokenizationRequest
      /** False for the replay of an earlier call. */
      readonly isNew: boolean
      readonly verdict: Promise<Verdict>
    }

/** What memory has let go under the idempotency key comes along from the views. */
function submit(
  context: Context,
  { world, accountId }: RequestsOf,
  command: RequestMint,
  issuerWaitMs: number,
): Promise<Taken> {
  const { idempotency } = command
  const take = (known?: TokenizationRequest): Promise<Taken> => {
    const asked = known ? { ...command, earlier: earlierOf(known) } : command
    const look = (view: View, decision: Decision): Taken => {
      if (!decision.ok) return decision
      const request = requestOf(view, asked, decision) ?? found(known, 'the earlier request')
      const verdict = isUndecided(request) ? verdictOn(world, request.id, issuerWaitMs) : Promise.resolve({})
      return { ok: true, request, isNew: decision.value.length > 0, verdict }
    }
    return context.resultOf(world, world.submit(asked, look))
  }
  if (!idempotency) return take()
  return world.withArchived((views) => views.requestByKey(accountId, idempotency.key), take)
}

export const earlierOf = ({ id, idempotency, status }: TokenizationRequest) => ({
  requestId: id,
  bodyHash: found(idempotency, 'its key').bodyHash,
  isRejected: status === 'rejected',
})

/** The request a call has made, or means; undefined where only the views have it. */
function requestOf(
  view: View,
  command: RequestMint,
  { value }: Extract<Decision, { ok: true }>,
): TokenizationRequest | undefined {
  const made = value.find((event) => event.kind === 'mintRequested')
  return made
    ? made.request
    : view.requests.get(found(earlierMint(view, command), 'the earlier call').requestId)
}

/** An issuer's first word on a request; without a refusal it is a yes, or none came in time. */
export type Verdict = { readonly refusal?: string }

/** The issuer will say something soon; of a request that is held it will not. */
export const isUndecided = ({ status, held }: TokenizationRequest): boolean =>
  !held && (status === 'received' || status === 'validating')

const goesOn: ReadonlySet<string> = new Set(['mintAccepted', 'jobFailed', 'requestHeld'])

/**
 * Resolves when the issuer's word is durable, when the issuer could not be reached or is not asked, or when the time
 * is over. Listens from the moment it is called.
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
        if (goesOn.has(event.kind)) return end({})
      }
    })
  })
}
