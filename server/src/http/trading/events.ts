import type { Handlers, InputOf } from '@quipu/contract'
import { type Account, type AccountId, activitiesOf, decodeActivity, type Instant } from '@quipu/core'
import type { Committed } from '../../journal/committed.ts'
import { unpackUpdates } from '../../views/updates.ts'
import { definedFields } from '../../wire/defined-fields.ts'
import { eventId, PARTS, partId, timeOfId } from '../../wire/event-id.ts'
import { instantOf } from '../../wire/moments.ts'
import { refuse } from '../../wire/refusal.ts'
import { tradeUpdateText } from '../../wire/trade-update.ts'
import type { World } from '../../world/world.ts'
import { accessOf } from '../broker/partner-access.ts'
import type { Context } from '../context.ts'
import { eventStream } from '../event-stream.ts'
import { follow, type Source } from '../reading/follow.ts'
import { openReader } from '../reading/readers.ts'
import { tokenizationAccess } from '../tokenization/tokenization-access.ts'
import { accountLine, type NumberedTelling, type Told } from './events/account-source.ts'
import { activityEventOf } from './events/activity-event.ts'
import { partnerLine } from './events/partner-source.ts'
import { requestTelling } from './events/request-event.ts'

type Names =
  | 'streamTradeEvents'
  | 'streamTradeEventsBroker'
  | 'streamActivityEvents'
  | 'streamTokenizationEvents'
  | 'streamTokenizationEventsBroker'
type Input = InputOf<'streamTradeEvents'>
/** Whose events are told. */
type Place = { readonly world: World; readonly accountId: AccountId }

/** How often a reader who waits for an end looks whether it has come. */
const LOOK_MS = 50

export const accountEventHandlers: Handlers<Context, Names> = {
  streamTradeEvents: (input, context) => opened(input, context, context.account, trades),
  streamTradeEventsBroker: ({ query, headers }, context) => {
    const { account_id: only, since_ulid, until_ulid, ...span } = query
    const access = accessOf(context, headers)
    const owns = (account: Account) =>
      (only === undefined || account.id === only) &&
      (access.limitedTo ?? account.partnerId) === account.partnerId
    if (only !== undefined && ![...access.world.view.accounts.values()].some(owns))
      throw refuse({ code: 'accountNotFound' })
    const asked = definedFields({
      ...span,
      since_id: span.since_id ?? since_ulid,
      until_id: span.until_id ?? until_ulid,
    })
    return streamed({ query: asked, headers }, context, access.world, eventId, (from) =>
      partnerLine({ world: access.world, owns, from, tellingOf: namedTrades }),
    )
  },
  streamActivityEvents: (input, context) => opened(input, context, context.account, activities),
  streamTokenizationEvents: (input, context) => opened(input, context, context.account, requestTelling),
  streamTokenizationEventsBroker: ({ query, headers }, context) => {
    const { account_id, ...span } = query
    const place = tokenizationAccess({ headers, params: { account_id } }, context)
    return opened({ query: span, headers }, context, place, requestTelling)
  },
}

const trades = ({ accountId }: Pick<Place, 'accountId'>): NumberedTelling => {
  const tell = (committed: Committed): readonly Told[] => {
    const data = tradeUpdateText(committed)
    if (data === undefined) return []
    const { event, seq } = committed
    return [{ id: eventId(event.at, seq), at: event.at, seq, data }]
  }
  const read = (record: string) => {
    const committed = unpackUpdates(accountId, record)
    const { seq, event } = committed.at(-1)!
    return { told: committed.flatMap(tell), place: { at: event.at, seq, n: 0 } }
  }
  return { part: 'updates', lastId: eventId, tell, read }
}

/** The same, and each message says whose order it is. */
function namedTrades(accountId: AccountId): NumberedTelling {
  const { tell, read, ...rest } = trades({ accountId })
  const named = (told: Told): Told => ({
    ...told,
    data: `{"account_id":"${accountId}",${told.data.slice(1)}`,
  })
  return {
    ...rest,
    tell: (committed) => tell(committed).map(named),
    read: (record) => {
      const { told, place } = read(record)
      return { told: told.map(named), place }
    },
  }
}

