import { type AccountId, formatInstant, type TokenizationRequest } from '@quipu/core'
import { type RequestChange, readRequestChange } from '../../../views/request-changes.ts'
import { eventId } from '../../../wire/event-id.ts'
import { requestToIssuer, requestToWire } from '../../../wire/request-wire.ts'
import type { World } from '../../../world/world.ts'
import type { EventMessage, NumberedFormat } from './account-source.ts'

type AccountRef = { readonly world: World; readonly accountId: AccountId }

/** The events of tokenization requests, for the participant or the issuer of each request. */
export function requestFormat({ world, accountId }: AccountRef): NumberedFormat {
  const messageOf = ({ seq, request }: RequestChange): EventMessage => {
    const at = request.updatedAt
    const id = eventId(at, seq)
    const data = { event_id: id, at: formatInstant(at), ...requestFor(world, accountId, request) }
    return { id, at, seq, data: JSON.stringify(data) }
  }
  return {
    lastId: eventId,
    messagesOf: ({ seq, request }) =>
      request && concerns(world, accountId, request) ? [messageOf({ seq, request })] : [],
    past: async (views, query) =>
      (await views.history({ ...query, part: 'requests' })).map(readRequestChange).map((change) => ({
        messages: [messageOf(change)],
        position: { at: change.request.updatedAt, seq: change.seq, n: 0 },
      })),
  }
}

const concerns = (world: World, accountId: AccountId, request: TokenizationRequest): boolean =>
  request.accountId === accountId || isIssuer(world, accountId, request)

const requestFor = (world: World, accountId: AccountId, request: TokenizationRequest) =>
  isIssuer(world, accountId, request) ? requestToIssuer(world.view, request) : requestToWire(request)

const isIssuer = ({ view }: World, accountId: AccountId, { issuer }: TokenizationRequest): boolean =>
  view.issuers.get(issuer)?.accountId === accountId
