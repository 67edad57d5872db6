import { plainAddress } from '@quipu/broker/access/addresses.ts'
import type { Actor, RequestRecord } from '@quipu/broker/journal/cause.ts'
import type { World } from '@quipu/broker/world/world.ts'
import { type AuditEntryRecord, AuditEntryShape, type InputOf } from '@quipu/contract'
import type { BrokerEvent } from '@quipu/core'
import { definedFields, formatInstant } from '@quipu/core/values'
import { scan } from '../../history/scan.ts'
import { instantOf } from '../../wire/moments.ts'
import { eventAccount, type Filter, type NumberedEvent } from '../../wire/numbered-event.ts'
import { refuse } from '../../wire/refusal.ts'
import type { Context, SomeHandlers } from '../context.ts'
import { sseMessage } from '../event-stream.ts'
import { worldNamed } from '../sim/world-named.ts'
import { eventSource } from './event-source.ts'
import { isLive, readingFormat, rowsAs } from './formats.ts'
import { positionBefore } from './order-events.ts'
import { liveStream, positionIn } from './readers.ts'

/** The callers of events, from the request records in the journal, so that a restart does not lose them. */
export const auditLogHandlers = {
  async listAuditLog({ params, query, headers }, context) {
    const world = worldNamed(params.world, context)
    const after = await startOf(world, query, headers['last-event-id'])
    const filter = await filterOf(context, query)
    if (isLive(context))
      return liveStream(context, eventSource(world, after, filter), async (events) =>
        (await entriesOf(context, events)).map(messageOf),
      )
    const { scanMax } = context.services.limits
    const { found, upTo, isEnd } = await scan(world.storage.journal, {
      after,
      limit: query.limit,
      scanMax,
      filter,
    })
    context.state.seq = upTo
    const next = isEnd ? null : `${upTo}`
    const entries = await entriesOf(context, found)
    const as = readingFormat(context, query.format)
    if (as !== 'json') return rowsAs(context, as, COLUMNS, entries, next)
    return { entries, next_cursor: next }
  },

  async eraseAddresses({ body }, context) {
    const { address, before } = body
    if (address === undefined && before === undefined)
      throw refuse({ code: 'invalidParameter', problem: 'address: expected an address, or before: a date' })
    const { access, main } = context.services.worlds
    const { addresses } = access
    // The event comes first, so that every erasure is recorded; a client without a response repeats the request.
    await context.state.submit(main, {
      kind: 'noteErasure',
      ...definedFields({ before }),
    })
    const erasure = { address: address && plainAddress(address), before: before?.replaceAll('-', '') }
    context.services.monitoring.requests.erase(context.services.worlds.all(), erasure)
    return { erased: await addresses.erase(erasure) }
  },
} satisfies SomeHandlers

type AuditLogQuery = InputOf<'listAuditLog'>['query']

async function startOf(world: World, query: AuditLogQuery, lastEventId: string | undefined): Promise<number> {
  const after = positionIn(world.storage.journal.head().seq, query, lastEventId)
  if (query.since === undefined) return after
  return Math.max(after, await positionBefore(world.storage.journal, instantOf(query.since)))
}

async function filterOf(context: Context, query: AuditLogQuery): Promise<Filter> {
  const { account_id: account, caller, operation, request_id: requestId } = query
  const [since, until] = [query.since, query.until].map((text) => text && instantOf(text))
  const isOfAddress =
    query.address === undefined
      ? undefined
      : await context.services.worlds.access.addresses.refsOf(query.address)
  const request = (record: RequestRecord, event: BrokerEvent): boolean =>
    (!since || event.at >= since) &&
    (!until || event.at < until) &&
    (account === undefined || record.by.account === account || eventAccount(event) === account) &&
    (caller === undefined || isBy(record.by, caller)) &&
    (operation === undefined || record.op === operation) &&
    (isOfAddress === undefined || isOfAddress(record.from))
  return { request, requestId }
}

const isBy = ({ key, partner, app, grant, user, session }: Actor, id: string): boolean =>
  [key, partner, app, grant, user, session].includes(id)

async function entriesOf(
  context: Context,
  found: readonly NumberedEvent[],
): Promise<readonly AuditEntryRecord[]> {
  const refs = found.flatMap(({ record }) => record?.from ?? [])
  const addresses = await context.services.worlds.access.addresses.resolve(refs)
  return found.flatMap(({ seq, event, record }) =>
    record ? [entryToWire(seq, event, record, addresses.get(record.from))] : [],
  )
}

function entryToWire(
  seq: number,
  event: BrokerEvent,
  { id, op, by }: RequestRecord,
  address: string | undefined,
): AuditEntryRecord {
  const account = by.account ?? eventAccount(event)
  return {
    number: seq,
    at: formatInstant(event.at),
    kind: event.kind,
    request_id: id,
    operation: op,
    caller: by.kind,
    key_id: by.key,
    partner_id: by.partner,
    operator: by.operator,
    client_id: by.app,
    grant_id: by.grant,
    user_id: by.user,
    session_id: by.session,
    account_id: account,
    address,
  }
}

const messageOf = (entry: AuditEntryRecord): string =>
  sseMessage('entry', JSON.stringify(entry), `${entry.number}`)

const COLUMNS = Object.keys(AuditEntryShape.fields)
