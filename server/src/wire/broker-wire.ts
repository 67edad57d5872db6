import type { AccountKeyRecord, BrokerAccountRecord, JournalRecord, TransferRecord } from '@quipu/contract'
import {
  type Account,
  type AccountBlocks,
  type BookTransfer,
  detailsRecord,
  fieldsIn,
  format,
  formatInstant,
  type Instant,
  type Key,
  newYork,
  type Transfer,
  type View,
  worthOf,
} from '@quipu/core'
import { accountStatus } from './account-status.ts'

/** The fields of the server come after the details of the caller, so they override them. */
export function brokerAccountToWire(account: Account): BrokerAccountRecord {
  const { details: stored, closedAt, blocks } = account
  const details = stored === undefined ? undefined : detailsRecord(stored)
  const status = accountStatus(account)
  return {
    account_type: 'trading',
    trading_type: 'margin',
    ...details,
    id: account.id,
    account_number: account.number,
    status,
    crypto_status: status,
    currency: 'USD',
    last_equity: format(account.lastEquity),
    flavour: account.flavour,
    client_account_id: account.client?.id,
    partner_id: account.partnerId,
    user_id: account.userId,
    created_at: formatInstant(account.createdAt),
    closed_at: closedAt === undefined ? undefined : formatInstant(closedAt),
    blocks: blocks && blocksToWire(blocks),
  }
}

/** The name to show for an account. */
export function accountHolderName({ users }: Pick<View, 'users'>, account: Account): string {
  const { userId, details, client, number } = account
  return (userId && users.get(userId)?.name) ?? identityName(details) ?? client?.id ?? number
}

/** The name in the identity that a partner gave. Partners may give anything. */
function identityName(details: string | undefined): string | undefined {
  const identity = details === undefined ? undefined : detailsRecord(details)['identity']
  const { given_name, family_name } = fieldsIn(identity)
  const names = [given_name, family_name].filter((name) => typeof name === 'string' && name !== '')
  return names.length > 0 ? names.join(' ') : undefined
}

const blocksToWire = (blocks: AccountBlocks): NonNullable<BrokerAccountRecord['blocks']> =>
  BLOCKS.flatMap((block) => {
    const found = blocks[block]
    return found ? [{ block, reason: found.reason ?? null, since: formatInstant(found.since) }] : []
  })

const BLOCKS = ['trading', 'transfers', 'account'] as const

/** The details of an account: the fields of the body that the server does not read or set itself. */
export function detailsFrom(body: Readonly<Record<string, unknown>>): string | undefined {
  const details = Object.entries(body).filter(([field]) => !serverFields.has(field))
  return details.length === 0 ? undefined : JSON.stringify(Object.fromEntries(details))
}

const serverFields: ReadonlySet<string> = new Set([
  'id',
  'account_number',
  'status',
  'crypto_status',
  'currency',
  'last_equity',
  'flavour',
  'client_account_id',
  'partner_id',
  'blocks',
  'user',
  'user_id',
  'created_at',
  'closed_at',
  'cash',
  'positions',
])

export const accountKeyToWire = (key: Key, lastUse?: Instant): AccountKeyRecord => ({
  key_id: key.id,
  created_at: formatInstant(key.createdAt),
  ...keyTimesToWire(key, lastUse),
})

export function transferToWire(transfer: Transfer): TransferRecord {
  const amount = format(transfer.amount)
  const at = formatInstant(transfer.createdAt)
  return {
    id: transfer.id,
    account_id: transfer.accountId,
    type: transfer.method,
    status: 'COMPLETE',
    currency: 'USD',
    amount,
    requested_amount: amount,
    instant_amount: '0',
    fee: '0',
    fee_payment_method: 'user',
    direction: transfer.direction === 'in' ? 'INCOMING' : 'OUTGOING',
    relationship_id: null,
    bank_id: null,
    additional_information: transfer.note ?? null,
    reason: null,
    created_at: at,
    updated_at: at,
    expires_at: null,
  }
}

export function bookTransferToWire({ what, ...bookTransfer }: BookTransfer): JournalRecord {
  const { date } = newYork(bookTransfer.createdAt)
  return {
    id: bookTransfer.id,
    entry_type: what.kind === 'cash' ? 'JNLC' : 'JNLS',
    from_account: bookTransfer.from,
    to_account: bookTransfer.to,
    status: bookTransfer.status ?? 'executed',
    ...movedToWire(what),
    description: bookTransfer.description ?? null,
    currency: 'USD',
    system_date: date,
    settle_date: date,
    created_at: formatInstant(bookTransfer.createdAt),
    from_world: bookTransfer.fromWorld,
    to_world: bookTransfer.toWorld,
    transit_id: bookTransfer.transitId,
    reason: bookTransfer.reason,
  }
}

function movedToWire(what: BookTransfer['what']) {
  if (what.kind === 'cash') return { net_amount: format(what.amount), symbol: null, qty: null, price: null }
  const { symbol, quantity, cost, price } = what
  return {
    net_amount: format(price === undefined ? cost : worthOf(price, quantity, 'nearest')),
    symbol,
    qty: format(quantity),
    price: price === undefined ? null : format(price),
  }
}

/** When a key was last used and when it expires. */
export const keyTimesToWire = ({ expiresAt }: Key, lastUse: Instant | undefined) => ({
  last_used_at: lastUse === undefined ? undefined : formatInstant(lastUse),
  expires_at: expiresAt === undefined ? undefined : formatInstant(expiresAt),
})
