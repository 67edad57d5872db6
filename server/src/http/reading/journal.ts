import type { InputOf } from '@quipu/contract'
import type { AccountId, OrderId } from '@quipu/core'
import { eventToWire, legsToWire } from '../../wire/event-wire.ts'
import { type Filter, ownerOf } from '../../wire/numbered-event.ts'
import type { World } from '../../world/world.ts'
import type { Context, SomeHandlers } from '../context.ts'
import { eventStream, sseMessage } from '../event-stream.ts'
import { worldNamed } from '../sim/world-named.ts'
import { eventSource } from './event-source.ts'
import { follow } from './follow.ts'
import { formatOf, isLive, rowsAs } from './formats.ts'
import { openReader, positionIn } from './readers.ts'
import { scan } from './scan.ts'

export const journalHandlers = {
  async listEvents({ params, query, headers }, context) {
    const world = worldNamed(params.world, context)
    const filter = filterOf(query)
    const after = positionIn(world.journal.head().seq, query, headers['last-event-id'])
    if (isLive(context)) {
      openReader(context)
      return eventStream(async ({ write, signal }) => {
        for await (const events of follow(eventSource(world, after, filter), { signal }))
          if (events.length > 0)
            await write(
              events
                .map((event) => sseMessage('event', JSON.stringify(eventToWire(event)), `${event.seq}`))
                .join(''),
            )
      })
    }
    const { found, next } = await page(world, context, after, query.limit, filter)
    return { events: found.map(eventToWire), next_cursor: next }
  },

  async listPostings({ params, query, headers }, context) {
    const world = worldNamed(params.world, context)
    const after = positionIn(world.journal.head().seq, query, headers['last-event-id'])
    const { asset, account_id: accountId } = query
    const isOf = (legAsset: string, owner: string | undefined) =>
      (asset === undefined || legAsset === asset) && (accountId === undefined || owner === accountId)
    const isMine = (leg: Leg) => isOf(leg.asset, leg.account_id)
    const filter: Filter = { ...filterOf(query), leg: (leg) => isOf(leg.asset, ownerOf(leg.account)) }
    if (isLive(context)) {
      openReader(context)
      return eventStream(async ({ write, signal }) => {
        for await (const events of follow(eventSource(world, after, filter), { signal })) {
          const legs = events.flatMap(legsToWire).filter(isMine)
          if (legs.length > 0)
            await write(
              legs.map((leg) => sseMessage('posting', JSON.stringify(leg), `${leg.number}`)).join(''),
            )
        }
      })
    }
    const { found, next } = await page(world, context, after, query.limit, filter)
    const legs = found.flatMap(legsToWire).filter(isMine)
    const format = formatOf(context, query.format)
    if (format !== 'json') return rowsAs(context, format, LEG_COLUMNS, legs, next)
    return { postings: legs, next_cursor: next }
  },
} satisfies SomeHandlers

type Leg = ReturnType<typeof legsToWire>[number]

const LEG_COLUMNS = [
  'number',
  'leg',
  'at',
  'kind',
  'ledger_account',
  'account_id',
  'asset',
  'amount',
  'order_id',
  'request_id',
]

type Query = InputOf<'listEvents'>['query']

const filterOf = ({ account_id, order_id, request_id, kind }: Query): Filter => ({
  accountId: account_id as AccountId | undefined,
  orderId: order_id as OrderId | undefined,
  requestId: request_id,
  kinds: kind && new Set(kind),
})

async function page(world: World, context: Context, after: number, limit: number, filter: Filter) {
  const { scanMax } = context.services.limits
  const { found, upTo, isEnd } = await scan(world, { after, limit, scanMax, filter })
  context.seq = upTo
  return { found, next: isEnd ? null : `${upTo}` }
}
