import { pauseWork } from '@quipu/broker/clock/long-work.ts'
import type { World } from '@quipu/broker/world/world.ts'
import type { OutputOf } from '@quipu/contract'
import {
  type BrokerEvent,
  formatInstant,
  type RequestId,
  type RequestMove,
  requestMoves,
  type TokenizationRequest,
} from '@quipu/core'
import { eventToWire, legsToWire } from '../../wire/event-wire.ts'
import { stateNames } from '../../wire/issuer-wire.ts'
import { isWanted, mayBeWanted, type NumberedEvent, numberedEntry } from '../../wire/numbered-event.ts'
import { positionBefore } from '../reading/order-events.ts'

type Details = OutputOf<'getWorldTokenizationRequest'>

/** The states, events and postings of a tokenization request, from the journal. */
export async function historyOf(
  world: World,
  request: TokenizationRequest,
): Promise<Omit<Details, 'request'> & { readonly upTo: number }> {
  const { found, upTo } = await eventsOf(world, request)
  return {
    steps: stepsOf(found),
    events: found.map(eventToWire),
    postings: found.flatMap(legsToWire),
    upTo,
  }
}

/** An ended request is found in the query tables of its issuer. */
export async function findEndedRequest(
  world: World,
  requestId: RequestId,
): Promise<TokenizationRequest | undefined> {
  await world.storage.untilQueryTables(world.engine.durable)
  for (const { accountId } of world.view.issuers.values()) {
    const request = await world.storage.queryTables.request(accountId, requestId)
    if (request) return request
  }
  return undefined
}

async function eventsOf(world: World, { id, createdAt }: TokenizationRequest) {
  const filter = { tokenizationRequestId: id }
  const isCandidate = mayBeWanted(filter)
  const found: NumberedEvent[] = []
  let upTo = await positionBefore(world.storage.journal, createdAt)
  for await (const entries of world.storage.journal.read(upTo)) {
    for (const entry of entries) {
      upTo += 1
      if (!isCandidate(entry)) continue
      const event = numberedEntry(upTo, entry)
      if (!isWanted(event, filter)) continue
      found.push(event)
      if (isLast(event.event)) return { found, upTo }
    }
    await pauseWork()
  }
  return { found, upTo }
}

/** Whether no event of a request follows. A job may still report a rejection to the issuer. */
const isLast = (event: BrokerEvent): boolean =>
  event.kind === 'mintCompleted' ||
  event.kind === 'redeemCompleted' ||
  event.kind === 'redeemRejected' ||
  event.kind === 'rejectionReported' ||
  (event.kind === 'mintRejected' && !event.job)

const moves: Partial<Record<BrokerEvent['kind'], RequestMove>> = {
  jobStarted: 'ask',
  mintAccepted: 'accept',
  mintTransferred: 'transfer',
  mintConfirmed: 'confirm',
  mintCompleted: 'complete',
  redeemCompleted: 'settle',
  mintRejected: 'reject',
  redeemRejected: 'reject',
}

/** The first event is that of the request; each later event that changes the state is a step. */
function stepsOf(events: readonly NumberedEvent[]): Details['steps'] {
  let status: TokenizationRequest['status'] = 'received'
  return events.flatMap((numbered, index) => {
    const move = moves[numbered.event.kind]
    const next = move && requestMoves[status][move]
    if (index > 0 && (next === undefined || next === status)) return []
    status = next ?? status
    const { seq, event, cause } = numbered
    return [{ state: stateNames[status], at: formatInstant(event.at), number: seq, request_id: cause }]
  })
}
