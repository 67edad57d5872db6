import type { TokenizationRedeemedRecord, TokenizationRedeemRecord } from '@quipu/contract'
import {
  type Decision,
  definedFields,
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
import type { WorldAccount } from './request-reading.ts'

type IssuerAccess = WorldAccount & { readonly issuer: Issuer }
type RedeemRequest = { readonly body: TokenizationRedeemRecord; readonly key: string | undefined }

/** Requests the shares of redeemed tokens. The response is pending, as in the protocol, although the shares move at once. */
export async function createRedeem(
  context: Context,
  access: IssuerAccess,
  request: RedeemRequest,
): Promise<TokenizationRedeemedRecord> {
  const { world, accountId } = access
  checkKey(context, request.key)
  const { key } = request
  const command = { ...redeemCommand(access, request), ...idempotencyOf(context, key) }
  const outcome = await world.withArchived(
    async (views) => ({
      byKey: key === undefined ? undefined : await views.requestByKey(accountId, key),
      byId: await views.requestByLabel(accountId, command.issuerRequestId),
    }),
    ({ byKey, byId }) => {
      const complete: RequestRedeem = {
        ...command,
        ...definedFields({
          earlier: byKey && earlierOf(byKey),
          earlierId: byId?.kind === 'redeem' ? byId.id : undefined,
        }),
      }
      const read = (view: View, decision: Decision) => ({
        decision,
        request: decision.ok ? (requestOf(view, complete, decision) ?? byKey) : undefined,
      })
      return context.submit(world, complete, read)
    },
  )
  if (!outcome.decision.ok) throw refuse(outcome.decision.reason)
  if (outcome.decision.value.length === 0) context.header('Idempotent-Replayed', 'true')
  return redeemedToWire(found(outcome.request, 'the request'))
}

function redeemCommand({ issuer }: IssuerAccess, { body }: RedeemRequest): RequestRedeem {
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

/** The new request, or the earlier one of a repeated call; undefined if it is only in the views. */
function requestOf(
  view: View,
  command: RequestRedeem,
  { value }: Extract<Decision, { ok: true }>,
): TokenizationRequest | undefined {
  const requested = value.find((event) => event.kind === 'redeemRequested')
  if (requested) return requested.request
  return view.requests.get(found(earlierRedeem(view, command), 'the earlier call').requestId)
}
