import type { TokenizationRedeemedRecord, TokenizationRedeemRecord } from '@quipu/contract'
import type { Issuer, RequestRedeem } from '@quipu/core'
import { found } from '@quipu/core/values'
import { refuse } from '../../wire/refusal.ts'
import { redeemedToWire } from '../../wire/request-wire.ts'
import type { Context } from '../context.ts'
import { sharesIn } from './mint.ts'
import { participantIn } from './participant.ts'
import type { WorldAccount } from './request-reading.ts'

type IssuerAccess = WorldAccount & { readonly issuer: Issuer }
/** Requests the shares of redeemed tokens. The response is pending, as in the protocol, although the shares move at once. */
export function createRedeem(
  context: Context,
  access: IssuerAccess,
  body: TokenizationRedeemRecord,
): Promise<TokenizationRedeemedRecord> {
  const { world, accountId } = access
  const command = redeemCommand(access, body)
  return world.withArchived(
    (queryTables) => queryTables.requestByLabel(accountId, command.issuerRequestId),
    (known) => {
      const complete = known?.kind === 'redeem' ? { ...command, earlierId: known.id } : command
      return context.perform(world, complete, (_, events) => {
        const requested = events.find((event) => event.kind === 'redeemRequested')
        return redeemedToWire(found(requested, 'the redeem').request)
      })
    },
  )
}

function redeemCommand({ issuer }: IssuerAccess, body: TokenizationRedeemRecord): RequestRedeem {
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
    underlying: body.underlying_symbol,
    tokenSymbol: body.token_symbol,
    quantity: sharesIn(body.qty),
    quantityText: body.qty,
    wallet: body.wallet_address,
    txHash: body.tx_hash,
    issuerRequestId: body.issuer_request_id,
  }
}
