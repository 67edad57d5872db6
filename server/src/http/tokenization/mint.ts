import type { World } from '@quipu/broker/world/world.ts'
import type { TokenizationMintRecord } from '@quipu/contract'
import {
  definedFields,
  found,
  parseDecimal,
  type Quantity,
  type RequestId,
  type RequestMint,
  type TokenizationRequest,
  toQuantity,
  type View,
} from '@quipu/core'
import { refuse } from '../../wire/refusal.ts'
import type { Context } from '../context.ts'
import { checkIssuer, type RequestAccount } from './request-reading.ts'

export type MintParts = {
  readonly chain: {
    validateAddress(network: string, address: string, taken?: string): { readonly ok: boolean }
  }
  /** How long a response waits for the decision of the issuer, by the wall clock. */
  readonly issuerWaitMs?: number
}

export const ISSUER_WAIT_MS = 5000

/** Requests tokens and waits for the decision of the issuer; a late decision follows after the response. */
export async function createMint<Output>(
  { chain, issuerWaitMs = ISSUER_WAIT_MS }: MintParts,
  context: Context,
  account: RequestAccount,
  body: TokenizationMintRecord,
  toWire: (request: TokenizationRequest, view: View) => Output,
): Promise<Output> {
  const { world } = account
  checkIssuer(world, body.issuer)
  // Tokens minted to the redemption wallet would be redeemed at once.
  const issuer = world.view.issuers.get(body.issuer)
  const redemption = issuer?.redemptionWallets?.get(body.network)
  if (!chain.validateAddress(body.network, body.wallet_address, redemption).ok)
    throw refuse({ code: 'walletAddressInvalid', network: body.network })
  let verdict: Promise<MintVerdict> | undefined
  const minted = await context.state.perform(world, mintCommand(body, account), (view, events) => {
    const requested = events.find((event) => event.kind === 'mintRequested')
    const { request } = found(requested, 'the mint')
    if (isUndecided(request)) verdict = verdictOn(world, request.id, issuerWaitMs)
    return toWire(request, view)
  })
  const { refusal } = (await verdict) ?? {}
  if (refusal !== undefined) throw refuse({ code: 'issuerRefused', text: refusal })
  return minted
}

function mintCommand(body: TokenizationMintRecord, account: RequestAccount): RequestMint {
  return {
    kind: 'requestMint',
    accountId: account.accountId,
    issuer: body.issuer,
    network: body.network,
    underlying: body.underlying_symbol,
    quantity: sharesIn(body.qty),
    quantityText: body.qty,
    wallet: body.wallet_address,
    ...definedFields({ label: body.client_request_id }),
  }
}

export function sharesIn(text: string): Quantity {
  const quantity = parseDecimal(text)
  if (!quantity.ok) throw refuse({ code: 'invalidTokenizationParameter', problem: 'invalid qty' })
  return toQuantity(quantity.value)
}

/** The decision of an issuer; without a refusal the issuer accepted or did not answer in time. */
export type MintVerdict = { readonly refusal?: string }

/** Whether a decision of the issuer is expected; a held request waits for an operator. */
export const isUndecided = ({ status, held }: TokenizationRequest): boolean =>
  !held && (status === 'received' || status === 'validating')

const endsWaiting: ReadonlySet<string> = new Set(['mintAccepted', 'jobFailed', 'requestHeld'])

/**
 * Resolves when the decision of the issuer is durable, when the issuer is unreachable or not called, or after `waitMs`.
 * Listens from the moment of the call.
 */
export function verdictOn(world: World, requestId: RequestId, waitMs: number): Promise<MintVerdict> {
  return new Promise((resolve) => {
    const end = (verdict: MintVerdict): void => {
      clearTimeout(timer)
      stop()
      resolve(verdict)
    }
    const timer = setTimeout(end, waitMs, {})
    const stop = world.publisher.listen((events) => {
      for (const { event } of events) {
        if (!('requestId' in event) || event.requestId !== requestId) continue
        if (event.kind === 'mintRejected') return end({ refusal: event.reason })
        if (endsWaiting.has(event.kind)) return end({})
      }
    })
  })
}
