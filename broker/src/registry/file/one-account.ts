import { setImmediate as turn } from 'node:timers/promises'
import {
  type AccountId,
  BANK,
  type BrokerEvent,
  customer,
  entryIn,
  moveSigned,
  type PartnerId,
  type TransferId,
  USD,
  type WorldId,
} from '@quipu/core'
import type { Entry, Journal } from '../../journal/journal.ts'
import { openMemoryJournal } from '../../journal/memory.ts'
import { causeOf, eventOf, storedEntry } from '../../journal/stored-event.ts'
import { auditEvents } from '../../world/audit/audit.ts'
import { replaceTexts } from './replace-texts.ts'
import { reportEvents } from './report-events.table.ts'

/** The account cannot be separated from others. The message says why. */
export class NotSeparable extends Error {
  override readonly name = 'NotSeparable'
}

const OTHER_WORLD = 'other-world' as WorldId

type Batches = AsyncIterable<readonly Entry[]>

/** A journal with the events of one account and of the market, without texts about people. It is checked. */
export async function journalOfAccount(read: () => Batches, seq: number, id: AccountId): Promise<Journal> {
  const journal = openMemoryJournal()
  const wanted = await wantedOf(read(), seq, id)
  let number = 0
  for await (const batch of read()) {
    const kept = batch.slice(0, seq - number).flatMap((entry) => {
      const event = keptOf(eventOf(entry), wanted)
      // The record of the request has a caller and an address; its id stays, so that the order can be explained.
      return event ? [storedEntry(withoutPeople(event, wanted), causeOf(entry))] : []
    })
    if (kept.length > 0) await journal.append(kept)
    number += batch.length
    if (number >= seq) break
    await turn()
  }
  await check(journal)
  return journal
}

type Wanted = {
  readonly id: AccountId
  /** The account, and those of issuers if it has tokens. */
  readonly accounts: Set<string>
  readonly partners: Set<PartnerId>
  hasTokens: boolean
  /** The texts that stand for ids that somebody chose. */
  readonly ids: Map<string, string>
}

/** Reads which other records the account needs. */
async function wantedOf(batches: Batches, seq: number, id: AccountId): Promise<Wanted> {
  const wanted: Wanted = {
    id,
    accounts: new Set([id]),
    partners: new Set(),
    hasTokens: false,
    ids: new Map(),
  }
  const opened = new Map<string, PartnerId>()
  const ofIssuers = new Set<string>()
  let number = 0
  for await (const batch of batches) {
    for (const entry of batch.slice(0, seq - number)) {
      const event = eventOf(entry)
      if (event.kind === 'accountOpened') opened.set(event.accountId, event.partnerId)
      else if (event.kind === 'issuerRegistered' || event.kind === 'custodyAccountSet')
        ofIssuers.add(event.accountId)
      else if (/^(mint|redeem|link|accountLinked)/.test(event.kind) && accountOf(event) === id)
        wanted.hasTokens = true
    }
    number += batch.length
    if (number >= seq) break
  }
  if (wanted.hasTokens) for (const account of ofIssuers) wanted.accounts.add(account)
  for (const account of wanted.accounts) wanted.partners.add(entryIn(opened, account))
  return wanted
}

const accountOf = (event: BrokerEvent): AccountId | undefined =>
  'accountId' in event ? event.accountId : undefined

/** The event as the report has it; undefined if it has none. */
function keptOf(event: BrokerEvent, wanted: Wanted): BrokerEvent | undefined {
  const { id, accounts, partners, hasTokens } = wanted
  const rule = reportEvents[event.kind]
  switch (rule) {
    case 'world':
      return event
    case 'account':
      if (event.kind === 'partnerAdded') return partners.has(event.partnerId) ? event : undefined
      if (event.kind === 'accountOpened') return accounts.has(event.accountId) ? event : undefined
      return accountOf(event) === id ? event : undefined
    case 'issuer':
      return hasTokens ? event : undefined
    case 'custody':
      if (hasTokens) throw new NotSeparable('tokens of its issuer were restated for all accounts')
      return undefined
    case 'journal':
      return event.kind === 'bookTransferMade' ? asTransfer(event, id) : undefined
    case 'omitted':
      return undefined
  }
}

/** A cash book transfer with another account becomes a deposit or a withdrawal of the same amount. */
function asTransfer(
  { at, bookTransfer }: Extract<BrokerEvent, { kind: 'bookTransferMade' }>,
  id: AccountId,
): BrokerEvent | undefined {
  const { from, to, what, partnerId } = bookTransfer
  if (from !== id && to !== id) return undefined
  if (what.kind === 'shares') throw new NotSeparable('it moved shares to or from another account')
  const { amount } = what
  const direction = to === id ? 'in' : 'out'
  return {
    kind: 'transferBooked',
    at,
    accountId: id,
    transfer: {
      id: bookTransfer.id as string as TransferId,
      accountId: id,
      partnerId,
      direction,
      method: 'ach',
      amount,
      createdAt: at,
    },
    posting: moveSigned(USD, to === id ? amount : -amount, { from: BANK, to: customer(id, 'settled') }),
  }
}

/** Account numbers are replaced too, and stay different. Events of the market have no texts about people. */
function withoutPeople(event: BrokerEvent, wanted: Wanted): BrokerEvent {
  if (event.kind === 'worldOpened' && event.settings.follows !== undefined)
    return { ...event, settings: { ...event.settings, follows: OTHER_WORLD } }
  if (reportEvents[event.kind] === 'world') return event
  const replaced = replaceTexts(event, wanted)
  if (replaced.kind !== 'accountOpened') return replaced
  return { ...replaced, number: `REPORT-${[...wanted.accounts].indexOf(replaced.accountId) + 1}` }
}

/** What is left must be a sound journal, as the file of it is checked when it is loaded. */
async function check(journal: Journal): Promise<void> {
  const { sound, problems } = await auditEvents(journal.read(0), journal.head()).catch((error: unknown) => ({
    sound: false,
    problems: [error instanceof Error ? error.message : String(error)],
  }))
  if (!sound) throw new NotSeparable(`its history depends on other accounts: ${problems[0]}`)
}
