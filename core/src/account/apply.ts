import { schedule, unschedule } from '../agenda.ts'
import { NO_MONEY, NO_QUANTITY } from '../amount.ts'
import { definedFields } from '../defined-fields.ts'
import type { Appliers } from '../handlers.ts'
import type { Ticker } from '../ids.ts'
import { session } from '../market/calendar.ts'
import { nextClose, settlingInstant } from '../orders/session.ts'
import { found } from '../result.ts'
import type { State } from '../state/state.ts'
import type { Instant } from '../time.ts'
import { balancesOf } from './balances.ts'
import { accountNameCheck } from './open.ts'
import { replacePositions } from './partner/apply.ts'

export const accountAppliers = {
  worldOpened(state, { at, settings }) {
    state.settings = settings
    state.importedData = settings.importedData ?? []
    if (settings.follows !== undefined) state.followed = { world: settings.follows, seq: 0 }
    scheduleClose(state, at)
  },

  partnerAdded(state, { at, partnerId: id, name }) {
    state.partners.set(id, { id, name, createdAt: at })
  },

  accountOpened(state, event) {
    const { at, accountId: id, number, flavour, userId, partnerId, client, details, review } = event
    state.accounts.set(id, {
      id,
      number,
      flavour,
      ...definedFields({ userId }),
      partnerId,
      createdAt: at,
      events: 0,
      lastSeq: state.seq,
      lastEquity: event.equity ?? event.cash,
      lastMaintenanceMargin: NO_MONEY,
      balanceDate: event.date,
      ...definedFields({ client, details, review }),
    })
    if (client) state.accountNames.set(accountNameCheck(partnerId, client.id), id)
    if (event.positions) replacePositions(state, id, event.positions)
  },

  configChanged(state, { accountId, config }) {
    state.accounts.set(accountId, { ...found(state.accounts.get(accountId), accountId), config })
  },

  feesBooked: (state, { accountId }) => state.fees.delete(accountId),

  dayClosed(state, { at, date, marks, terms }) {
    const prices = {
      quote: () => undefined,
      trade: (symbol: Ticker) => {
        const price = marks.get(symbol)
        return price === undefined ? undefined : { at, price, size: NO_QUANTITY }
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
  },

  accountSettled(state, { accountId, date }) {
    const days = state.unsettled.get(accountId)
    days?.delete(date)
    if (days?.size === 0) state.unsettled.delete(accountId)
    unschedule(state.agenda, settlingInstant(date), { kind: 'settleAccount', accountId, date })
  },
} satisfies Appliers

/** Only the next close is scheduled: after a long downtime, only the last missed close is processed. */
function scheduleClose(state: State, at: Instant): void {
  const { date, close } = nextClose(at)
  schedule(state.agenda, close, { kind: 'closeDay', date })
}
