import type { HistoryQuery } from '@quipu/broker/query-tables/history.ts'
import type { InputOf } from '@quipu/contract'
import {
  type AccountId,
  type BookTransfer,
  type BookTransferMade,
  type BookTransferSent,
  decode,
  definedFields,
  found,
  lastOf,
  type MakeBookTransfer,
  type PartnerId,
  parseMovementId,
  type Transfer,
  type TransferMoney,
  toQuantity,
} from '@quipu/core'
import { bookTransferToWire, transferToWire } from '../../wire/broker-wire.ts'
import { instantOf } from '../../wire/moments.ts'
import { refuse } from '../../wire/refusal.ts'
import type { Context } from '../context.ts'
import { centsOf, closeAmount, symbolOf } from '../trading/position-input.ts'
import { commandToWorld, withStatus } from './book-transfers-between-worlds.ts'
import { type PartnerAccess, partnerCaller, readAccount, withAccess } from './partner-access.ts'

export const brokerMoneyHandlers = withAccess({
  createTransfer: async ({ access, params, body }, context) => {
    const accountId = params.account_id
    const command: TransferMoney = {
      kind: 'transferMoney',
      accountId,
      direction: body.direction === 'INCOMING' ? 'in' : 'out',
      method: body.transfer_type,
      amount: centsOf(body.amount),
      ...definedFields({ note: body.additional_information }),
      ...partnerCaller(access),
    }
    return context.state.perform(access.world, command, (_, events) => {
      const booked = events.find((event) => event.kind === 'transferBooked')
      return transferToWire(found(booked, 'the transfer').transfer)
    })
  },

  listTransfers: async ({ access, params, query }, context) => {
    const { direction, limit, offset, page_token: token } = query
    const account = await readAccount(context, access, params.account_id, (_, found) => found)
    await access.world.storage.untilQueryTables(account.lastSeq)
    const kinds = ['transferIn', 'transferOut'] as const
    const records = await access.world.storage.queryTables.history({
      ...movementsOf(account.id, token),
      kinds: direction === undefined ? kinds : [kinds[direction === 'INCOMING' ? 0 : 1]],
      limit: limit + offset,
    })
    return records.slice(offset).map((record) => transferToWire(decode(record) as Transfer))
  },

  createJournal: async ({ access, body }, context) => {
    const command = await commandToWorld(context, access, body, journalCommand(access, body))
    return context.state.perform(access.world, command, (_, events) => {
      const booked = events.find(({ kind }) => kind === 'bookTransferMade' || kind === 'bookTransferSent')
      return bookTransferToWire(
        found(booked as BookTransferMade | BookTransferSent | undefined, 'the book transfer').bookTransfer,
      )
    })
  },

  listJournals: async ({ access, query }, context) => {
    if (query.status !== undefined && !statuses.has(query.status)) return []
    const lists = await Promise.all(
      (await ownersOf(context, access, query)).map((owner) => journalsOf(context, access, owner, query)),
    )
    return lists.flat().sort(newestFirst).slice(0, query.limit).map(bookTransferToWire)
  },

  getJournal: async ({ access, params }, context) => {
    const position = parseMovementId(params.journal_id)
    const owners = await ownersOf(context, access, {})
    for (const { id, lastSeq } of position === undefined ? [] : owners) {
      await access.world.storage.untilQueryTables(lastSeq)
      const [record] = await access.world.storage.queryTables.history({
        accountId: id,
        part: 'movement',
        kinds: journalKinds.all,
        beyond: { ...position!, seq: position!.seq - 1, n: LAST },
        direction: 'asc',
        limit: 1,
      })
      const bookTransfer = record === undefined ? undefined : (decode(record) as BookTransfer)
      if (bookTransfer?.id === params.journal_id)
        return bookTransferToWire(await withStatus(context, access, bookTransfer))
    }
    throw refuse({ code: 'journalNotFound' })
  },
})

