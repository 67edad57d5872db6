import type { InputOf, TokenizationRequestRecord } from '@quipu/contract'
import {
  type Issuer,
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
import { type RequestsOf, requestById } from './request-reading.ts'

type Body = InputOf<'postTokenizationCallbackMint'>['body']
type Place = RequestsOf & { readonly issuer: Issuer }

/** The issuer says that the tokens are there. Said twice it is true once. */
export async function takeCallback(
  context: Context,
  place: Place,
  body: Body,
): Promise<TokenizationRequestRecord> {
  const { world } = place
  const request = await foreignOrOwn(context, place, body.tokenization_request_id)
  checkSame(world.view, request, body)
  const requestId = request.id
  const command = { kind: 'completeMint', requestId, txHash: body.tx_hash } as const
  const { decision, after } = await context.resultOf(
    world,
    world.submit(command, (view, decided) => ({ decision: decided, after: view.requests.get(requestId) })),
  )
  if (!decision.ok) throw refuse(decision.reason)
  const now = after ?? request
  if (now.status !== 'completed' || now.txHash !== body.tx_hash) throw notNow(now)
  return requestToIssuer(world.view, now)
}

/** A request of another issuer is forbidden, one that nobody made is not found. */
async function foreignOrOwn(context: Context, place: Place, id: string): Promise<TokenizationRequest> {
  const known = place.world.view.requests.get(id.toLowerCase() as RequestId)
  if (known && known.issuer !== place.issuer.code) throw refuse({ code: 'forbidden' })
  const request = known ?? (await requestById(context, place, id).catch(foreign(place, id)))
  if (request.kind !== 'mint') throw refuse({ code: 'tokenizationRequestNotFound' })
  return request
}

/** Where memory has let it go, the views say whose it is. */
const foreign =
  ({ world, issuer }: Place, id: string) =>
  async (error: unknown): Promise<never> => {
    const others = [...world.view.issuers.values()].filter(({ code }) => code !== issuer.code)
    const found = others.map(({ accountId }) => world.views.request(accountId, id.toLowerCase() as RequestId))
    if ((await Promise.all(found)).some(Boolean)) throw refuse({ code: 'forbidden' })
    throw error
  }

/** Whatever it says of the request beside the id must be so. */
function checkSame(view: View, request: TokenizationRequest, body: Body): void {
  const participant = participantIn(body)
  const wrong = (problem: string) => refuse({ code: 'tokenizationCallbackMismatch', problem })
  if (participant && !isSameName(participant, participantName(view, request)))
    throw wrong('the participant is not the one of the request')
  if (body.network !== undefined && body.network !== request.network)
    throw wrong('network is not the one of the request')
  if (body.wallet_address !== undefined && !isSameWallet(body.wallet_address, request.wallet))
    throw wrong('wallet_address is not the one of the request')
}

const isSameName = (one: ParticipantName, other: ParticipantName): boolean =>
  'externalId' in one
    ? 'externalId' in other && one.externalId === other.externalId
    : 'accountId' in other && one.accountId === other.accountId

const isSameWallet = (one: string, other: string): boolean =>
  one === other || (one.startsWith('0x') && one.toLowerCase() === other.toLowerCase())

function notNow(request: TokenizationRequest) {
  const status = publicStatus(request)
  const problem =
    status === 'completed'
      ? 'it has another tx_hash'
      : status === 'rejected'
        ? 'nothing comes of it'
        : 'its shares have not moved'
  return refuse({ code: 'tokenizationCallbackRefused', status, problem })
}
