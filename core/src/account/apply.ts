import { schedule, unschedule } from '../agenda.ts'
import type { Money } from '../amount.ts'
import { definedFields } from '../defined-fields.ts'
import type { Ticker } from '../ids.ts'
import { session } from '../market/calendar.ts'
import { nextClose, settlingInstant } from '../orders/session.ts'
import { found } from '../result.ts'
import type { State } from '../state.ts'
import type { Instant } from '../time.ts'
import { balancesOf } from './balances.ts'
import type { AccountEvent, AccountOpened, AccountSettled, DayClosed } from './events.ts'
import { applyKey } from './keys.ts'
import { accountName } from './open.ts'
import { replacePositions } from './partner/apply.ts'
import { applyKeyed } from './partner/idempotency.ts'

export function applyAccount(state: State, event: AccountEvent): void {
  switch (event.kind) {
    case 'worldOpened':
      state.settings = event.settings
      state.importedData = event.settings.importedData ?? []
      return scheduleClose(state, event.at)
    case 'partnerAdded':
      state.partners.set(event.partnerId, { id: event.partnerId, name: event.name, createdAt: event.at })
      return
    case 'accountOpened':
      applyKeyed(state, event)
      return open(state, event)
    case 'keyIssued':
    case 'keyRevoked':
    case 'keyLimited':
      return applyKey(state, event)
    case 'configChanged': {
      const account = found(state.accounts.get(event.accountId), event.accountId)
      state.accounts.set(account.id, { ...account, config: event.config })
      return
    }
    case 'feesBooked':
      state.fees.delete(event.accountId)
      return
    case 'dayClosed':
      return markAccounts(state, event)
    case 'accountSettled':
      return settle(state, event)
  }
}

function open(state: State, event: AccountOpened): void {
  state.accounts.set(event.accountId, {
    id: event.accountId,
    number: event.number,
    flavour: event.flavour,
    ...definedFields({ userId: event.userId }),
    partnerId: event.partnerId,
    createdAt: event.at,
    events: 0,
    lastSeq: state.seq,
    lastEquity: event.equity ?? event.cash,
    lastMaintenanceMargin: 0n as Money,
    balanceDate: event.date,
    ...definedFields({ client: event.client, details: event.details, review: event.review }),
  })
  if (event.client) state.accountNames.set(accountName(event.partnerId, event.client.id), event.accountId)
  if (event.positions) replacePositions(state, event.accountId, event.positions)
}

function markAccounts(state: State, { at, date, marks, terms }: DayClosed): void {
  const prices = {
    quote: () => undefined,
    trade: (symbol: Ticker) => {
      const price = marks.get(symbol)
      return price === undefined ? undefined : { at, price, size: 0n as never }
    },
  }
  const market = { prices, asset: (symbol: Ticker) => terms?.get(symbol) }
  for (const account of state.accounts.values()) {
    const { equity, maintenanceMargin } = balancesOf(state, market, account.id)
    state.accounts.set(account.id, {
      ...account,
      lastEquity: equity,
      lastMaintenanceMargin: maintenanceMargin,
      balanceDate: date,
    })
  }
  state.dayClosedSeq = state.seq
  unschedule(state.agenda, found(session(date), date).close, { kind: 'closeDay', date })
  scheduleClose(state, at)
}

/** Only the next close is scheduled: after a long downtime, only the last missed close is processed. */
function scheduleClose(state: State, at: Instant): void {
  const { date, close } = nextClose(at)
  schedule(state.agenda, close, { kind: 'closeDay', date })
}

function settle(state: State, { accountId, date }: AccountSettled): void {
  const days = state.unsettled.get(accountId)
  days?.delete(date)
  if (days?.size === 0) state.unsettled.delete(accountId)
  unschedule(state.agenda, settlingInstant(date), { kind: 'settleAccount', accountId, date })
}
