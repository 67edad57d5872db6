import type { InputOf, TokenizationRequestRecord } from '@quipu/contract'
import {
  type Issuer,
  lookUp,
  type ParticipantName,
  participantName,
  publicStatus,
  type RequestId,
  type TokenizationRequest,
  type View,
} from '@quipu/core'
import { refuse } from '../../wire/refusal.ts'
import { requestToIssuer } from '../../wire/request-wire.ts'
import type { Context } from '../context.ts'
import { participantIn } from './participant.ts'
import { type RequestAccount, requestById } from './request-reading.ts'

type Body = InputOf<'postTokenizationCallbackMint'>['body']
type IssuerAccess = RequestAccount & { readonly issuer: Issuer }

/** Completes a mint when the issuer reports the tokens. A repeated callback gets the same response. */
export async function completeByCallback(
  context: Context,
  access: IssuerAccess,
  body: Body,
): Promise<TokenizationRequestRecord> {
  const { world } = access
  const request = await mintOfIssuer(context, access, body.tokenization_request_id)
  checkFields(world.view, request, body)
  const requestId = request.id
  const command = { kind: 'completeMint', requestId, txHash: body.tx_hash } as const
  return context.state.perform(world, command, (view) => {
    const current = view.requests.get(requestId) ?? request
    return current.status === 'completed' && current.txHash === body.tx_hash
      ? requestToIssuer(view, current)
      : callbackRefused(current)
  })
}

/** A request of another issuer is forbidden; an unknown request is not found. */
async function mintOfIssuer(
  context: Context,
  access: IssuerAccess,
  id: string,
): Promise<TokenizationRequest> {
  const known = lookUp(access.world.view.requests, id.toLowerCase())
  if (known && known.issuer !== access.issuer.code) throw refuse({ code: 'forbidden' })
  const request = known ?? (await requestById(context, access, id).catch(forbiddenIfForeign(access, id)))
  if (request.kind !== 'mint') throw refuse({ code: 'tokenizationRequestNotFound' })
  return request
}

/** The query tables also have the requests that are no longer in memory. */
const forbiddenIfForeign =
  ({ world, issuer }: IssuerAccess, id: string) =>
  async (error: unknown): Promise<never> => {
    const others = [...world.view.issuers.values()].filter(({ code }) => code !== issuer.code)
    const found = others.map(({ accountId }) =>
      world.storage.queryTables.request(accountId, id.toLowerCase() as RequestId),
    )
    if ((await Promise.all(found)).some(Boolean)) throw refuse({ code: 'forbidden' })
    throw error
  }

/** The optional fields of the callback must match the request. */
function checkFields(view: View, request: TokenizationRequest, body: Body): void {
  const participant = participantIn(body)
  const mismatch = (problem: string) => refuse({ code: 'tokenizationCallbackMismatch', problem })
  if (participant && !isSameName(participant, participantName(view, request)))
    throw mismatch('the participant differs from the request')
  if (body.network !== undefined && body.network !== request.network)
    throw mismatch('network differs from the request')
  if (body.wallet_address !== undefined && !isSameWallet(body.wallet_address, request.wallet))
    throw mismatch('wallet_address differs from the request')
}

const isSameName = (one: ParticipantName, other: ParticipantName): boolean =>
  'externalId' in one
    ? 'externalId' in other && one.externalId === other.externalId
    : 'accountId' in other && one.accountId === other.accountId

const isSameWallet = (one: string, other: string): boolean =>
  one === other || (one.startsWith('0x') && one.toLowerCase() === other.toLowerCase())

function callbackRefused(request: TokenizationRequest) {
  const status = publicStatus(request)
  const problem =
    status === 'completed'
      ? 'it has another tx_hash'
      : status === 'rejected'
        ? 'it cannot be completed'
        : 'its shares have not moved'
  return refuse({ code: 'tokenizationCallbackRefused', status, problem })
}
