import { type AccountId, formatInstant, type TokenizationRequest } from '@quipu/core'
import { type RequestChange, readRequestChange } from '../../../views/request-changes.ts'
import { eventId } from '../../../wire/event-id.ts'
import { requestToIssuer, requestToWire } from '../../../wire/request-wire.ts'
import type { World } from '../../../world/world.ts'
import type { NumberedTelling, Told } from './account-source.ts'

type Place = { readonly world: World; readonly accountId: AccountId }

/** What happens to the requests of an account, as its side of them sees it: a participant's, or an issuer's. */
export function requestTelling({ world, accountId }: Place): NumberedTelling {
  const told = ({ seq, request }: RequestChange): Told => {
    const at = request.updatedAt
    const id = eventId(at, seq)
    const data = { event_id: id, at: formatInstant(at), ...seenFrom(world, accountId, request) }
    return { id, at, seq, data: JSON.stringify(data) }
  }
  return {
    part: 'requests',
    lastId: eventId,
    tell: ({ seq, request }) =>
      request && concerns(world, accountId, request) ? [told({ seq, request })] : [],
    read: (record) => {
      const change = readRequestChange(record)
      return { told: [told(change)], place: { at: change.request.updatedAt, seq: change.seq, n: 0 } }
    },
  }
}

const concerns = (world: World, accountId: AccountId, request: TokenizationRequest): boolean =>
  request.accountId === accountId || isIssuer(world, accountId, request)

const seenFrom = (world: World, accountId: AccountId, request: TokenizationRequest) =>
  isIssuer(world, accountId, request) ? requestToIssuer(world.view, request) : requestToWire(request)

const isIssuer = ({ view }: World, accountId: AccountId, { issuer }: TokenizationRequest): boolean =>
  view.issuers.get(issuer)?.accountId === accountId
