import type { Handlers, InputOf } from '@quipu/contract'
import {
  type AccountId,
  decode,
  found,
  type Journal,
  type JournalBetween,
  type PartnerId,
  parseMovementId,
  type Quantity,
  type Transfer,
  type TransferMoney,
} from '@quipu/core'
import type { HistoryQuery } from '../../views/history.ts'
import { journalToWire, transferToWire } from '../../wire/broker-wire.ts'
import { instantOf } from '../../wire/moments.ts'
import { refuse } from '../../wire/refusal.ts'
import { viewsReached } from '../caught-up.ts'
import type { Context } from '../context.ts'
import { amountOf, centsOf, symbolOf } from '../trading/given-positions.ts'
import { doneOnce, type KeyOfCall } from './idempotency.ts'
import { askedBy, type PartnerPlace, placeOf, readOf } from './partner-place.ts'

type Names = 'createTransfer' | 'listTransfers' | 'createJournal' | 'listJournals' | 'getJournal'

export const brokerMoneyHandlers: Handlers<Context, Names> = {
  createTransfer: async ({ headers, params, body }, context) => {
    const place = placeOf(context, headers)
    const note = body.additional_information
    const accountId = params.account_id as AccountId
    const command: TransferMoney = {
      kind: 'transferMoney',
      accountId,
      direction: body.direction === 'INCOMING' ? 'in' : 'out',
      means: body.transfer_type,
      amount: centsOf(body.amount),
      ...(note === undefined ? {} : { note }),
      ...askedBy(place),
    }
    const call = { operation: `transfer ${accountId}`, body }
    return doneOnce(context, place, command, { ...call, ...keyOf(place, headers, accountId) }, (led) =>
      transferToWire(found(led.kind === 'transfer' ? led.transfer : undefined, 'the transfer')),
    )
  },

  listTransfers: async ({ headers, params, query }, context) => {
    const place = placeOf(context, headers)
    const { direction, limit, offset, page_token: token } = query
    const account = await readOf(context, place, params.account_id, (_, found) => found)
    await viewsReached(context, place.world, account.lastSeq)
    const kinds = ['transferIn', 'transferOut'] as const
    const records = await place.world.views.history({
      ...movementsOf(account.id, token),
      kinds: direction === undefined ? kinds : [kinds[direction === 'INCOMING' ? 0 : 1]],
      limit: limit + offset,
    })
    return records.slice(offset).map((record) => transferToWire(decode(record) as Transfer))
  },

  createJournal: async ({ headers, body }, context) => {
    const place = placeOf(context, headers)
    const command = journalOf(place, body)
    const call = { operation: 'journal', body }
    return doneOnce(context, place, command, { ...call, ...keyOf(place, headers, command.from) }, (led) =>
      journalToWire(found(led.kind === 'journal' ? led.journal : undefined, 'the journal')),
    )
  },

  listJournals: async ({ headers, query }, context) => {
    const place = placeOf(context, headers)
    // All of ours are executed.
    if (query.status !== undefined && query.status !== 'executed') return []
    const lists = await Promise.all(
      (await ownersOf(context, place, query)).map((owner) => journalsOf(context, place, owner, query)),
    )
    return lists.flat().sort(newestFirst).slice(0, query.limit).map(journalToWire)
  },

  getJournal: async ({ headers, params }, context) => {
    const place = placeOf(context, headers)
    const at = parseMovementId(params.journal_id)
    const owners = await ownersOf(context, place, {})
    for (const { id, lastSeq } of at === undefined ? [] : owners) {
      await viewsReached(context, place.world, lastSeq)
      const [record] = await place.world.views.history({
        accountId: id,
        part: 'movement',
        kinds: journalKinds.all,
        beyond: { ...at!, seq: at!.seq - 1, n: LAST },
        direction: 'asc',
        limit: 1,
      })
      const journal = record === undefined ? undefined : (decode(record) as Journal)
      if (journal?.id === params.journal_id) return journalToWire(journal)
    }
    throw refuse({ code: 'journalNotFound' })
  },
}