const journalKinds = {
  JNLC: ['cashBookTransfer'],
  JNLS: ['shareBookTransfer'],
  all: ['cashBookTransfer', 'shareBookTransfer'],
} as const

/** A query may name other statuses of the protocol, which no book transfer has. */
const statuses: ReadonlySet<string> = new Set(['executed', 'pending', 'rejected'])

/** No event has this many activities, so a page after this index starts at the next event. */
const LAST = 255

/** Newest first, after the last record of the previous page. */
function movementsOf(accountId: AccountId, token: string | undefined): HistoryQuery {
  const beyond = token === undefined ? undefined : parseMovementId(token)
  if (token !== undefined && beyond === undefined)
    throw refuse({ code: 'invalidParameter', problem: 'page_token: unknown token' })
  return { accountId, part: 'movement', direction: 'desc', ...definedFields({ beyond }) }
}

type JournalsQuery = InputOf<'listJournals'>['query']
/** The partner or account that book transfers are listed for, and the event that the query tables must have reached. */
type Owner = { readonly id: AccountId; readonly lastSeq: number }

async function ownersOf(
  context: Context,
  access: PartnerAccess,
  { from_account: from, to_account: to }: Pick<JournalsQuery, 'from_account' | 'to_account'>,
): Promise<readonly Owner[]> {
  const named = from ?? to
  if (to !== undefined) await readAccount(context, access, to, () => undefined)
  if (named !== undefined) return [await readAccount(context, access, named, (_, account) => account)]
  const { world, limitedTo } = access
  return context.state.read(world, (view) =>
    [...view.partners.values()]
      .filter(({ id }) => limitedTo === undefined || id === limitedTo)
      .map(({ id, lastSeq = 0 }) => ({ id: id as PartnerId as string as AccountId, lastSeq })),
  )
}

async function journalsOf(
  context: Context,
  access: PartnerAccess,
  owner: Owner,
  query: JournalsQuery,
): Promise<readonly BookTransfer[]> {
  const { world } = access
  await world.storage.untilQueryTables(owner.lastSeq)
  const { from_account: from, to_account: to, status } = query
  const matches = (bookTransfer: BookTransfer): boolean =>
    (from === undefined || bookTransfer.from === from) &&
    (to === undefined || bookTransfer.to === to) &&
    (status === undefined || (bookTransfer.status ?? 'executed') === status)
  const bookTransfers: BookTransfer[] = []
  let token = query.page_token
  // A page has book transfers from and to the account, so the filter may leave fewer than the limit.
  for (;;) {
    const records = await world.storage.queryTables.history({
      ...movementsOf(owner.id, token),
      kinds: journalKinds[query.entry_type ?? 'all'],
      limit: query.limit,
      ...definedFields({
        after: query.after && instantOf(query.after),
        until: query.before && instantOf(query.before),
      }),
    })
    const page = await Promise.all(
      records.map((record) => withStatus(context, access, decode(record) as BookTransfer)),
    )
    bookTransfers.push(...page.filter(matches))
    if (page.length < query.limit || bookTransfers.length >= query.limit) return bookTransfers
    token = lastOf(page).id
  }
}

const newestFirst = (a: BookTransfer, b: BookTransfer): number => (a.createdAt > b.createdAt ? -1 : 1)

function journalCommand(access: PartnerAccess, body: InputOf<'createJournal'>['body']): MakeBookTransfer {
  const { entry_type, from_account, to_account, amount, symbol, qty, description } = body
  return {
    kind: 'makeBookTransfer',
    from: from_account,
    to: to_account,
    what:
      entry_type === 'JNLC'
        ? { kind: 'cash', amount: centsOf(found(amount, 'the amount')) }
        : {
            kind: 'shares',
            symbol: symbolOf(access.world, found(symbol, 'the symbol')),
            quantity: toQuantity(closeAmount(found(qty, 'the quantity'))),
          },
    ...definedFields({ description }),
    ...partnerCaller(access),
  }
}
