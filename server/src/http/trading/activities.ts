import type { HistoryQuery } from '@quipu/broker/query-tables/history.ts'
import type { ActivityType, InputOf, MomentText } from '@quipu/contract'
import {
  type Activity,
  type ActivityKind,
  addDays,
  type CivilDate,
  decodeActivity,
  definedFields,
  earlier,
  fromNewYork,
  type Instant,
  lastOf,
  later,
  newYorkDate,
  type OrderId,
  parseActivityId,
} from '@quipu/core'
import { activityToWire, kindsBeside, kindsOf } from '../../wire/activity-wire.ts'
import { instantOf } from '../../wire/moments.ts'
import { refuse } from '../../wire/refusal.ts'
import type { Context, SomeHandlers } from '../context.ts'
import { waitForQueryTables } from '../wait-for-query-tables.ts'

type ActivitiesQuery = InputOf<'listActivitiesByType'>['query']

const PAGE = 100

export const activityHandlers = {
  listActivities: ({ query }, context) => list(context, query, kindsIn(query)),
  listActivitiesByType: ({ params, query }, context) => list(context, query, kindsOf([params.activity_type])),
} satisfies SomeHandlers

async function list(context: Context, query: ActivitiesQuery, kinds: readonly ActivityKind[] | undefined) {
  const { page_token: token } = query
  const beyond = token === undefined ? undefined : parseActivityId(token)
  if (token !== undefined && !beyond)
    throw refuse({ code: 'invalidParameter', problem: 'invalid page_token' })
  await waitForQueryTables(context)
  const { world, accountId } = context.account
  const limit = query.page_size ?? (query.date ? undefined : PAGE)
  const historyQuery: HistoryQuery = {
    accountId,
    part: 'activity',
    direction: query.direction,
    ...spanOf(query),
    ...definedFields({ kinds, beyond, limit }),
  }
  const found = query.order_id
    ? await ofOrder(context, query.order_id, historyQuery)
    : (await world.storage.queryTables.history(historyQuery)).map((record) =>
        decodeActivity(accountId, record),
      )
  return found.map(activityToWire)
}

function kindsIn(query: InputOf<'listActivities'>['query']): readonly ActivityKind[] | undefined {
  if (query.activity_types) return kindsOf(query.activity_types as readonly ActivityType[])
  if (query.category === 'trade_activity') return ['fill']
  return query.category === 'non_trade_activity' ? kindsBeside('fill') : undefined
}

type Span = { readonly after?: Instant; readonly until?: Instant }

/** A date is a day in New York. */
function spanOf({ date, after, until }: ActivitiesQuery): Span {
  if (date) {
    const day = dayOf(date)
    return { after: earlier(fromNewYork(day, 0), 1n), until: fromNewYork(addDays(day, 1), 0) }
  }
  return definedFields({ after: after && instantOf(after), until: until && instantOf(until) })
}

const dayOf = (moment: MomentText): CivilDate => moment.date ?? newYorkDate(instantOf(moment))

/** The fills of one order: scans the activities between its creation and its last update, in batches. */
async function ofOrder(
  context: Context,
  orderId: OrderId,
  requested: HistoryQuery,
): Promise<readonly Activity[]> {
  const { world, accountId } = context.account
  const order = await world.storage.queryTables.order(accountId, orderId)
  if (!order || (requested.kinds && !requested.kinds.includes('fill'))) return []
  const found: Activity[] = []
  const limit = requested.limit ?? Number.POSITIVE_INFINITY
  let query: HistoryQuery = { ...narrowed(requested, order.createdAt, order.updatedAt), limit: BATCH }
  for (;;) {
    const some = (await world.storage.queryTables.history(query)).map((record) =>
      decodeActivity(accountId, record),
    )
    for (const activity of some)
      if (activity.fill?.orderId === orderId && found.length < limit) found.push(activity)
    if (some.length < BATCH || found.length >= limit) return found
    query = { ...query, beyond: lastOf(some) }
  }
}

/** Activities per query. */
const BATCH = 1_000

function narrowed(query: HistoryQuery, from: Instant, to: Instant): HistoryQuery {
  const after = earlier(from, 1n)
  const until = later(to, 1n)
  return {
    ...query,
    kinds: ['fill'],
    after: query.after !== undefined && query.after > after ? query.after : after,
    until: query.until !== undefined && query.until < until ? query.until : until,
  }
}