const journalKinds = {
  JNLC: ['cashJournaled'],
  JNLS: ['sharesJournaled'],
  all: ['cashJournaled', 'sharesJournaled'],
} as const

/** No event has so many activities: behind it comes the next event. */
const LAST = 255

/** Newest first, beyond the one that a page ended with. */
function movementsOf(accountId: AccountId, token: string | undefined): HistoryQuery {
  const beyond = token === undefined ? undefined : parseMovementId(token)
  if (token !== undefined && beyond === undefined)
    throw refuse({ code: 'invalidParameter', problem: 'page_token is none of ours' })
  return { accountId, part: 'movement', direction: 'desc', ...(beyond ? { beyond } : {}) }
}

type JournalsQuery = InputOf<'listJournals'>['query']
/** Under whose name journals are found: a partner's, or an account's; and how far the views must be. */
type Owner = { readonly id: AccountId; readonly lastSeq: number }

async function ownersOf(
  context: Context,
  place: PartnerPlace,
  { from_account: from, to_account: to }: Pick<JournalsQuery, 'from_account' | 'to_account'>,
): Promise<readonly Owner[]> {
  const named = from ?? to
  if (to !== undefined) await readOf(context, place, to, () => undefined)
  if (named !== undefined) return [await readOf(context, place, named, (_, account) => account)]
  const { world, sees } = place
  return context.saw(
    world,
    world.read((view) =>
      [...view.partners.values()]
        .filter(({ id }) => sees === undefined || id === sees)
        .map(({ id, lastSeq = 0 }) => ({ id: id as PartnerId as string as AccountId, lastSeq })),
    ),
  )
}

async function journalsOf(
  context: Context,
  { world }: PartnerPlace,
  owner: Owner,
  query: JournalsQuery,
): Promise<readonly Journal[]> {
  await viewsReached(context, world, owner.lastSeq)
  const { from_account: from, to_account: to } = query
  const isWanted = (journal: Journal): boolean =>
    (from === undefined || journal.from === from) && (to === undefined || journal.to === to)
  const wanted: Journal[] = []
  let token = query.page_token
  // An account gives and receives, so some of a page may be of the other kind.
  for (;;) {
    const records = await world.views.history({
      ...movementsOf(owner.id, token),
      kinds: journalKinds[query.entry_type ?? 'all'],
      ...(query.after ? { after: instantOf(query.after) } : {}),
      ...(query.before ? { until: instantOf(query.before) } : {}),
      limit: query.limit,
    })
    const page = records.map((record) => decode(record) as Journal)
    wanted.push(...page.filter(isWanted))
    if (page.length < query.limit || wanted.length >= query.limit) return wanted
    token = page.at(-1)!.id
  }
}

const newestFirst = (a: Journal, b: Journal): number => (a.createdAt > b.createdAt ? -1 : 1)

function journalOf(place: PartnerPlace, body: InputOf<'createJournal'>['body']): JournalBetween {
  const { entry_type, from_account, to_account, amount, symbol, qty, description } = body
  return {
    kind: 'journalBetween',
    from: from_account as AccountId,
    to: to_account as AccountId,
    what:
      entry_type === 'JNLC'
        ? { kind: 'cash', amount: centsOf(found(amount, 'the amount')) }
        : {
            kind: 'shares',
            symbol: symbolOf(place.world, found(symbol, 'the symbol')),
            quantity: amountOf(found(qty, 'the quantity')) as Quantity,
          },
    ...(description === undefined ? {} : { description }),
    ...askedBy(place),
  }
}

/** A key is the partner's whose money moves, whoever asks. */
const keyOf = (
  { world }: PartnerPlace,
  { 'idempotency-key': key }: InputOf<'createJournal'>['headers'],
  accountId: AccountId,
): Pick<KeyOfCall, 'key' | 'partnerId'> => ({
  key,
  partnerId: world.view.accounts.get(accountId)?.partnerId,
})
