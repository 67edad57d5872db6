import type { TokenizationRedeemedRecord, TokenizationRedeemRecord } from '@quipu/contract'
import {
  type Decision,
  earlierRedeem,
  found,
  type Issuer,
  type RequestRedeem,
  type Ticker,
  type TokenizationRequest,
  type View,
} from '@quipu/core'
import { refuse } from '../../wire/refusal.ts'
import { redeemedToWire } from '../../wire/request-wire.ts'
import { checkKey, idempotencyOf } from '../broker/idempotency.ts'
import type { Context } from '../context.ts'
import { earlierOf, sharesIn } from './mint.ts'
import { participantIn } from './participant.ts'
import type { RequestsOf } from './request-reading.ts'

type Place = RequestsOf & { readonly issuer: Issuer }
type Asked = { readonly body: TokenizationRedeemRecord; readonly key: string | undefined }

/** Asks for the shares of tokens that came back. The first answer says pending, though they move at once. */
export async function takeRedeem(
  context: Context,
  place: Place,
  asked: Asked,
): Promise<TokenizationRedeemedRecord> {
  const { world, accountId } = place
  checkKey(context, asked.key)
  const { key } = asked
  const command = { ...redeemOf(place, asked), ...idempotencyOf(context, key) }
  const taken = await world.withArchived(
    async (views) => ({
      byKey: key === undefined ? undefined : await views.requestByKey(accountId, key),
      byId: await views.requestByLabel(accountId, command.issuerRequestId),
    }),
    ({ byKey, byId }) => {
      const complete: RequestRedeem = {
        ...command,
        ...(byKey ? { earlier: earlierOf(byKey) } : {}),
        ...(byId?.kind === 'redeem' ? { earlierId: byId.id } : {}),
      }
      const look = (view: View, decision: Decision) => ({
        decision,
        request: decision.ok ? (requestOf(view, complete, decision) ?? byKey) : undefined,
      })
      return context.resultOf(world, world.submit(complete, look))
    },
  )
  if (!taken.decision.ok) throw refuse(taken.decision.reason)
  if (taken.decision.value.length === 0) context.header('Idempotent-Replayed', 'true')
  return redeemedToWire(found(taken.request, 'the request'))
}

function redeemOf({ issuer }: Place, { body }: Asked): RequestRedeem {
  const participant = participantIn(body)
  if (!participant)
    throw refuse({
      code: 'invalidTokenizationParameter',
      problem: 'client_external_account_id or client_account_id is required',
    })
  return {
    kind: 'requestRedeem',
    issuer: issuer.code,
    participant,
    network: body.network,
    underlying: body.underlying_symbol as Ticker,
    tokenSymbol: body.token_symbol,
    quantity: sharesIn(body.qty),
    quantityText: body.qty,
    wallet: body.wallet_address,
    txHash: body.tx_hash,
    issuerRequestId: body.issuer_request_id,
  }
}

/** The request a call has made, or means; undefined where only the views have it. */
function requestOf(
  view: View,
  command: RequestRedeem,
  { value }: Extract<Decision, { ok: true }>,
): TokenizationRequest | undefined {
  const made = value.find((event) => event.kind === 'redeemRequested')
  if (made) return made.request
  return view.requests.get(found(earlierRedeem(view, command), 'the earlier call').requestId)
}