const activities = ({ world, accountId }: Place): NumberedTelling => {
  const told = (activity: Parameters<typeof activityEventOf>[0]): Told => {
    const event = activityEventOf(activity, world.market.assets())
    const { at, seq } = activity
    return { id: event.event_id, at, seq, data: JSON.stringify(event) }
  }
  return {
    part: 'activity',
    lastId: (at, seq) => partId(at, seq, PARTS - 1),
    tell: ({ event, seq, order }) =>
      activitiesOf(event, seq, order)
        .filter((activity) => activity.accountId === accountId)
        .map(told),
    read: (record) => {
      const activity = decodeActivity(accountId, record)
      return { told: [told(activity)], place: activity }
    },
  }
}

/** What a reader asks for: from where on, and up to where, if there is an end. */
type Span = {
  readonly from: Instant
  readonly end: Instant | undefined
  /** The last number before it, where it begins now. */
  readonly opening: number | undefined
  readonly isWanted: (told: Told) => boolean
  readonly isBeyond: (told: Told) => boolean
}

function opened(
  input: Asking,
  context: Context,
  place: Place,
  tellingOf: (place: Place) => NumberedTelling,
): string {
  const { world, accountId } = place
  const telling = tellingOf(place)
  return streamed(input, context, world, telling.lastId, (from) =>
    accountLine({ world, accountId, telling, from }),
  )
}

type Asking = Pick<Input, 'query' | 'headers'>

function streamed(
  { query, headers }: Asking,
  context: Context,
  world: World,
  lastId: NumberedTelling['lastId'],
  lineFrom: (from: Instant) => Source<Told, string>,
): string {
  openReader(context)
  const span = spanOf({ ...query, since_id: query.since_id ?? resumed(query, headers) }, world)
  return eventStream(async ({ write, signal }) => {
    const { from, end } = span
    const look = end === undefined ? {} : { lookMs: LOOK_MS }
    // Who is cut off before anything happened goes on from here.
    if (span.opening !== undefined) await write(`id: ${lastId(from, span.opening)}\n\n`)
    let isEnding = false
    for await (const some of follow(lineFrom(from), { signal, ...look })) {
      const wanted = some.filter(span.isWanted)
      if (wanted.length > 0) await write(wanted.map(message).join(''))
      if (some.some(span.isBeyond) || (isEnding && some.length === 0)) return
      if (some.length > 0 || end === undefined || world.latest <= end) continue
      // What was decided before the end may still be on its way to the disk.
      await world.engine.untilDurable(world.view.seq)
      isEnding = true
    }
  })
}

/** A browser that comes again says in a header what it has seen last. */
function resumed({ since }: Input['query'], headers: Input['headers']): string | undefined {
  return since === undefined ? headers['last-event-id'] : undefined
}

const message = ({ id, data }: Told): string => `id: ${id}\ndata: ${data}\n\n`

type Asked = Omit<Input['query'], 'since_id'> & { readonly since_id?: string | undefined }

function spanOf({ since, since_id: seen, until, until_id: last }: Asked, world: World): Span {
  const { latest: now, view } = world
  const { seq: before } = view
  const from = since ? instantOf(since) : seen === undefined ? now : timeOfId(seen)
  const end = until ? instantOf(until) : last === undefined ? undefined : endOfId(last)
  const isBeyond = ({ id, at }: Told): boolean =>
    last === undefined ? end !== undefined && at > end : id > last
  const isBegun = ({ id, at, seq }: Told): boolean =>
    seen === undefined ? (since ? at >= from : seq > before) : id > seen
  const opening = since || seen !== undefined ? undefined : before
  return { from, end, opening, isBeyond, isWanted: (told) => isBegun(told) && !isBeyond(told) }
}

/** The last nanosecond of the millisecond in which an id was made. */
const endOfId = (id: string): Instant => (timeOfId(id) + 999_999n) as Instant
